package datafile

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"landfall/internal/column"
	"landfall/internal/store"
)

// void is a store that keeps nothing, so that memory is the writer's alone.
type void struct{ store.Store }

type voidUpload struct{ n int64 }

func (void) Upload(context.Context, string) (store.Upload, error) { return &voidUpload{}, nil }

func (u *voidUpload) Write(p []byte) (int, error) { u.n += int64(len(p)); return len(p), nil }

func (u *voidUpload) Commit(context.Context) (store.Info, error) {
	return store.Info{Size: u.n, ModTime: time.Unix(0, 0)}, nil
}

func (u *voidUpload) Abort(context.Context) error { return nil }

// lines is a batch of hardly compressible text.
func lines(object, rows int, seed uint64) column.Batch {
	values := make([]string, rows)
	for i := range values {
		seed = seed*6364136223846793005 + 1442695040888963407
		values[i] = fmt.Sprintf("%016x %016x line of text", seed, seed*seed)
	}
	return batch(object, values...)
}

// BenchmarkPack lands 256 MiB of text, as 20,000 small objects and as one
// large; peak-MB is the heap that the program holds at its highest.
func BenchmarkPack(b *testing.B) {
	const text = 256 << 20
	for _, objects := range []int{20000, 1} {
		b.Run(fmt.Sprintf("objects=%d", objects), func(b *testing.B) {
			one := lines(0, max(text/20000/46, 1), 1)
			per := 20000 / objects
			b.SetBytes(text)
			b.ReportAllocs()
			var peak uint64
			files := 0
			for b.Loop() {
				o := Options{Name: func() string { return "f" }}
				w := NewWriter(void{}, table(), o)
				for object := range objects {
					w.Begin(object, 0)
					for range per {
						must(b, w.Write(b.Context(), one))
					}
					must(b, w.End(b.Context()))
					if object%500 == 0 {
						peak = max(peak, held())
					}
				}
				peak = max(peak, held())
				done := packed(b, NewPacker(void{}, table(), o), w)
				files = len(done)
			}
			b.ReportMetric(float64(files), "files")
			b.ReportMetric(float64(peak)/1e6, "peak-MB")
			b.ReportMetric(float64(one.Rows*20000)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

func held() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapSys - m.HeapReleased
}
