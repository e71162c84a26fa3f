package rescue_test

import (
	"strings"
	"testing"

	"landfall/internal/column"
	"landfall/internal/rescue"
)

// A row that the writer made comes apart, and writes itself again.
func TestRow(t *testing.T) {
	w := rescue.NewWriter("file:///in/a.json")
	w.Reset(nil)
	w.Begin()
	city, reserved, dotted := rescue.NewKey("city", false), rescue.NewKey("_record", true), rescue.NewKey("a.b", false)
	w.Put(&city, []byte(`"unknown"`), []byte("Ōslo\n"))
	w.Put(&reserved, []byte(`"type:bigint"`), []byte("x"))
	outer, inner := rescue.NewKey("o", false), rescue.NewKey("p", false)
	w.Push(rescue.Label{Key: &outer}, false)
	w.Close(append(w.Open(rescue.Label{Key: &inner}), "[1]"...), rescue.Label{Key: &inner}, []byte(`"unknown"`))
	w.Pop()
	w.Put(&dotted, []byte(`"unknown"`), []byte("\xff"))
	if err := w.End(7, 12); err != nil {
		t.Fatal(err)
	}
	text := w.Column().Value(0)
	r, err := rescue.ParseRow(text)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(r.Append(nil)); got != string(text) {
		t.Errorf("got %s, want %s", got, text)
	}
	want := []struct{ name, source, value, why string }{
		{"city", `"city"`, `"Ōslo\n"`, "unknown"},
		{"_record", `"_record"`, `"x"`, "type:bigint"},
		{"o", `"o"`, `{"p":[1]}`, ""},
		{"a.b", `"a.b"`, `{"$base64":"/w=="}`, "unknown"},
	}
	for i, m := range r.Members {
		why, whole := m.Whole()
		if c := want[i]; m.Name != c.name || string(m.Source()) != c.source || string(m.Value) != c.value || why != c.why || whole != (c.why != "") {
			t.Errorf("%d: got %q %s %s %q, want %v", i, m.Name, m.Source(), m.Value, why, c)
		}
	}
	left := r.Without()
	if left.Append(nil) != nil {
		t.Error("a row without members is not null")
	}
	left.Members = r.Members[1:2]
	if got, want := string(left.Append(nil)), `{"_field:_record":"x","_file_path":"file:///in/a.json","_record":7,"_byte_offset":12,"_why":{"_field:_record":"type:bigint"}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Records that are no records are members of ours, whatever the source called its own.
func TestRowOurs(t *testing.T) {
	r, err := rescue.ParseRow([]byte(`{"_corrupt_record":"{","_field:_corrupt_record":1,"_file_path":"f","_record":1,"_why":{"_corrupt_record":"malformed","_field:_corrupt_record":"unknown"}}`))
	if err != nil || len(r.Members) != 2 {
		t.Fatalf("found %+v, %v", r, err)
	}
	if a, b := r.Members[0], r.Members[1]; !a.Ours || b.Ours || b.Name != "_corrupt_record" {
		t.Errorf("found %+v", r.Members)
	}
}

// What others wrote into the column is no row of ours.
func TestRowOfOthers(t *testing.T) {
	place := `"_file_path":"f","_record":1,`
	for _, text := range []string{
		"", "null", "[]", "{", `{"a":1}`, `{"a":1,` + place + `"_why":{}} x`, `{"a":1,"_why":{"a":"unknown"}}`,
		`{"a":1,"a":2,` + place + `"_why":{"a":"unknown"}}`, `{"a":1,` + place + `"_why":{"b":"unknown"}}`,
		`{"a":1,` + place + `"_why":{"a":1}}`, `{"a":1,` + place + `"_why":{"a..b":"unknown"}}`, `{"a":1,` + place + `"_why":3}`,
	} {
		if r, err := rescue.ParseRow([]byte(text)); err == nil {
			t.Errorf("%s: found %+v, want an error", text, r)
		}
	}
}

func FuzzParseRow(f *testing.F) {
	f.Add(`{"a":[1,{"b":"\u00e9"}],"_file_path":"f","_record":1,"_why":{"a":"unknown"}}`)
	f.Add(`{"\ud800":1,"_file_path":"f","_record":1,"_byte_offset":3,"_why":{"\\ud800":"case"}}`)
	f.Fuzz(func(t *testing.T, text string) {
		r, err := rescue.ParseRow([]byte(text))
		if err != nil || len(r.Members) == 0 {
			return
		}
		once := r.Append(nil)
		again, err := rescue.ParseRow(once)
		if err != nil {
			t.Fatalf("%s: %v", once, err)
		}
		if twice := again.Append(nil); string(twice) != string(once) {
			t.Errorf("got %s, want %s", twice, once)
		}
	})
}

// Keys that stand as they were written are found again.
func TestRowLone(t *testing.T) {
	w := rescue.NewWriter("f")
	w.Reset(&column.Tape{})
	w.Begin()
	k := rescue.RawKey(`\ud800`, []byte(`"\ud800"`))
	w.Put(&k, []byte(`"unknown"`), []byte("1"))
	if err := w.End(1, -1); err != nil {
		t.Fatal(err)
	}
	r, err := rescue.ParseRow(w.Column().Value(0))
	if err != nil {
		t.Fatal(err)
	}
	if why, whole := r.Members[0].Whole(); !whole || why != "unknown" || !strings.HasPrefix(string(r.Members[0].Key), `"\ud`) {
		t.Errorf("found %+v", r.Members[0])
	}
}
