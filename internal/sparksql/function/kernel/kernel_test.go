package kernel

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// call computes a kernel by its name; the values are those of Spark.
func call(t *testing.T, name string, args ...any) any {
	t.Helper()
	for _, k := range All() {
		if k.Name != name {
			continue
		}
		if len(k.Args) != len(args) {
			t.Fatalf("%s takes %d arguments", name, len(k.Args))
		}
		v, err := k.Call(args)
		if err != nil {
			return "error"
		}
		return v
	}
	t.Fatalf("there is no kernel %s", name)
	return nil
}

func TestKernels(t *testing.T) {
	for _, c := range []struct {
		name string
		args []any
		want any
	}{
		{"spark_decimal", []any{"/", "10.00", "3.00", int64(23), int64(13)}, "3.3333333333333"},
		{"spark_decimal", []any{"/", "-1", "6", int64(10), int64(2)}, "-0.17"},
		{"spark_decimal", []any{"%", "-7.5", "2", int64(5), int64(1)}, "-1.5"},
		{"spark_decimal", []any{"*", "9.9", "9.9", int64(2), int64(1)}, "error"},
		{"spark_decimal", []any{"/", "1", "0", int64(2), int64(1)}, "error"},
		{"spark_try_decimal", []any{"/", "1", "0", int64(2), int64(1)}, nil},
		{"spark_try_decimal", []any{"+", "9", "9", int64(1), int64(0)}, nil},
		{"spark_split_text", []any{"a1b22c", "[0-9]+", int64(-1)}, `["a","b","c"]`},
		{"spark_split_text", []any{"a,b,c", ",", int64(2)}, `["a","b,c"]`},
		{"spark_split_text", []any{"a<b>", "", int64(0)}, `["a","<","b",">"]`},
		{"spark_url_encode", []any{"é~* a"}, "%C3%A9%7E*+a"},
		{"spark_url_decode", []any{"%zz"}, "error"},
		{"spark_parse_url", []any{"https://u:p@a.org:8/b%20c?d=1&e=2#f", "AUTHORITY"}, "u:p@a.org:8"},
		{"spark_parse_url_key", []any{"https://a.org/b?d=1&e=2", "QUERY", "e"}, "2"},
		{"spark_parse_url", []any{"a b", "HOST"}, "error"},
		{"spark_luhn", []any{"79927398713"}, int64(1)},
		{"spark_luhn", []any{""}, int64(0)},
		{"spark_conv", []any{"-10", int64(10), int64(16)}, "FFFFFFFFFFFFFFF6"},
		{"spark_conv", []any{"-10", int64(10), int64(-16)}, "-A"},
		{"spark_hash_bytes", []any{[]byte("Spark"), int64(42)}, int64(228093765)},
		{"spark_xxhash64_int", []any{int64(0), int64(42)}, int64(3614696996920510707)},
		{"spark_json_object", []any{`{"a":[{"b":"x"},{"b":1.50}]} y`, "$.a[*].b"}, `["x",1.5]`},
		{"spark_json_object", []any{`{'a':"é\u0041"}`, "$['a']"}, "éA"},
		{"spark_json_object", []any{`{"a":1e10}`, "$.a"}, "1.0E10"},
		{"spark_json_object", []any{`{"a":null}`, "$.a"}, nil},
		{"spark_json_object", []any{`{"a":1`, "$.a"}, nil},
		{"spark_json_of", []any{`{"a":"x","b":[1,"y"]}`, "struct<a:int,b:array<int>>"}, `{"a":null,"b":null}`},
		{"spark_json_of", []any{`{"t":0,"d":"2026-1-2"}`, "struct<t:timestamp,d:date>"}, `{"t":"1970-01-01 00:00:00Z","d":"2026-1-2"}`},
		{"spark_json_of", []any{" ", "struct<a:int>"}, nil},
	} {
		if got := call(t, c.name, c.args...); got != c.want {
			t.Errorf("%s%v: found %v, want %v", c.name, c.args, got, c.want)
		}
	}
}

func TestTimes(t *testing.T) {
	for _, c := range []struct{ text, pattern, want string }{
		{"03/04/2026", "MM/dd/yyyy", "2026-03-04T00:00:00Z"},
		{"3/4/2026", "MM/dd/yyyy", ""},
		{"3/4/2026", "M/d/yyyy", "2026-03-04T00:00:00Z"},
		{"20260304050607", "yyyyMMddHHmmss", "2026-03-04T05:06:07Z"},
		{"2026-02-30", "yyyy-MM-dd", ""},
		{"04/03/26", "dd/MM/yy", "2026-03-04T00:00:00Z"},
		{"4 mar 2026", "d MMM yyyy", "2026-03-04T00:00:00Z"},
		{"12:30 am", "hh:mm a", "1970-01-01T00:30:00Z"},
		{"2026-03-04T05:06:07.8+02:00", "yyyy-MM-dd'T'HH:mm:ss[.SSSSSS][XXX]", "2026-03-04T03:06:07.8Z"},
		{"2026-03-04T05:06:07", "yyyy-MM-dd'T'HH:mm:ss[.SSSSSS][XXX]", "2026-03-04T05:06:07Z"},
		{"63 2026", "D yyyy", "2026-03-04T00:00:00Z"},
		{"+12026-03-04", "yyyy-MM-dd", "12026-03-04T00:00:00Z"},
	} {
		v, err := parseTime(c.text, c.pattern)
		got := ""
		if micros, ok := v.(int64); ok {
			got = time.UnixMicro(micros).UTC().Format(time.RFC3339Nano)
		}
		if err != nil || got != c.want {
			t.Errorf("%s by %s: found %s %v, want %s", c.text, c.pattern, got, err, c.want)
		}
	}
	for _, pattern := range []string{"YYYY", "yyyy'", "[yyyy", "yyyy]", "#", "EEE, d MMM yyyy"} {
		if _, err := parseTime("2026", pattern); err == nil {
			t.Errorf("the pattern %s is read", pattern)
		}
	}
}

// TestTimesReturn: what a pattern writes, it reads.
func TestTimesReturn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.SampledFrom([]string{
			"yyyy-MM-dd HH:mm:ss.SSSSSS", "yyyyMMddHHmmssSSSSSS", "d MMMM yyyy, h:mm:ss.SSSSSS a", "dd/MM/yyyy kk:m:s.SSSSSS", "yyyy D HH:mm:ss.SSSSSSX", "M/d/yyyy K:mm:ss.SSSSSS a",
		}).Draw(t, "pattern")
		micros := rapid.Int64Range(-30000000000000000, 240000000000000000).Draw(t, "micros")
		text, err := formatTime(micros, pattern)
		if err != nil {
			t.Fatal(err)
		}
		back, err := parseTime(fmt.Sprint(text), pattern)
		if err != nil || back != micros {
			t.Fatalf("%v by %s: found %v %v, want %d", text, pattern, back, err, micros)
		}
	})
}

// FuzzJSON: no text makes the readers of JSON fail, and what they write is read.
func FuzzJSON(f *testing.F) {
	for _, text := range []string{`{"a":[1,{"b":null}]}`, `[[[`, `{'a':"\u00e9\ud83d\ude00"}`, `-0.0e+5`, `"\x"`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n := readJSON(text)
		jsonObject(text, "$.a[*].b")
		if _, err := jsonOf(text, "struct<a:array<struct<b:string>>>"); err != nil {
			t.Fatal(err)
		}
		v, ok := jsonObject(text, "$").(string)
		if n != nil && ok && n.kind != '"' && readJSON(v) == nil {
			t.Fatalf("%q becomes %q, which is no JSON", text, v)
		}
	})
}
