package intake

import "sync"

// Progress is how far the current batch is.
type Progress struct {
	Source           string
	Batch            int64
	Files, FilesDone int
	Bytes, BytesDone int64
}

// progress tells Env.Progress about finished objects.
type progress struct {
	a   *Intake
	mu  sync.Mutex
	now Progress
}

func (a *Intake) newProgress() *progress {
	p := &progress{a: a, now: Progress{Source: a.src.Title, Batch: a.in.Batch, Files: len(a.in.Objects)}}
	for _, o := range a.in.Objects {
		p.now.Bytes += o.Size
	}
	return p
}

// more adds objects that are read again.
func (p *progress) more(objects []int) {
	p.now.Files += len(objects)
	for _, i := range objects {
		p.now.Bytes += p.a.in.Objects[i].Size
	}
}

func (p *progress) done(i int) {
	if p.a.src.Progress == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now.FilesDone++
	p.now.BytesDone += p.a.in.Objects[i].Size
	p.a.src.Progress(p.now)
}
