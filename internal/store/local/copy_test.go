package local

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

// An object is copied from file to file into an upload, and what was copied can be
// read as ever.
func TestCopyWithin(t *testing.T) {
	ctx := t.Context()
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("text of a file", 10_000)
	if err := s.Create(ctx, "from", []byte(text)); err != nil {
		t.Fatal(err)
	}
	o, err := s.Open(ctx, "from")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = o.Close() }()
	from, ok := o.(interface{ File() *os.File })
	if !ok {
		t.Fatal("an object has no file")
	}
	up, err := s.Upload(ctx, "to")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := from.File().Seek(5, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(up, io.LimitReader(from.File(), 100_000)); n != 100_000 || err != nil {
		t.Fatalf("copied %d: %v", n, err)
	}
	if _, err := up.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(up, strings.NewReader("more")); err == nil {
		t.Error("an upload that has ended takes more")
	}
	to, err := s.Open(ctx, "to")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = to.Close() }()
	got := make([]byte, 100_001)
	if n, err := to.ReadAt(got, 0); n != 100_000 || !errors.Is(err, io.EOF) || string(got[:n]) != text[5:100_005] {
		t.Errorf("read %d: %v", n, err)
	}
}
