package repair

import (
	_ "embed" // the page
	"html/template"
	"io"

	"landfall/internal/report"
)

//go:embed page.html
var page string

// Page writes the report as one page of HTML that needs nothing else. Text of files is
// escaped.
func (r *Report) Page(w io.Writer) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"bytes": report.Bytes, "count": report.Count, "ddl": ddl,
	}).Parse(page)
	if err != nil {
		return err
	}
	return t.Execute(w, r)
}
