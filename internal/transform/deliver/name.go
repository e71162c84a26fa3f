package deliver

import (
	"strconv"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/flow/dataset"
)

// numbered is the name of a file of a pattern: out[n].parquet.
func numbered(pattern string, n int) string {
	return strings.ReplaceAll(pattern, "[n]", strconv.Itoa(n))
}

// refuse tells what of a sink cannot be written.
func refuse(s dataset.Sink) error {
	var problems diag.List
	add := func(format string, args ...any) {
		problems.Add(diag.New(diag.FlowRefused, "sink "+s.Name+": "+format, args...).In(s.At).
			Hinted("take it out, or name files another way: filePattern, partitionFileNames"))
	}
	if s.Naming.FileColumn != "" {
		add("found rowUrlColumn %s, which does not run here", diag.Quote(s.Naming.FileColumn))
	}
	if s.Naming.FolderColumn != "" {
		add("found rowFolderUrlColumn %s, which does not run here", diag.Quote(s.Naming.FolderColumn))
	}
	return problems.Err()
}
