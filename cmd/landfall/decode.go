package main

import (
	"context"
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/discovery"
	"landfall/internal/format"
	"landfall/internal/format/csv"
	"landfall/internal/format/json"
	"landfall/internal/format/parquet"
	"landfall/internal/intake"
	"landfall/internal/land"
	"landfall/internal/project"
)

// formats are those that can be landed.
func formats() []string { return []string{"csv", "json", "parquet"} }

// chooseFormat settles the format of the files: as given, as on record, or as
// most names in the folder say.
func (f feed) chooseFormat(ctx context.Context, s *land.Source) (err error) {
	s.Format = f.options.Format
	if s.Format == "" {
		ids, err := s.State.Identities(ctx)
		if err != nil {
			return err
		}
		if len(ids) > 0 {
			s.Format = ids[len(ids)-1].FileFormat
		} else if s.Format, err = discovery.ChooseFormat(ctx, s.Files, s.Select); err != nil {
			return err
		}
		s.Select.Takes = takes(s.Format)
	}
	if _, err := s.Files.Stat(ctx, "_delta_log/00000000000000000000.json"); err == nil {
		return diag.New(diag.Usage, "the source is a Delta table").In(diag.Place{File: s.Files.URL("")}).
			Hinted("the order is FOLDER TABLE; a table is read with: landfall query --table")
	}
	if s.Format == "" { // no file tells one yet
		return nil
	}
	if !slices.Contains(formats(), s.Format) {
		return diag.New(diag.NoFormat, "the files are %s, and only csv, json and parquet can be landed yet", s.Format).
			In(diag.Place{File: s.Files.URL("")}).
			Hinted("if they are delimited text or JSON, say so: --format csv or --format json")
	}
	s.Tree, s.Typed, s.Notes = s.Format == "json", s.Format == "parquet", f.options.NotesOf(s.Format)
	s.Decode, err = decoder(f.options, s.Format)
	return err
}

// takes selects files by what their names tell of their format.
func takes(want string) func(string) (bool, string) {
	return func(name string) (bool, string) {
		switch found := format.ByName(name); found {
		case want:
			return true, ""
		case "":
			return false, format.Unnamed(name)
		default:
			return false, "it is " + found + ", this source lands " + want
		}
	}
}

func selection(o project.Options) discovery.Selection {
	return discovery.Selection{Match: o.Match, Flat: o.Flat, After: o.After, Before: o.Before, NewOnly: o.NewOnly}
}

// checkDecoder tells what is wrong with the decoder's options, which may be
// known before the format is.
func checkDecoder(o project.Options) error {
	if o.Format != "" {
		_, err := decoder(o, o.Format)
		return err
	}
	var first error
	for _, format := range formats() {
		_, err := decoder(o, format)
		if err == nil {
			return nil
		}
		// An option of the other format says less than a value that is wrong.
		if first == nil || diag.CodeOf(first) == diag.OptionRefused {
			first = err
		}
	}
	return first
}

// decoder returns the decoder of a format with the source's settings, which it
// tries on an empty file.
func decoder(o project.Options, format string) (intake.Decoder, error) {
	settings, err := o.DecoderOf(format)
	if err != nil {
		return nil, err
	}
	var decode func([]project.Setting) (intake.Decoder, error)
	switch format {
	case "parquet":
		return parquetDecoder(o, settings)
	case "json":
		decode = jsonDecoder
	default:
		decode = csvDecoder
	}
	d, err := decode(settings)
	if err != nil {
		return nil, err
	}
	if _, err := d(context.Background(), "", strings.NewReader("")); diag.CodeOf(err) == diag.BadOption {
		return nil, err
	}
	return d, nil
}

func csvDecoder(settings []project.Setting) (intake.Decoder, error) {
	var o csv.Options
	if err := apply(settings, o.Set); err != nil {
		return nil, err
	}
	return func(ctx context.Context, name string, in intake.Input) (format.Reader, error) {
		return csv.Open(ctx, name, in, o)
	}, nil
}

func jsonDecoder(settings []project.Setting) (intake.Decoder, error) {
	o := json.Options{Pool: new(json.Pool)}
	if err := apply(settings, o.Set); err != nil {
		return nil, err
	}
	return func(ctx context.Context, name string, in intake.Input) (format.Reader, error) {
		return json.Open(ctx, name, in, o)
	}, nil
}

// apply hands settings to a decoder.
func apply(settings []project.Setting, set func(key, value string) (known bool, err error)) error {
	for _, s := range settings {
		known, err := set(s.Name, s.Value.Text)
		if err != nil {
			return s.Value.Locate(err)
		}
		if !known {
			return s.Value.Locate(diag.New(diag.OptionRefused, "%s is no option of the files' format", s.Name).Hinted("leave it out"))
		}
	}
	return nil
}

func parquetDecoder(of project.Options, settings []project.Setting) (intake.Decoder, error) {
	var o parquet.Options
	if err := apply(settings, o.Set); err != nil {
		return nil, err
	}
	if of.Forms != nil {
		o.Zone = of.Forms.Zone
	}
	return func(_ context.Context, name string, in intake.Input) (format.Reader, error) {
		return parquet.Open(name, in, in.Size(), o)
	}, nil
}
