package inspect

import (
	_ "embed" // the page
	"fmt"
	"html/template"
	"io"
	"time"

	"landfall/internal/forecast"
	"landfall/internal/report"
)

//go:embed page.html
var page string

// Page writes the report as one page of HTML that needs nothing else, with times in
// a zone. Text of files is escaped.
func (r *Report) Page(w io.Writer, zone *time.Location) error {
	at := func(t time.Time) string { return t.In(zone).Format("2006-01-02 15:04 -07:00") }
	t, err := template.New("page").Funcs(template.FuncMap{
		"bytes":    report.Bytes,
		"count":    func(n int) string { return report.Count(int64(n)) },
		"count64":  report.Count,
		"plural":   func(n int, noun string) string { return report.Plural(int64(n), noun) },
		"plural64": report.Plural,
		"moment":   at,
		"less":     func(n int) int { return n - 1 },
		"tone":     tone,
	}).Parse(page)
	if err != nil {
		return err
	}
	return t.Execute(w, struct {
		*Report
		Line *line
	}{r, r.line(at)})
}

// tone is the class in which an outcome stands.
func tone(outcome string) string {
	switch outcome {
	case forecast.Works.String():
		return ""
	case forecast.Retyped.String():
		return "look"
	}
	return "bad"
}

// line is the picture of the timeline: a row for each group, bars as high as there
// are files, and the changeovers.
type line struct {
	Width, Height, Left, Right, Foot int
	From, To                         string
	Rows                             []lane
	Changes                          []change
}

// lane is a row of the picture.
type lane struct {
	ID, Text, Base, Left, Right int
	Bars                        []box
}

type box struct {
	X, Y, W, H int
	Title      string
}

type change struct {
	X, Bottom int
	Title     string
}

// The measures of the picture.
const (
	pictureWidth = 1000
	pictureLeft  = 70
	laneHeight   = 36
	barWidth     = 8
	bars         = (pictureWidth - pictureLeft) / barWidth
)

// line draws the timeline; nil where all files are of one moment or one group.
func (r *Report) line(at func(time.Time) string) *line {
	if len(r.Read) == 0 || len(r.Groups) < 2 {
		return nil
	}
	first, last := r.Read[0].Modified, r.Read[len(r.Read)-1].Modified
	span := last.Sub(first)
	if span <= 0 {
		return nil
	}
	bin := func(t time.Time) int {
		return min(bars-1, int(float64(t.Sub(first))/float64(span)*bars))
	}
	counts, most := make([][bars]int, len(r.Groups)), 1
	for _, f := range r.Read {
		n := &counts[f.Group-1][bin(f.Modified)]
		*n++
		most = max(most, *n)
	}
	bottom := len(r.Groups) * laneHeight
	l := &line{Width: pictureWidth, Height: bottom + 20, Left: pictureLeft, Right: pictureWidth, Foot: bottom + 15, From: at(first), To: at(last)}
	for i, row := range counts {
		l.Rows = append(l.Rows, laneOf(i+1, row, most))
	}
	for _, c := range r.Changeovers {
		l.Changes = append(l.Changes, change{pictureLeft + bin(c.At)*barWidth, bottom, fmt.Sprintf("group %d begins %s", c.Group, at(c.At))})
	}
	return l
}

// laneOf draws the row of a group, in which most files of all stand for the full
// height.
func laneOf(id int, counts [bars]int, most int) lane {
	const top = 6
	base := id * laneHeight
	out := lane{ID: id, Text: base - top, Base: base, Left: pictureLeft, Right: pictureWidth}
	for i, n := range counts {
		if n == 0 {
			continue
		}
		h := max(2, n*(laneHeight-top)/most)
		out.Bars = append(out.Bars, box{pictureLeft + i*barWidth, base - h, barWidth - 1, h, report.Plural(int64(n), "file")})
	}
	return out
}
