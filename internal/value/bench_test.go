package value_test

import (
	"strings"
	"testing"

	"landfall/internal/value"
)

// texts are values of every kind, by what is slow about them.
func texts() map[string]string {
	return map[string]string{
		"integer":       "1234567",
		"zero":          "0",
		"long":          "9007199254740993",
		"big":           strings.Repeat("7", 38),
		"huge":          strings.Repeat("7", 10_000),
		"decimal":       "166.47135",
		"decimal17":     "0.30000000000000004",
		"float":         "1.5E-7",
		"boolean":       "true",
		"date":          "2026-11-30",
		"timestamp":     "2026-11-30T10:00:00.123456+02:00",
		"local":         "2026-11-30 10:00:00",
		"code":          "02134",
		"null-like":     "N/A",
		"word":          "Namibia",
		"sentence":      "a longer text, as comments have: several words and more than 32 bytes",
		"almost number": "12 Main Street",
	}
}

func BenchmarkText(b *testing.B) {
	f := new(value.Forms)
	for name, text := range texts() {
		data := []byte(text)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				f.Text(data)
			}
		})
	}
}

func BenchmarkConvert(b *testing.B) {
	f := new(value.Forms)
	berlin := &value.Forms{Zone: zone(b, "Europe/Berlin")}
	form, err := value.CompilePattern("dd.MM.yyyy HH:mm[:ss]")
	if err != nil {
		b.Fatal(err)
	}
	formed := &value.Forms{Timestamp: form}
	for name, convert := range map[string]func(){
		"Long":             func() { f.Long([]byte("1234567")) },
		"Decimal(12,2)":    func() { f.Decimal([]byte("1234567.89"), 12, 2) },
		"Decimal(38,10)":   func() { f.Decimal([]byte("12345678901234567890.12345"), 38, 10) },
		"Double 7 digits":  func() { f.Double([]byte("1234.567")) },
		"Double 17 digits": func() { f.Double([]byte("0.30000000000000004")) },
		"Day":              func() { f.Day([]byte("2026-11-30")) },
		"Instant":          func() { f.Instant([]byte("2026-11-30T10:00:00Z")) },
		"Instant in Berlin": func() {
			berlin.Instant([]byte("2026-11-30T10:00:00"))
		},
		"Instant of a form": func() { formed.Instant([]byte("30.11.2026 10:00:00")) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				convert()
			}
		})
	}
}

func TestNothingIsAllocated(t *testing.T) {
	date, err := value.CompilePattern("d MMMM yyyy")
	if err != nil {
		t.Fatal(err)
	}
	timestamp, err := value.CompilePattern("dd/MM/yyyy[ hh:mm a][ XXX]")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*value.Forms{
		{},
		{Zone: zone(t, "Europe/Berlin"), NaN: "nan", PositiveInf: strings.Repeat("∞", 20)},
		{Date: date, Timestamp: timestamp, TimestampNTZ: timestamp},
	} {
		list := texts()
		list["form of dates"] = "30 November 2026"
		list["form of timestamps"] = "30/11/2026 10:00 PM +01:00"
		for name, text := range list {
			data := []byte(text)
			if n := testing.AllocsPerRun(10, func() {
				f.Text(data)
				f.Number(data)
				f.Long(data)
				f.Decimal(data, 38, 10)
				f.Double(data)
				f.Float(data)
				f.NumberDouble(data)
				f.Boolean(data)
				f.Day(data)
				f.Instant(data)
				f.Wall(data)
			}); n > 0 {
				t.Errorf("%s: %v allocations", name, n)
			}
		}
	}
}
