package resource

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/flow/syntax"
)

// Flow is one data flow.
type Flow struct {
	Name string
	// File is its script. Its places are those of the file that Load was given.
	File *syntax.File
	// Sources, Sinks and Transformations say what its streams refer to. A script in a
	// file of its own has none.
	Sources, Sinks, Transformations []Node
	// Factory is what stands beside it.
	Factory *Factory
	holder  holder
}

// Node is a stream of a flow with what it refers to.
type Node struct {
	Name string
	// Dataset, LinkedService and Flowlet are the names of others; empty for none.
	Dataset, LinkedService, Flowlet string
	// Parameters are those of the dataset, as they are written.
	Parameters json.RawMessage
	At         diag.Place
}

// Factory is what flows refer to, by name.
type Factory struct {
	Datasets       map[string]Dataset
	LinkedServices map[string]LinkedService
}

// Dataset says where the data of a source or a sink is, and what it looks like.
type Dataset struct {
	Name string
	// Type is the service's word: Parquet, DelimitedText, Json.
	Type          string
	LinkedService string
	// Properties are those of its type: location, delimiters, compression.
	Properties json.RawMessage
	// Parameters are its own, with their types and defaults, as they are written.
	Parameters json.RawMessage
	// Schema are its columns; none if the dataset has no schema.
	Schema []Column
	At     diag.Place
}

// Column is a column of a dataset, its type in the words of its store.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"`
	// Precision and Scale are those of a decimal; 0 where the dataset does not say.
	Precision int `json:"precision"`
	Scale     int `json:"scale"`
}

// LinkedService says how a store is reached.
type LinkedService struct {
	Name, Type string
	Properties json.RawMessage
	At         diag.Place
}

// Load reads the data flows of a file: a script, a resource or a template. A resource
// in a folder dataflow brings the datasets and linked services of the folders beside it.
// The flows are in the order of the file, and there is at least one.
func Load(files fs.FS, name string) ([]*Flow, error) {
	text, err := read(files, name)
	if err != nil {
		return nil, err
	}
	if !strings.EqualFold(path.Ext(name), ".json") {
		base := strings.TrimSuffix(path.Base(name), path.Ext(name))
		return []*Flow{{Name: base, File: syntax.NewFile(name, text), Factory: newFactory(), holder: holder{whole: true}}}, nil
	}
	root, err := parseJSON(name, text)
	if err != nil {
		return nil, err
	}
	l := &loader{name: name, text: text, host: syntax.NewFile(name, text), factory: newFactory()}
	if list := root.get("resources"); list != nil {
		l.template(root, list)
	} else {
		l.flow(root, baseName(root.string("name"), name))
		if path.Base(path.Dir(name)) == "dataflow" {
			l.problems.Merge(l.beside(files, path.Dir(path.Dir(name))))
		}
	}
	if len(l.flows) == 0 && len(l.problems) == 0 {
		return nil, l.host.Problem(diag.FlowResource, syntax.Pos(root.at), "found no data flow, want a script at properties.typeProperties.scriptLines or script").
			Hinted("name a data flow that a factory exported, a template that has one, or a script")
	}
	return l.flows, l.problems.Err()
}

func newFactory() *Factory {
	return &Factory{Datasets: map[string]Dataset{}, LinkedServices: map[string]LinkedService{}}
}

// read is a file as text, without a byte order mark.
func read(files fs.FS, name string) (string, error) {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return "", diag.New(diag.FlowResource, "the file cannot be read").In(diag.Place{File: name}).Because(err).Hinted("name a file that is there: a script, a data flow in JSON, or a template")
	}
	return strings.TrimPrefix(string(data), "\ufeff"), nil
}

// baseName is the name of a resource: as it says, else as its file is called.
func baseName(own, file string) string {
	if own != "" {
		return own
	}
	return strings.TrimSuffix(path.Base(file), path.Ext(file))
}

// loader gathers what a file holds.
type loader struct {
	name, text string
	host       *syntax.File
	factory    *Factory
	flows      []*Flow
	// defaults are those of the parameters of a template.
	defaults map[string]string
	problems diag.List
}

func (l *loader) place(v *value) diag.Place { return l.host.Place(syntax.Pos(v.at)) }

