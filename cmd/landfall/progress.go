package main

import (
	"fmt"
	"strings"

	"landfall/internal/engine"
	"landfall/internal/intake"
	"landfall/internal/report"
)

// bar shows how far a batch is, on a terminal only.
type bar struct {
	a    *app
	name string
	// drawn says that there is a bar to wipe.
	drawn bool
}

// progress returns the bar of a source. It prints nothing when standard error
// is no terminal, or people asked for JSON or quiet.
func (a *app) progress(name string) *bar { return &bar{a: a, name: name} }

func (b *bar) shown() bool { return !b.a.json && !b.a.quiet && terminal(b.a.stderr) }

func (b *bar) update(p intake.Progress) {
	if !b.shown() {
		return
	}
	const width = 24
	filled := width
	if p.Bytes > 0 {
		filled = int(p.BytesDone * width / p.Bytes)
	}
	line := fmt.Sprintf("%s  %s%s  %d/%d  %s", b.name, strings.Repeat("━", filled), strings.Repeat("╌", width-filled), p.FilesDone, p.Files, report.Bytes(p.BytesDone))
	b.drawn = true
	b.a.tell("\r" + line + "\x1b[K")
}

// engine shows how far a stage of a flow is, by the rows of its sources.
func (b *bar) engine(p engine.Progress) {
	if !b.shown() || p.Percent < 0 {
		return
	}
	const width = 24
	filled := min(int(p.Percent*width/100), width)
	b.drawn = true
	b.a.tell(fmt.Sprintf("\r%s  %s%s  %.0f %%\x1b[K", p.Step, strings.Repeat("━", filled), strings.Repeat("╌", width-filled), p.Percent))
}

func (b *bar) done() {
	if b.drawn {
		b.a.tell("\r\x1b[K")
	}
}

// files returns what shows how far another step is, by its files.
func (b *bar) files(name string) func(files, done int) {
	return func(files, done int) {
		b.name = name
		b.update(intake.Progress{Files: files, FilesDone: done, Bytes: int64(files), BytesDone: int64(done)})
	}
}
