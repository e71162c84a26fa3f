package draft

import (
	"slices"
	"strings"

	"landfall/internal/notebook"
)

// traps notes what goes wrong with such a stream, or is other than it seems.
func (d *Draft) traps(s notebook.Stream) {
	d.modeTraps(s)
	d.formatTraps(s)
	d.triggerTraps(s)
	for _, step := range s.Steps {
		if step.Name == "withColumn" && slices.Contains([]string{"_ingested_at", "_source_file"}, step.Value) {
			continue // every table has these
		}
		what := step.Name
		if step.Value != "" {
			what += `("` + step.Value + `")`
		}
		d.note(step.At, "%s is not taken over: files land as they are; query or transform the table", what)
	}
	if len(s.PartitionBy) > 0 {
		d.note(s.SinkAt, "partitionBy %s is not supported yet: k=v folders of the source become columns", strings.Join(s.PartitionBy, ", "))
	}
}

// modeTraps are those of schema evolution.
func (d *Draft) modeTraps(s notebook.Stream) {
	mode, set := s.Option("cloudFiles.schemaEvolutionMode")
	if strings.EqualFold(mode.Value, "rescue") {
		d.note(mode.At, "mode rescue freezes the schema, so new columns stay JSON in _rescued_data; for a bronze table addNewColumns is the mode")
		return
	}
	adds := !set && !s.HasSchema || strings.HasPrefix(strings.ToLower(mode.Value), "addnewcolumns")
	if !adds || s.SinkAt == (notebook.Place{}) || s.Managed {
		return
	}
	if merge, ok := s.SinkOption("mergeSchema"); !ok || !strings.EqualFold(merge.Value, "true") {
		d.note(s.SinkAt, "the writer has no mergeSchema: there the stream fails for good at a new column; a table of landfall grows it")
	}
	d.note(s.At, "a new column stops such a stream once, so its job needs a retry; landfall goes on in the same run")
}

// formatTraps are those of a format's options.
func (d *Draft) formatTraps(s notebook.Stream) {
	name := format(s)
	text := name == "csv" || name == "json" || name == "xml"
	infer, set := s.Option("cloudFiles.inferColumnTypes")
	switch {
	case set && typed(name):
		d.note(infer.At, "inferColumnTypes changes nothing for %s: its files have types", name)
	case !set && text && !s.ReadFiles && !s.HasSchema:
		d.note(s.At, "without inferColumnTypes all columns of %s are strings, here too; set it to true for types", name)
	}
	if multi, ok := s.Option("multiLine"); ok && strings.EqualFold(multi.Value, "true") && text {
		d.note(multi.At, "multiLine reads a file as one document, and slowly; landfall reads records of several lines without it")
	}
}

// triggerTraps are those of when a stream runs.
func (d *Draft) triggerTraps(s notebook.Stream) {
	switch t := s.Trigger; t.Name {
	case "once":
		d.note(t.At, "trigger once is deprecated, and takes all files in one batch; a run of landfall is availableNow")
	case "processingTime", "continuous":
		d.note(t.At, "trigger %s: a run of landfall lands what is there and ends; run it on a schedule", t.Name)
	}
}

// shared notes places that two streams have in common.
func (d *Draft) shared(streams []notebook.Stream) {
	for _, kind := range []struct {
		name string
		of   func(*notebook.Stream, string) (notebook.Option, bool)
	}{
		{"schemaLocation", (*notebook.Stream).Option},
		{"checkpointLocation", (*notebook.Stream).SinkOption},
	} {
		first := map[string]notebook.Option{}
		for i := range streams {
			o, ok := kind.of(&streams[i], kind.name)
			if !ok || o.Value == "" {
				continue
			}
			if f, twice := first[o.Value]; twice && f.At != o.At {
				d.note(o.At, "%s is also that of %s: two streams may not share one; here every source has a state of its own", kind.name, f.At)
				continue
			}
			first[o.Value] = o
		}
	}
}
