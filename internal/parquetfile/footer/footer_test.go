package footer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/parquetfile"
	"landfall/internal/schema"
)

// made is a file of a schema, without rows.
func made(t testing.TB, ddl string) []byte {
	t.Helper()
	columns, err := schema.ParseDDL("struct<" + ddl + ">")
	if err != nil {
		t.Fatal(err)
	}
	s, _ := columns.(schema.Struct)
	var out bytes.Buffer
	w, err := parquetfile.NewWriter(&out, s, parquetfile.Options{Metadata: map[string]string{"k": "v"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Equal schemas are one, whatever else the files are.
func TestScanFolds(t *testing.T) {
	var s Scanner
	a, b := made(t, "a: int, b: array<string>"), made(t, "a: int, b: array<binary>")
	var got []*Schema
	for _, data := range [][]byte{a, b, a, b} {
		sum, err := s.Scan(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, sum.Schema)
	}
	if got[0] != got[2] || got[1] != got[3] || got[0] == got[1] {
		t.Errorf("schemas are %p", got)
	}
	var names []string
	for _, e := range got[0].Elements {
		names = append(names, e.Name)
	}
	if want := "schema a b list element"; strings.Join(names, " ") != want {
		t.Errorf("elements %q, want %q", names, want)
	}
}

func TestOpen(t *testing.T) {
	data := made(t, "a: int, b: struct<c: decimal(20,2), d: timestamp>")
	f, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := f.Lookup("k"); !ok || v != "v" {
		t.Errorf("key k is %q", v)
	}
	if f.Encrypted() || !strings.HasPrefix(f.CreatedBy(), "landfall") || len(f.Groups) != 0 {
		t.Errorf("found %q, %d groups", f.CreatedBy(), len(f.Groups))
	}
	root, err := f.Root()
	if err != nil || root.NumFields() != 2 {
		t.Errorf("root %v: %v", root, err)
	}
}

func TestBadFooters(t *testing.T) {
	good := made(t, "a: int")
	long := bytes.Clone(good)
	binary.LittleEndian.PutUint32(long[len(long)-8:], uint32(len(long)))
	for name, data := range map[string][]byte{
		"empty":     nil,
		"short":     []byte("PAR1PAR1"),
		"cut":       good[:len(good)-1],
		"encrypted": append(bytes.Clone(good[:len(good)-4]), "PARE"...),
		"length":    long,
		"zeros":     append(append([]byte("PAR1"), make([]byte, 20)...), "\x10\x00\x00\x00PAR1"...),
		"no magic":  append([]byte("JUNK"), good[4:]...),
	} {
		var d *diag.Diagnostic
		if _, err := Open(bytes.NewReader(data), int64(len(data))); !errors.As(err, &d) || d.Code != diag.FileUnreadable {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := new(Scanner).Scan(bytes.NewReader(data), int64(len(data))); name != "no magic" && !errors.As(err, &d) {
			t.Errorf("%s: scan says %v", name, err)
		}
	}
}

var errDisk = errors.New("disk on fire")

type burning struct{ io.ReaderAt }

func (burning) ReadAt([]byte, int64) (int, error) { return 0, errDisk }

func TestReaderFails(t *testing.T) {
	var d *diag.Diagnostic
	if _, err := Open(burning{}, 100); !errors.Is(err, errDisk) || errors.As(err, &d) {
		t.Errorf("found %v", err)
	}
}

// A footer longer than what is read at first is read in two goes.
func TestLongFooter(t *testing.T) {
	ddl := make([]string, 3000)
	for i := range ddl {
		ddl[i] = strings.Repeat("x", 20) + string(rune('a'+i%26)) + strings.Repeat("y", i/26) + ": int"
	}
	data := made(t, strings.Join(ddl, ", "))
	if len(data) < 2*tailBytes {
		t.Fatalf("only %d bytes", len(data))
	}
	var s Scanner
	for range 2 {
		sum, err := s.Scan(bytes.NewReader(data), int64(len(data)))
		if err != nil || len(sum.Schema.Elements) != 3001 {
			t.Errorf("%v", err)
		}
	}
	if f, err := Open(bytes.NewReader(data), int64(len(data))); err != nil || len(f.Elements) != 3001 {
		t.Errorf("%v", err)
	}
}
