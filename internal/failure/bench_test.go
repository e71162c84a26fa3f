package failure_test

import (
	"io"
	"runtime"
	"strings"
	"testing"
)

// Lines of a driver's log: most say nothing.
const (
	quiet = "26/11/02 06:14:07 INFO FileScanRDD: Reading File path: abfss://landing@acct.dfs.core.windows.net/orders/part-00012.parquet, range: 0-4194304, partition values: [20260]\n"
	loud  = "java.lang.RuntimeException: file:/data/a/part-00012.parquet is not a Parquet file. Expected magic number at tail, but found [49, 44, 50, 10]\n"
)

// endless repeats a text.
type endless struct {
	text string
	at   int
}

// Read fills the buffer.
func (e *endless) Read(p []byte) (n int, err error) {
	for n < len(p) {
		k := copy(p[n:], e.text[e.at:])
		n, e.at = n+k, (e.at+k)%len(e.text)
	}
	return n, nil
}

func driverLog(size int64) io.Reader {
	return io.LimitReader(&endless{text: strings.Repeat(quiet, 9_999) + loud}, size)
}

// TestMemory: what is held of a log does not grow with it.
func TestMemory(t *testing.T) {
	c := load(t)
	held := func(size int64) uint64 {
		var most uint64
		watched := reading{Reader: driverLog(size), look: func() {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}}
		if _, err := c.Scan(&watched); err != nil {
			t.Fatal(err)
		}
		return most
	}
	held(1 << 20)
	small, large := held(4<<20), held(40<<20)
	if large > small+2<<20 {
		t.Errorf("found %d bytes held of 40 MiB and %d of 4 MiB", large, small)
	}
}

// reading calls a function with every 16th piece that is read.
type reading struct {
	io.Reader
	look   func()
	pieces int
}

// Read passes on.
func (r *reading) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if r.pieces++; r.pieces%16 == 0 {
		r.look()
	}
	return n, err
}

// BenchmarkScan searches a log of 16 MiB.
func BenchmarkScan(b *testing.B) {
	c, size := load(b), int64(16<<20)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Scan(driverLog(size)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLoad reads the catalogue, as each run does.
func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		load(b)
	}
}
