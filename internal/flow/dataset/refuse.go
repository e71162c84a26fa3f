package dataset

import (
	"maps"
	"slices"

	"landfall/internal/diag"
	"landfall/internal/flow/syntax"
)

// refusals are settings whose effect nothing here has, and what to do instead.
func refusals(source, table bool) map[string]string {
	const stage = "read and write the files themselves: nothing is staged here"
	out := map[string]string{"staged": stage, "enableStaging": stage, "query": "filter the rows in the flow"}
	if source {
		maps.Copy(out, map[string]string{
			"enableCdc":      "read all files, or those of a time: modifiedAfter",
			"booleanFormats": "convert in a derive: toBoolean(x), or x == 'yes'",
		})
		for _, name := range []string{"wildcardPaths", "fileList", "partitionRootPath", "modifiedAfter", "modifiedBefore", "moveFiles", "purgeFiles", "skipLines"} {
			if table {
				out[name] = "name the folder of the table: folderPath; a table says itself which files it has"
			}
		}
		return out
	}
	const commands = "run them before or after the flow"
	maps.Copy(out, map[string]string{
		"preCommands": commands, "postCommands": commands, "preSQLs": commands, "postSQLs": commands,
		"recreate": "clear the folder: truncate: true; a table has overwrite: true", "saveMode": "clear the folder: truncate: true; a table has overwrite: true",
	})
	if table {
		out["truncate"] = "write deltaTruncate: true, which takes the rows out and leaves the history of the table"
		for _, name := range namings() {
			out[name] = "leave it out: a table names its files itself"
		}
	}
	return out
}

// refused tells of settings that would change what the flow does and have no effect here.
func (r *reader) refused(source bool) {
	f, _ := r.format()
	all := refusals(source, f == Delta)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if r.option(name) != nil && weighs(r.get(name)) {
			r.tell(diag.FlowRefused, name, all[name], "found %s: %s, which does not run here", name, r.shown(name))
		}
	}
}

// weighs tells whether a value asks for something: false, ”, [] and 0 do not.
func weighs(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	case int64:
		return v != 0
	}
	return true
}

// elsewhere are settings that who binds the script reads.
func elsewhere() []string {
	return []string{"allowSchemaDrift", "validateSchema", "skipDuplicateMapInputs", "skipDuplicateMapOutputs", "saveOrder", "limit"}
}

// rest are notes of all settings that nothing here asked for.
func (r *reader) rest(what string) []diag.Diagnostic {
	var out []diag.Diagnostic
	note := func(name string) {
		if r.read[name] || slices.Contains(elsewhere(), name) {
			return
		}
		r.read[name] = true
		out = append(out, *r.about(diag.FlowRefused, name, "leave it for the service, or take it out", "found %s, which has no effect here on %s", name, what))
	}
	for _, a := range r.st.Args.List {
		if o, ok := a.Node.(*syntax.Option); ok && asks(o) {
			note(o.Name.Text)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.set.options)) {
		note(name)
	}
	return out
}

// asks tells that a setting asks for something; exports are full of those that do not.
func asks(o *syntax.Option) bool {
	if list, ok := o.Value.(*syntax.Array); ok && len(list.Items) == 0 {
		return false
	}
	v, known := literal(o.Value)
	return !known || weighs(v)
}
