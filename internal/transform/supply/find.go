package supply

import (
	"context"
	"path"
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/flow/dataset"
	"landfall/internal/inspect"
	"landfall/internal/store"
)

// find lists the files of a source. Those whose name, or a folder's, begins with "." or
// "_" are none, as for the service.
func find(ctx context.Context, st store.Store, s dataset.Source, o Options) ([]File, error) {
	if s.FileList && o.Only == "" {
		lines, err := listed(ctx, st, s)
		if err != nil {
			return nil, err
		}
		s.Wildcards = lines
	}
	patterns, err := patterns(s, o)
	if err != nil {
		return nil, err
	}
	var files []File
	near := map[string]bool{}
	for _, prefix := range prefixes(patterns) {
		for info, err := range st.List(ctx, prefix, "") {
			if err != nil {
				return nil, err
			}
			if inspect.Hidden(info.Key) {
				continue
			}
			near[info.Key] = true
			if matches(patterns, info.Key) && within(s, info) {
				files = append(files, File{Path: info.Key, Size: info.Size, Modified: info.ModTime, Rows: -1, version: info.Version})
			}
		}
	}
	files = slices.CompactFunc(sorted(files), func(a, b File) bool { return a.Path == b.Path })
	if len(files) > 0 || s.NoneOK {
		return files, nil
	}
	return nil, nothing(st, s, patterns, near)
}

// nothing says that no file was found, and what is there instead.
func nothing(st store.Store, s dataset.Source, patterns []pattern, near map[string]bool) error {
	var texts, there []string
	for _, p := range patterns {
		texts = append(texts, diag.Quote(p.text))
	}
	for key := range near {
		there = append(there, key)
	}
	slices.Sort(there)
	d := diag.New(diag.FlowInput, "source %s: found no file for %s in %s (DF-Executor-InvalidPath)", s.Name, strings.Join(texts, ", "), st.URL("")).In(s.At)
	switch {
	case len(there) > 0:
		return d.Hinted("there is %s; correct the path, or allow no files: ignoreNoFilesFound: true", diag.Quote(there[0]))
	case s.NoneOK:
		return d
	}
	return d.Hinted("name the folder that stands for the container: --source %s=FOLDER", s.Name)
}

// within tells whether a file was changed in the time that the source asks for.
func within(s dataset.Source, info store.Info) bool {
	if !s.After.IsZero() && info.ModTime.Before(s.After) {
		return false
	}
	return s.Before.IsZero() || info.ModTime.Before(s.Before)
}

// patterns are what paths of files have to match one of.
func patterns(s dataset.Source, o Options) ([]pattern, error) {
	texts := s.Wildcards
	switch {
	case o.Only != "":
		texts = []string{o.Only}
	case len(texts) > 0:
	case s.File != "":
		return []pattern{literal(path.Join(s.Folder, s.File))}, nil
	case s.Folder != "":
		return []pattern{below(s.Folder)}, nil
	default:
		texts = []string{"**"}
	}
	var out []pattern
	for _, text := range texts {
		p, err := compile(strings.Trim(text, "/"))
		if err != nil {
			return nil, diag.New(diag.FlowInput, "source %s: found the pattern %s: %v", s.Name, diag.Quote(text), err).In(s.At).
				Hinted("patterns are * and ? within a name, ** over folders, [abc], {a,b}")
		}
		out = append(out, p)
	}
	return out, nil
}

// listed reads the text that lists the files of a source: a path or a pattern a line.
func listed(ctx context.Context, st store.Store, s dataset.Source) ([]string, error) {
	s.FileList = false
	lists, err := find(ctx, st, s, Options{})
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, f := range lists {
		data, err := store.Read(ctx, st, f.Path)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(data)) {
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
	}
	if len(lines) == 0 {
		return nil, diag.New(diag.FlowInput, "source %s: the list of files is empty", s.Name).In(s.At).Hinted("write a path below the container on each line")
	}
	return lines, nil
}
