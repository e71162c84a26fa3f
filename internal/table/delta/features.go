package delta

import (
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/table"
	"landfall/internal/table/delta/action"
)

// Names of table features, as the protocol spells them.
const (
	featureColumnMapping   = "columnMapping"
	featureDeletionVectors = "deletionVectors"
	featureV2Checkpoint    = "v2Checkpoint"
	featureTimestampNTZ    = "timestampNtz"
	featureVacuumCheck     = "vacuumProtocolCheck"
	featureCommitTimestamp = "inCommitTimestamp"
	featureTypeWidening    = "typeWidening"
	// featureWideningPreview is typeWidening under the name that it had at first.
	featureWideningPreview = "typeWidening-preview"
)

// The highest protocol versions that exist; both only list features.
const (
	readerFeatureVersion = 3
	writerFeatureVersion = 7
)

// canRead tells whether we know how to read tables with a feature.
func canRead(feature string) bool {
	switch feature {
	case featureColumnMapping, featureDeletionVectors, featureV2Checkpoint, featureTimestampNTZ, featureVacuumCheck,
		featureTypeWidening, featureWideningPreview:
		return true
	}
	return false
}

// readable refuses what we would misread, naming each feature.
func readable(p *action.Protocol) error {
	if p.MinReaderVersion > readerFeatureVersion || p.MinReaderVersion < 1 {
		return diag.New(diag.UnknownFeature, "the table wants readers of protocol version %d; found in this program: versions 1 to %d",
			p.MinReaderVersion, readerFeatureVersion).
			Hinted("read it with the program that wrote it, or ask for this version to be supported")
	}
	var unknown []string
	for _, f := range readerNeeds(p) {
		if !canRead(f) {
			unknown = append(unknown, f)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	slices.Sort(unknown)
	return diag.New(diag.UnknownFeature, "the table wants readers to know the feature %s", strings.Join(unknown, ", ")).
		Hinted("drop the feature with the tool that set it (ALTER TABLE … DROP FEATURE), or land in another table")
}

// readerNeeds lists the features that a reader of the table must know.
func readerNeeds(p *action.Protocol) []string {
	switch {
	case p.MinReaderVersion >= readerFeatureVersion && p.ReaderFeatures != nil:
		return *p.ReaderFeatures
	case p.MinReaderVersion == 2:
		return []string{featureColumnMapping}
	}
	return nil
}

// writerNeeds lists the features that a writer of the table must know and obey
// where they are in use, also those that old protocol versions only imply.
func writerNeeds(p *action.Protocol) []string {
	if p.MinWriterVersion >= writerFeatureVersion {
		if p.WriterFeatures == nil {
			return nil
		}
		return *p.WriterFeatures
	}
	var needs []string
	for _, implied := range []struct {
		version  int
		features []string
	}{
		{2, []string{"appendOnly", "invariants"}},
		{3, []string{"checkConstraints"}},
		{4, []string{"changeDataFeed", "generatedColumns"}},
		{5, []string{featureColumnMapping}},
		{6, []string{"identityColumns"}},
	} {
		if p.MinWriterVersion >= implied.version {
			needs = append(needs, implied.features...)
		}
	}
	return needs
}

// public is the protocol as the table package shows it.
func public(p *action.Protocol) table.Protocol {
	out := table.Protocol{MinReader: p.MinReaderVersion, MinWriter: p.MinWriterVersion}
	if p.ReaderFeatures != nil {
		out.ReaderFeatures = slices.Clone(*p.ReaderFeatures)
	}
	if p.WriterFeatures != nil {
		out.WriterFeatures = slices.Clone(*p.WriterFeatures)
	}
	return out
}
