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

// find lists the files of a source. Those whose name, or that of a folder below the
// fixed beginning of a pattern, begins with "." or "_" are none, as for the service.
func find(ctx context.Context, st store.Store, s dataset.Source, o Options) ([]File, error) {
	if s.FileList && o.Only == "" {
		return listed(ctx, st, s)
	}
	patterns, err := patterns(s, o)
	if err != nil {
		return nil, err
	}
	var files []File
	there := sight{}
	for _, prefix := range prefixes(patterns) {
		for info, err := range st.List(ctx, prefix, "") {
			if err != nil {
				return nil, err
			}
			switch {
			case !matches(patterns, info.Key):
				there.other(info.Key)
			case !within(s, info):
				there.untimely = append(there.untimely, info.Key)
			default:
				files = append(files, File{Path: info.Key, Size: info.Size, Modified: info.ModTime, Rows: -1, version: info.Version})
			}
		}
	}
	files = slices.CompactFunc(sorted(files), func(a, b File) bool { return a.Path == b.Path })
	if len(files) > 0 || s.NoneOK {
		return files, nil
	}
	return nil, nothing(ctx, st, s, patterns, there)
}

// sight is what is there beside the files of a source.
type sight struct {
	// others match no pattern; not all of them if they are many.
	others []string
	// untimely match one, and were changed at another time than is asked for.
	untimely []string
}

// other notes a file down.
func (s *sight) other(key string) {
	const enough = 10_000
	if len(s.others) < enough && !inspect.Hidden(key) {
		s.others = append(s.others, key)
	}
}

// nothing says that no file was found, and what is there instead.
func nothing(ctx context.Context, st store.Store, s dataset.Source, patterns []pattern, there sight) error {
	var texts []string
	for _, p := range patterns {
		texts = append(texts, diag.Quote(p.text))
	}
	d := diag.New(diag.FlowInput, "source %s: found no file for %s in %s (DF-Executor-InvalidPath)", s.Name, strings.Join(texts, ", "), st.URL("")).In(s.At)
	if len(there.untimely) > 0 {
		slices.Sort(there.untimely)
		return d.Hinted("%s was changed at another time: correct modifiedAfter or modifiedBefore", diag.Quote(there.untimely[0]))
	}
	if len(there.others) == 0 {
		for info, err := range st.List(ctx, "", "") {
			if err != nil {
				return err
			}
			there.other(info.Key)
		}
	}
	if len(there.others) == 0 {
		return d.Hinted("name the folder that stands for the container: --source %s=FOLDER", s.Name)
	}
	slices.Sort(there.others)
	near := diag.Nearest(patterns[0].text, there.others)
	if near == "" {
		near = there.others[0]
	}
	return d.Hinted("there is %s; correct the path, or allow no files: ignoreNoFilesFound: true", diag.Quote(near))
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

// listed finds the files that a text lists: a path or a pattern a line. Each line has to
// find one.
func listed(ctx context.Context, st store.Store, s dataset.Source) ([]File, error) {
	s.FileList = false
	lists, err := find(ctx, st, s, Options{})
	if err != nil {
		return nil, err
	}
	var files []File
	s.Wildcards = nil
	for _, f := range lists {
		data, err := store.Read(ctx, st, f.Path)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(strings.TrimPrefix(string(data), "\ufeff")) {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			s.Wildcards = []string{line}
			found, err := find(ctx, st, s, Options{})
			if err != nil {
				return nil, err
			}
			files = append(files, found...)
		}
	}
	if s.Wildcards == nil && !s.NoneOK {
		return nil, diag.New(diag.FlowInput, "source %s: the list of files is empty", s.Name).In(s.At).Hinted("write a path below the container on each line")
	}
	return slices.CompactFunc(sorted(files), func(a, b File) bool { return a.Path == b.Path }), nil
}
