package repair

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/discovery"
	"landfall/internal/store"
)

// The files of a proof. Those of the newest are beside the proofs, too, for people.
const (
	listFile = "manifest.json"
	jsonFile = "repair-report.json"
	htmlFile = "repair-report.html"
)

// proof is a manifest and what was found when it was held against the files.
type proof struct {
	*manifest
	report *Report
}

// keep writes a proof down, which nothing changes afterwards: two processes may have one
// each. What comes last says that it is whole.
func (p *proof) keep(ctx context.Context, records store.Store) error {
	list, err := json.Marshal(p.manifest)
	if err != nil {
		return err
	}
	at := proofs + p.ID + "/"
	if err := records.Create(ctx, at+listFile, list); err != nil {
		return fmt.Errorf("write %s: %w", records.URL(at+listFile), err)
	}
	text, err := p.report.text()
	if err != nil {
		return err
	}
	if err := records.Create(ctx, at+jsonFile, text); err != nil {
		return fmt.Errorf("write %s: %w", records.URL(at+jsonFile), err)
	}
	return nil
}

func (r *Report) text() ([]byte, error) {
	text, err := json.MarshalIndent(r, "", "  ")
	return append(text, '\n'), err
}

// show puts a report where people look for it.
func (j *Job) show(ctx context.Context, r *Report) error {
	text, err := r.text()
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := r.Page(&page); err != nil {
		return err
	}
	if err := j.Place.Records().Replace(ctx, htmlFile, page.Bytes()); err != nil {
		return j.fault(err)
	}
	return j.fault(j.Place.Records().Replace(ctx, jsonFile, text))
}

// readProof reads a proof; the error may be store.ErrNotExist.
func readProof(ctx context.Context, records store.Store, id string) (*proof, error) {
	p := &proof{&manifest{}, &Report{}}
	if err := readRecord(ctx, records, proofs+id+"/"+jsonFile, p.report); err != nil {
		return nil, err
	}
	return p, readRecord(ctx, records, proofs+id+"/"+listFile, p.manifest)
}

// proofIn returns the proof that a copy in a folder is whole, nil if there is none.
func proofIn(ctx context.Context, records, home store.Store) (*proof, error) {
	for info, err := range records.List(ctx, proofs, "") {
		if err != nil {
			return nil, err
		}
		if path.Base(info.Key) != jsonFile {
			continue
		}
		p, err := readProof(ctx, records, path.Base(path.Dir(info.Key)))
		if err != nil {
			return nil, err
		}
		if !p.report.Reconciled {
			continue
		}
		if whole, err := p.in(ctx, home); err != nil || whole {
			return p, err
		}
	}
	return nil, nil //nolint:nilnil // none is
}

// in tells whether all files of the copy are in a folder.
func (m *manifest) in(ctx context.Context, home store.Store) (bool, error) {
	missing := map[string]int64{}
	for _, f := range m.Files {
		missing[f.Path] = f.Size
	}
	for info, err := range home.List(ctx, "", "") {
		if err != nil {
			return false, err
		}
		if size, ok := missing[info.Key]; ok && size == info.Size {
			delete(missing, info.Key)
		}
	}
	return len(missing) == 0, nil
}

// publish makes a copy visible that was proven.
func (j *Job) publish(ctx context.Context, p *plan, m *manifest) error {
	if err := m.strip(ctx, j.stage(p)); err != nil {
		return j.fault(err)
	}
	err := j.Place.Publish(ctx, p.stage())
	if errors.Is(err, store.ErrExist) {
		return j.taken()
	}
	if err != nil {
		return j.fault(err)
	}
	strange, err := m.strange(ctx, j.Place.Out())
	if err == nil && len(strange) > 0 {
		err = diag.New(diag.CopyDiffers, "found %d files in the copy that somebody wrote while it was published, such as %s", len(strange), diag.Quote(strange[0])).
			In(diag.Place{File: j.Place.Out().URL("")}).Hinted("remove the folder and make the copy again, with one process at a time")
	}
	return err
}

// strip deletes from the stage what is no part of the copy: files that attempts left
// behind, and of a folder of Parquet files the log and the memory of the landing.
func (m *manifest) strip(ctx context.Context, stage store.Store) error {
	own := map[string]bool{}
	for _, f := range m.Files {
		own[f.Path] = true
	}
	var gone []string
	for info, err := range stage.List(ctx, "", "") {
		if err != nil {
			return err
		}
		landed := strings.HasPrefix(info.Key, landedFolder+"/")
		if own[info.Key] || m.Form == Delta && discovery.Hidden(info.Key) && !landed {
			continue
		}
		gone = append(gone, info.Key)
	}
	for _, key := range gone {
		if err := stage.Delete(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// published returns the report of the copy if it is there already, nil if nothing is.
// Anything else in its place is refused.
func (j *Job) published(ctx context.Context, p *plan) (*Report, error) {
	taken := false
	for _, err := range j.Place.Out().List(ctx, "", "") {
		if taken = err == nil; err != nil {
			return nil, err
		}
		break
	}
	if !taken {
		return nil, nil //nolint:nilnil // nothing is there
	}
	found, err := proofIn(ctx, j.Place.Records(), j.Place.Out())
	if err != nil {
		return nil, err
	}
	if found == nil || found.Plan != p.id {
		return nil, j.taken()
	}
	if err := j.show(ctx, found.report); err != nil {
		return nil, err
	}
	r := *found.report
	r.Again = true
	r.Since, r.Strange, err = found.standing(ctx, j.Files, j.Place.Out())
	return &r, err
}

func (j *Job) taken() error {
	return diag.New(diag.Usage, "--to: there is something in this folder that is not this copy, want one that is empty or absent").
		In(diag.Place{File: j.Place.Out().URL("")}).Hinted("name another folder; a copy never takes the place of files")
}