// template reads the resources of a template, also of those nested in it.
func (l *loader) template(root, list *value) {
	if l.defaults == nil {
		l.defaults = map[string]string{}
	}
	if params := root.get("parameters"); params != nil && params.isObject {
		for i, key := range params.keys {
			l.defaults[key] = params.list[i].string("defaultValue")
		}
	}
	for _, r := range list.items() {
		kind, name := r.string("type"), l.resourceName(r.string("name"))
		switch strings.ToLower(kind[strings.LastIndexByte(kind, '/')+1:]) {
		case "dataflows":
			l.flow(r, name)
		case "datasets":
			l.dataset(r, name)
		case "linkedservices":
			l.linkedService(r, name)
		case "deployments":
			if inner := r.get("properties", "template"); inner.get("resources") != nil {
				l.template(inner, inner.get("resources"))
			}
		}
	}
}

// resourceName is the last part of a resource's name, which may be computed of what only
// the deployment knows: [concat(parameters('factoryName'), '/orders')]. The part that names
// the resource itself is its last text.
func (l *loader) resourceName(name string) string {
	if text, _, err := l.computed(name, nil); err == nil {
		name = text
	} else if end := strings.LastIndexByte(name, '\''); end > 0 {
		name = name[:end]
		name = name[strings.LastIndexByte(name, '\'')+1:]
	}
	return name[strings.LastIndexByte(name, '/')+1:]
}

// flow reads a data flow.
func (l *loader) flow(r *value, name string) {
	props := r.get("properties")
	typed := props.get("typeProperties")
	if typed == nil {
		typed = props
	}
	f := &Flow{Name: name, Factory: l.factory}
	f.Sources = l.nodes(typed.get("sources"))
	f.Sinks = l.nodes(typed.get("sinks"))
	f.Transformations = l.nodes(typed.get("transformations"))
	ok, err := l.script(f, typed)
	if err != nil {
		l.problems.Merge(err)
	}
	if ok {
		l.flows = append(l.flows, f)
	}
}

// nodes reads the streams of a flow.
func (l *loader) nodes(list *value) []Node {
	var out []Node
	for _, n := range list.items() {
		node := Node{
			Name: n.string("name"), Dataset: n.string("dataset", "referenceName"),
			LinkedService: n.string("linkedService", "referenceName"), Flowlet: n.string("flowlet", "referenceName"), At: l.place(n),
		}
		if p := n.get("dataset", "parameters"); p != nil {
			node.Parameters = json.RawMessage(p.raw)
		}
		out = append(out, node)
	}
	return out
}

func (l *loader) dataset(r *value, name string) {
	props := r.get("properties")
	d := Dataset{
		Name: name, Type: props.string("type"), LinkedService: l.resourceName(props.string("linkedServiceName", "referenceName")), At: l.place(r),
	}
	if p := props.get("typeProperties"); p != nil {
		d.Properties = json.RawMessage(p.raw)
	}
	if p := props.get("parameters"); p != nil {
		d.Parameters = json.RawMessage(p.raw)
	}
	for _, c := range props.get("schema").items() {
		if name := c.string("name"); name != "" {
			d.Schema = append(d.Schema, Column{Name: name, Type: c.string("type"), Precision: c.int("precision"), Scale: c.int("scale")})
		}
	}
	l.factory.Datasets[name] = d
}

func (l *loader) linkedService(r *value, name string) {
	s := LinkedService{Name: name, Type: r.string("properties", "type"), At: l.place(r)}
	if p := r.get("properties", "typeProperties"); p != nil {
		s.Properties = json.RawMessage(p.raw)
	}
	l.factory.LinkedServices[name] = s
}

// beside reads the datasets and linked services of a factory's folder.
func (l *loader) beside(files fs.FS, folder string) error {
	var problems diag.List
	for _, kind := range []string{"dataset", "linkedService"} {
		list, err := fs.ReadDir(files, path.Join(folder, kind))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for _, entry := range list {
			if name := path.Join(folder, kind, entry.Name()); strings.EqualFold(path.Ext(name), ".json") {
				problems.Merge(l.other(files, kind, name))
			}
		}
	}
	return problems.Err()
}

// other reads one file of a factory.
func (l *loader) other(files fs.FS, kind, name string) error {
	text, err := read(files, name)
	if err != nil {
		return err
	}
	root, err := parseJSON(name, text)
	if err != nil {
		return err
	}
	one := &loader{name: name, text: text, host: syntax.NewFile(name, text), factory: l.factory}
	if kind == "dataset" {
		one.dataset(root, baseName(root.string("name"), name))
	} else {
		one.linkedService(root, baseName(root.string("name"), name))
	}
	return nil
}

// Dataset is the dataset of a source or a sink of a name; ok is false if it has none.
func (f *Flow) Dataset(stream string) (Dataset, bool) {
	for _, n := range slices.Concat(f.Sources, f.Sinks) {
		if n.Name == stream {
			d, ok := f.Factory.Datasets[n.Dataset]
			return d, ok
		}
	}
	return Dataset{}, false
}
