package delta

import (
	"errors"
	"fmt"
	"slices"

	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/table/delta/action"
)

// enableWidening is the property of a table that lets types widen in place.
const enableWidening = "delta.enableTypeWidening"

// widen makes the table ask for type widening.
func (k *commit) widen(config map[string]string) error {
	needs := slices.Concat(readerNeeds(k.base.protocol), writerNeeds(k.base.protocol))
	if slices.Contains(needs, featureWideningPreview) && !slices.Contains(needs, featureTypeWidening) {
		return errors.New("types do not widen in place in a table with the feature " + featureWideningPreview)
	}
	config[enableWidening] = "true"
	if !slices.Contains(needs, featureTypeWidening) {
		k.protocol = withFeature(k.base.protocol, featureTypeWidening)
	}
	return nil
}

// withFeature returns a protocol that asks for one more feature of readers and
// writers. All that it asks for by its version alone is named now, since the versions
// that list features imply none.
func withFeature(p *action.Protocol, feature string) *action.Protocol {
	readers := append(slices.Clone(readerNeeds(p)), feature)
	writers := slices.Clone(writerNeeds(p))
	for _, f := range readers { // what readers must know, writers must
		if !slices.Contains(writers, f) {
			writers = append(writers, f)
		}
	}
	return &action.Protocol{
		MinReaderVersion: readerFeatureVersion, MinWriterVersion: writerFeatureVersion,
		ReaderFeatures: &readers, WriterFeatures: &writers,
	}
}

// recorded returns a new schema of the table with what its types have been, as far
// as files of these types stay, and its text. Of a column that the caller writes
// again in all files nothing is left to say.
func (k *commit) recorded(from, to schema.Struct) (schema.Struct, string, error) {
	to.Fields = slices.Clone(to.Fields)
	for i, f := range to.Fields {
		old := fieldOf(from, f.Name)
		if old == nil || !retypesField(old.Type, f.Type) {
			continue
		}
		var err error
		if !k.c.Widening || !schema.AllReadAs(old.Type, f.Type) {
			f = f.WithoutTypeChanges()
		} else if f, err = f.WithTypeChanges(old.Type); err != nil {
			return to, "", err
		}
		to.Fields[i] = f
	}
	text, err := to.JSON()
	if err != nil {
		return to, "", fmt.Errorf("encode the schema: %w", err)
	}
	return to, string(text), nil
}

// checkChanges refuses a table whose types have been others than we know how to read
// as what they are.
func checkChanges(s schema.Struct) error {
	for path, f := range eachField(s) {
		changes, err := f.TypeChanges()
		var d *diag.Diagnostic
		if err != nil && !errors.As(err, &d) {
			d = diag.New(diag.LogBroken, "the metadata %s cannot be read", schema.ChangesKey).Because(err).
				Hinted("the log was edited; restore it from a backup")
		}
		for _, c := range changes {
			if c.From != c.To && !schema.ReadsAs(c.From, c.To) {
				d = diag.New(diag.UnknownFeature, "the type was %s and is %s now, and old files would be misread", c.From, c.To).
					Hinted("write the files of the column again with the tool that changed its type")
				break
			}
		}
		if d != nil {
			d.Path = path
			return d
		}
	}
	return nil
}
