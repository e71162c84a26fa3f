package json

import (
	"fmt"
	"strings"
	"testing"
)

// TestRecover: a malformed record costs no other where its end can be told.
func TestRecover(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		o                Options
	}{
		{
			name: "bracket not closed on a line", text: "{\"a\":1}\n{\"a\":[2\n{\"a\":3}\n",
			want: "JSON lines, UTF-8\n1:1@0 {\"a\":1}\n3:3@16 {\"a\":3}\nbad 2:2@8 E0401 {\"a\":[2\n",
		},
		{
			name: "bracket not closed on the first line", text: "{\"a\":{\n{\"a\":2}\n",
			want: "JSON lines, UTF-8\n2:2@7 {\"a\":2}\nbad 1:1@0 E0401 {\"a\":{\n",
		},
		{
			name: "quote not closed on a line", text: "{\"a\":1}\n{\"a\":\"2}\n{\"a\":\"3\"}\n",
			want: "JSON lines, UTF-8\n1:1@0 {\"a\":1}\n3:3@17 {\"a\":\"3\"}\nbad 2:2@8 E0401 {\"a\":\"2}\n",
		},
		{
			name: "quote not closed where lines end in strings", text: "{\"a\":1}\n{\"a\":\"2}\n{\"a\":\"3\"}\n{\"a\":4}", o: Options{AllowUnquotedControlChars: true},
			want: "JSON lines, UTF-8\n1:1@0 {\"a\":1}\n3:3@17 {\"a\":\"3\"}\n4:4@27 {\"a\":4}\nbad 2:2@8 E0401 {\"a\":\"2}\n",
		},
		{
			name: "words between lines", text: "{\"a\":1}\nWARN: {\"a\":2}\n<<<<<<< HEAD\n{\"a\":3}\n",
			want: "JSON lines, UTF-8\n1:1@0 {\"a\":1}\n4:4@35 {\"a\":3}\nbad 2:2@8 E0401 WARN: {\"a\":2}\nbad 3:3@22 E0401 <<<<<<< HEAD\n",
		},
		{
			name: "commas between lines", text: "{\"a\":1},\n{\"a\":2}, {\"a\":3}\n1,2,3\n",
			want: "JSON documents, UTF-8\n1:1@0 {\"a\":1}\n3:2@9 {\"a\":2}\n5:2@18 {\"a\":3}\n6:3@26 1\n" +
				"bad 2:1@7 E0401 ,\nbad 4:2@16 E0401 ,\nbad 7:3@27 E0401 ,2,3\n",
		},
		{
			name: "array not closed on a line", text: "{\"a\":1}\n[{\"a\":2},\n{\"a\":3}\n{\"a\":4}\n",
			want: "JSON documents, UTF-8\n1:1@0 {\"a\":1}\n2:2@9 {\"a\":2}\n3:3@18 {\"a\":3}\n4:4@26 {\"a\":4}\n" +
				"note array_unclosed: found a new line in the array that begins on line 2, want ]\n",
		},
		{
			name: "element malformed in an array on a line", text: "{}\n[{\"a\":},2]\n[{\"b\":\"x,3]\n{}\n",
			want: "JSON documents, UTF-8\n1:1@0 {}\n3:2@11 2\n5:4@26 {}\nbad 2:2@4 E0401 {\"a\":}\nbad 4:3@15 E0401 {\"b\":\"x,3]\n",
		},
		{
			name: "array that the end cuts", text: "[{\"a\":1},\n{\"a\":[2,",
			want: "JSON array, UTF-8\n1:1@1 {\"a\":1}\nbad 2:2@10 E0401 {\"a\":[2,\nnote array_unclosed: found the end of the file in the array that begins on line 1, want ]\n",
		},
		{
			name: "array that is not closed", text: "[{\"a\":1},",
			want: "JSON array, UTF-8\n1:1@1 {\"a\":1}\nnote array_unclosed: found the end of the file in the array that begins on line 1, want ]\n",
		},
		{
			name: "children of the last element are no rows", text: `[{"id":1,"c":[{"id":2}]},{"id":3,"c":[{"id":4},{"id":5},{"id":6}`,
			want: "JSON array, UTF-8\n1:1@1 {\"id\":1,\"c\":[{\"id\":2}]}\n" +
				"bad 2:1@25 E0401 {\"id\":3,\"c\":[{\"id\":4},{\"id\":5},{\"id\":6}\n" +
				"note array_unclosed: found the end of the file in the array that begins on line 1, want ]\n",
		},
		{
			name: "children of a malformed element are no rows", text: `[{"id":1},{"id":2,"c":[{"id":4},{"id":5],"d":"x},{"id":6},{"id":7}]`,
			want: "JSON array, UTF-8\n1:1@1 {\"id\":1}\n3:1@49 {\"id\":6}\n4:1@58 {\"id\":7}\n" +
				"bad 2:1@10 E0401 {\"id\":2,\"c\":[{\"id\":4},{\"id\":5],\"d\":\"x}\n",
		},
		{
			name: "balanced element", text: `[{"a":tru},{"a":"]},"},{"b"}]`,
			want: "JSON array, UTF-8\n2:1@11 {\"a\":\"]},\"}\nbad 1:1@1 E0401 {\"a\":tru}\nbad 3:1@23 E0401 {\"b\"}\n",
		},
		{
			name: "words in an array", text: `[1, nope {"x":[1,2]} , 3, "a"b"c", 4]`,
			want: "JSON array, UTF-8\n1:1@1 1\n3:1@23 3\n4:1@26 \"a\"\n6:1@35 4\nbad 2:1@4 E0401 nope {\"x\":[1,2]}\nbad 5:1@29 E0401 b\"c\"\n",
		},
		{
			name: "commas too many", text: "[,1,,2,]",
			want: "JSON array, UTF-8\n2:1@2 1\n4:1@5 2\nbad 1:1@1 E0401 ,\nbad 3:1@3 E0401 ,\nbad 5:1@6 E0401 ,\n",
		},
		{
			name: "brackets too many", text: "[{}}, {}]]\n{}",
			want: "JSON lines, UTF-8\n1:1@1 {}\n3:1@6 {}\n5:2@11 {}\nbad 2:1@3 E0401 }\nbad 4:1@9 E0401 ]\n",
		},
		{
			name: "brace missing in an array over lines", text: "[\n  {\n    \"a\": 1\n  ,\n  {\n    \"a\": 2\n  },\n  {\n    \"a\": \"3\n  },\n  {}\n]\n",
			want: "JSON array, UTF-8\n2:5@23 {\n    \"a\": 2\n  }\n4:11@64 {}\n" +
				"bad 1:2@4 E0401 {\n    \"a\": 1\nbad 3:8@43 E0401 {\n    \"a\": \"3\n  }\n",
		},
		{
			name: "braces on one line", text: "[ {\n  \"a\": 1\n}, {\n  \"a\": \"2\n}, {\n  \"a\": 3\n} ]\n",
			want: "JSON array, UTF-8\n1:1@2 {\n  \"a\": 1\n}\n3:5@31 {\n  \"a\": 3\n}\nbad 2:3@16 E0401 {\n  \"a\": \"2\n}\n",
		},
		{
			name: "brace missing between documents", text: "{\n \"a\": 1\n{\n \"a\": 2\n}\n",
			want: "JSON documents, UTF-8\n2:3@10 {\n \"a\": 2\n}\nbad 1:1@0 E0401 {\n \"a\": 1\n",
		},
		{
			name: "list that goes on beyond reach", text: `[{"a":1,"b":0},{"a":"x},` + strings.Repeat(`{"a":1,"b":0},`, 20) + `{"a":2}]`, o: Options{reach: 40},
			want: "JSON array, UTF-8\n1:1@1 {\"a\":1,\"b\":0}\n" + numbered(3, 19, 38, 14, `{"a":1,"b":0}`) + "22:1@304 {\"a\":2}\nbad 2:1@15 E0401 {\"a\":\"x},{\"a\":1,\"b\":0}\n",
		},
		{
			name: "list of others beyond reach", text: `[{"a":1,"b":0},{"a":["x},` + strings.Repeat(`{"a":1},`, 20) + `{"a":1}],"b":2}]`, o: Options{reach: 40},
			want: "JSON array, UTF-8\n1:1@1 {\"a\":1,\"b\":0}\nbad 2:1@15 E0401 {\"a\":[\"x}," + strings.Repeat(`{"a":1},`, 20) + "{\"a\":1}],\"b\":2}]\n" +
				"note array_unclosed: found the end of the file in the array that begins on line 1, want ]\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := read(t, c.text, c.o).String(); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

// numbered are n rows of the same text.
func numbered(first, n, offset, step int, text string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d:1@%d %s\n", first+i, offset+i*step, text)
	}
	return b.String()
}
