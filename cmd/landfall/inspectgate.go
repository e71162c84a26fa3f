package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"landfall/internal/alert"
	"landfall/internal/diag"
	"landfall/internal/inspect"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/store/local"
)

// gateLast is what the gate is called that remembers what passed.
const gateLast = "last"

// gatesFolder is where such gates are kept, in the project's folder or else in the
// one that the command runs in.
const gatesFolder = ".landfall/gates"

// gate is what an inspection is held against. The zero value lets all pass.
type gate struct {
	// name says what it is; "" for none.
	name string
	held *inspect.Gate
	// file is where what passes is kept, "" for nowhere.
	file   string
	accept bool
}

// openGate reads the gate of the flags.
func (a *app) openGate(f inspectFlags, files store.Store) (gate, error) {
	switch f.gate {
	case "":
		return gate{}, nil
	case gateLast:
		return a.lastGate(f, files)
	}
	const hint = "write one: landfall inspect FOLDER --json > FILE; or keep it by itself: --gate last"
	data, err := os.ReadFile(f.gate)
	if err != nil {
		return gate{}, diag.New(diag.Usage, "--gate: %v", err).Hinted(hint).Because(err)
	}
	held, err := inspect.ParseGate(f.gate, data)
	return gate{name: f.gate, held: &held}, err
}

// lastGate reads what passed last; there need be nothing yet.
func (a *app) lastGate(f inspectFlags, files store.Store) (gate, error) {
	g := gate{name: f.gateFile, file: f.gateFile, accept: f.accept}
	if g.file == "" {
		home := "."
		if project, err := a.findProject(); err == nil {
			home = filepath.Dir(project)
		}
		at := files.URL("")
		sum := sha256.Sum256([]byte(strings.TrimSuffix(at, "/")))
		g.file = filepath.Join(home, filepath.FromSlash(gatesFolder), schema.CleanName(baseName(at))+"-"+hex.EncodeToString(sum[:4])+".json")
		g.name = g.file
	}
	if below, inside := within(files.URL(""), fileURL(g.file)); inside && !inspect.Hidden(below) {
		return g, diag.New(diag.Usage, "the gate's file would lie among the files of the folder").In(diag.Place{File: g.file}).
			Hinted("keep it elsewhere: --gate-file FILE")
	}
	data, err := os.ReadFile(g.file)
	if errors.Is(err, fs.ErrNotExist) {
		return g, nil
	}
	if err != nil {
		return g, diag.New(diag.Usage, "the gate cannot be read: %v", err).Hinted("let it be read, or keep another: --gate-file FILE").Because(err)
	}
	held, err := inspect.ParseGate(g.file, data)
	if err == nil && !held.Report() {
		err = diag.New(diag.Usage, "found a table definition, want what an inspection kept").In(diag.Place{File: g.file}).
			Hinted("hold the folder against it: --gate %s", g.file)
	}
	g.held = &held
	return g, err
}

// hold lets the report keep what the gate says.
func (g gate) hold(r *inspect.Report) {
	switch {
	case g.name == "":
		return
	case g.held == nil:
		r.Gate = &inspect.Verdict{Against: g.name, Outcome: inspect.GateFirst, Offences: []inspect.Offence{}}
		return
	}
	r.Gate = r.Hold(*g.held)
	if g.accept && r.Gate.Outcome == inspect.GateClosed {
		r.Gate.Outcome = inspect.GateAccepted
	}
}

// inspectTold inspects a folder, and under --alert tells of what does not pass.
func (a *app) inspectTold(ctx context.Context, folder string, f inspectFlags) error {
	if !f.alert {
		_, err := a.inspect(ctx, folder, f)
		return err
	}
	told, err := a.alerting()
	if err != nil {
		return err
	}
	r, err := a.inspect(ctx, folder, f)
	again := "landfall inspect " + quoted(folder) + " --gate " + quoted(f.gate)
	messages := closed(r, folder, again)
	if len(messages) == 0 {
		messages = failures(err, folder, "", again)
	}
	told.outcome(ctx, folder, messages...)
	return err
}

