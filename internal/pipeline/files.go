package pipeline

import (
	"context"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/sparksql"
	"landfall/internal/sparksql/translate"
)

// openFiles lands what read_files(…) and cloud_files(…) of a query name, and opens the
// tables that hold it.
func (r *runner) openFiles(ctx context.Context, q *sparksql.Query, f *sparksql.File, in *inputs) error {
	var calls []*sparksql.TableCall
	sparksql.Walk(q, func(node any) bool {
		if c, ok := node.(*sparksql.TableCall); ok && readsFiles(c) {
			calls = append(calls, c)
		}
		return true
	})
	for _, c := range calls {
		spec, err := r.filesOf(c, f, len(in.byCall)+1)
		if err != nil {
			return err
		}
		data, err := r.Land(ctx, spec)
		if err != nil {
			return err
		}
		stream := c.Stream || strings.EqualFold(c.Name.Name, "cloud_files")
		i, err := r.add(ctx, &input{name: spec.Path, stream: stream, data: data, landed: true}, in, f, c.Range)
		if err != nil {
			return err
		}
		in.byCall[c] = i
	}
	return nil
}

func readsFiles(c *sparksql.TableCall) bool {
	return strings.EqualFold(c.Name.Name, "read_files") || strings.EqualFold(c.Name.Name, "cloud_files")
}

// filesOf reads the arguments of a call. read_files takes options by name, cloud_files a
// format and a map of them.
func (r *runner) filesOf(c *sparksql.TableCall, f *sparksql.File, n int) (Files, error) {
	spec := Files{Dataset: r.dataset.Name, N: n, Options: map[string]string{}}
	args, err := translate.Constants(f, c, translate.Options{Params: r.Params})
	if err != nil {
		return spec, err
	}
	if len(args) == 0 || args[0].Value == "" || args[0].Name != "" && !strings.EqualFold(args[0].Name, "path") {
		return spec, f.Problem(diag.SQLSyntax, c.At, "%s: found no path, want one first", c.Name.Name).Hinted("as in read_files('landing/orders', format => 'csv')")
	}
	spec.Path = args[0].Value
	for i, a := range args[1:] {
		switch {
		case a.Map != nil:
			for _, p := range a.Map {
				spec.Options[p[0]] = p[1]
			}
		case a.Name != "":
			spec.Options[a.Name] = a.Value
		case i == 0 && strings.EqualFold(c.Name.Name, "cloud_files"):
			spec.Options["cloudFiles.format"] = a.Value
		default:
			return spec, f.Problem(diag.SQLSyntax, a.At.At, "%s: found an argument without a name", c.Name.Name).Hinted("options have names: header => true")
		}
	}
	return spec, nil
}
