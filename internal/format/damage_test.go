package format

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"landfall/internal/diag"
)

// TestEveryFlippedBit: of data with one bit wrong either the text is right, or
// what came before the error is, or the error says that nothing holds.
func TestEveryFlippedBit(t *testing.T) {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "%d,%x,name %d\n", i, i*7919, i%7)
	}
	texts := map[string]string{"bzip2": "a,b\n1,2\n"}
	all := compressed(t, b.String())
	bz, err := hex.DecodeString(bzipped)
	if err != nil {
		t.Fatal(err)
	}
	all["bzip2"] = bz
	for name, z := range all {
		text := texts[name]
		if text == "" {
			text = b.String()
		}
		damaged := 0
		for i := 10 * 8; i < len(z)*8; i++ { // behind what tells the compression
			bad := bytes.Clone(z)
			bad[i/8] ^= 1 << (i % 8)
			got, _, err := readText(t, bytes.NewReader(bad), "UTF-8")
			switch code := diag.CodeOf(err); {
			case code == diag.FileCorrupt:
				damaged++
			case err != nil && code != diag.FileUnreadable:
				t.Errorf("%s, bit %d: %v", name, i, err)
			case !strings.HasPrefix(text, got) || err == nil && got != text:
				t.Errorf("%s, bit %d: got %d bytes that are not the text's %d, %v", name, i, len(got), len(text), err)
			}
		}
		if damaged < len(z)*8/2 {
			t.Errorf("%s: %d of %d wrong bits are called damage", name, damaged, len(z)*8)
		}
	}
}

// TestEveryCut: data that merely ends early is right as far as it goes.
func TestEveryCut(t *testing.T) {
	text := strings.Repeat("0123456789abcdef\n", 40) + "end"
	all := compressed(t, text)
	bz, err := hex.DecodeString(bzipped)
	if err != nil {
		t.Fatal(err)
	}
	all["bzip2"] = bz
	for name, z := range all {
		for n := 10; n < len(z); n++ {
			got, _, err := readText(t, bytes.NewReader(z[:n]), "UTF-8")
			if code := diag.CodeOf(err); code != diag.FileUnreadable && (name != "snappy" || err != nil) {
				t.Errorf("%s cut at %d: got %v, want %s", name, n, err, diag.FileUnreadable)
			}
			want := text
			if name == "bzip2" {
				want = "a,b\n1,2\n"
			}
			if !strings.HasPrefix(want, got) {
				t.Errorf("%s cut at %d: got %q", name, n, got)
			}
		}
	}
}

// TestZeroFilled: data whose end is zeros is damaged. Decoders make text of the
// zeros, so none of it holds.
func TestZeroFilled(t *testing.T) {
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, "%d,%x,name %d\n", i, i*7919, i%7)
	}
	for name, z := range compressed(t, b.String()) {
		for n := 8; n < len(z)-64; n += len(z) / 40 {
			filled := append(bytes.Clone(z[:len(z)-n]), make([]byte, n)...)
			got, _, err := readText(t, bytes.NewReader(filled), "")
			if code := diag.CodeOf(err); code != diag.FileCorrupt && (code != diag.FileUnreadable || !strings.HasPrefix(b.String(), got)) {
				t.Errorf("%s, %d zeros: got %d bytes of text, %v", name, n, len(got), err)
			}
			if code := diag.CodeOf(err); name == "gzip" && code != diag.FileCorrupt {
				t.Errorf("gzip, %d zeros: got %v, want %s", n, err, diag.FileCorrupt)
			}
		}
	}
}

// TestBegun: a file of which only the first bytes came is no text if its name and
// they agree.
func TestBegun(t *testing.T) {
	for name, z := range map[string]string{
		"t.csv.gz": "\x1f\x8b\x08", "T.CSV.GZ": "\x1f\x8b", "t.zst": "\x28\xb5\x2f\xfd",
		"t.bz2": "BZh61AY&SY", "t.snappy": snappyMagic, "t.sz": snappyMagic,
	} {
		for n := 1; n < len(z); n++ {
			_, err := OpenText(name, strings.NewReader(z[:n]), "")
			if diag.CodeOf(err) != diag.FileUnreadable || !strings.Contains(err.Error(), " data ends early") {
				t.Errorf("%s of %d bytes: got %v, want %s", name, n, err, diag.FileUnreadable)
			}
		}
	}
	for name, text := range map[string]string{"t.csv": "\x1f", "t.gz": "BZ", "BZ": "BZ", "t.bz2": "a,b", "u.bz2": ""} {
		if _, err := OpenText(name, strings.NewReader(text), ""); err != nil {
			t.Errorf("%s: got %v, want text", name, err)
		}
	}
}

// TestBytesAfterMember: what follows whole gzip data does not make it wrong.
func TestBytesAfterMember(t *testing.T) {
	z := compressed(t, "a,b\n1,2\n")["gzip"]
	got, _, err := readText(t, strings.NewReader(string(z)+strings.Repeat("\x00", 512)), "")
	if got != "a,b\n1,2\n" || diag.CodeOf(err) != diag.FileUnreadable || !strings.Contains(err.Error(), "followed by other bytes") {
		t.Errorf("got %q, %v", got, err)
	}
}