// closed are the messages of a gate that does not let a folder pass: one for each
// thing that it does not.
func closed(r *inspect.Report, folder, again string) []alert.Message {
	if r == nil || r.Gate == nil || r.Gate.Outcome != inspect.GateClosed {
		return nil
	}
	var out []alert.Message
	for _, o := range r.Gate.Offences {
		m := alert.Message{
			Kind: alert.GateFailed, Source: folder, What: string(o.Code), Column: o.Column, File: o.Files[0], MoreFiles: len(o.Files) - 1,
			Wanted: o.Want, Reason: o.Message, Count: int64(len(o.Files)), Decision: "the gate stays closed",
			Command: again + " --quarantine FOLDER puts the files aside",
		}
		m.ID = alert.ID(m.Kind, folder, m.What, m.Column, m.File, o.Message)
		out = append(out, m)
	}
	return out
}

// offences are what the files to put aside are to blame for: without a gate, that
// nobody can read them.
func (g gate) offences(r *inspect.Report) []inspect.Offence {
	if r.Gate == nil {
		return r.Broken()
	}
	return r.Gate.Offences
}

// settle keeps what passed, and is the error of a gate that is closed.
func (g gate) settle(ctx context.Context, r *inspect.Report, now time.Time) error {
	if r.Gate == nil {
		return nil
	}
	if err := r.Gate.Err(); err != nil || g.file == "" {
		return err
	}
	data, err := r.Record(now)
	if err != nil {
		return err
	}
	if err = os.MkdirAll(filepath.Dir(g.file), 0o777); err == nil { //nolint:gosec // the umask decides, as for all that is kept
		err = writeWhole(ctx, g.file, data)
	}
	if err != nil {
		return diag.New(diag.NoPermission, "what passed cannot be kept: %v", err).In(diag.Place{File: g.file}).
			Hinted("keep it where it can be written: --gate-file FILE").Because(err)
	}
	return nil
}

// quarantined is where files are put aside, nil for nowhere. A place that readers of
// the folder would look into is refused.
func (f inspectFlags) quarantined(files store.Store) (*inspect.Quarantine, error) {
	if f.quarantine == "" {
		return nil, nil
	}
	to, err := openStore(f.quarantine)
	if err != nil {
		return nil, err
	}
	refuse := func(what string) error {
		return diag.New(diag.Usage, "--quarantine: %s", what).In(diag.Place{File: to.URL("")}).
			Hinted("name a folder beside that of the files, or one below it that readers pass over, such as _quarantine")
	}
	if below, inside := within(files.URL(""), to.URL("")); inside && (below == "" || !inspect.Hidden(below)) {
		return nil, refuse("readers of the folder would find the files there")
	}
	if below, inside := within(to.URL(""), files.URL("")); inside {
		return nil, refuse("the files stand in a folder of it, " + diag.Quote(below))
	}
	return &inspect.Quarantine{From: files, To: to, Keep: f.stays(files)}, nil
}

// stays tells files that quarantine leaves where they are: all, or those that a link
// leads to outside of the folder, where they are somebody else's.
func (f inspectFlags) stays(files store.Store) func(path string) bool {
	return func(file string) bool {
		if f.copy {
			return true
		}
		_, inside := within(files.URL(""), files.URL(path.Dir(file)))
		return !inside
	}
}

// fileURL is the address of a file of this machine.
func fileURL(file string) string {
	if abs, err := filepath.Abs(file); err == nil {
		file = abs
	}
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(file)}).String()
}

// writeWhole sets the content of a file whose folder is there, in one step: who
// reads it meanwhile has the old or the new one. What is no plain file, as a
// terminal, is written to.
func writeWhole(ctx context.Context, file string, data []byte) error {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
	}
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(file, data, 0o644) //nolint:gosec // it is there
	}
	dir := filepath.Dir(file)
	if _, err := os.Stat(dir); err != nil {
		return err
	}
	s, err := local.Open(dir)
	if err != nil {
		return err
	}
	return s.Replace(ctx, filepath.Base(file), data)
}
