//go:build shared

package main

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"landfall/internal/event"
	"landfall/internal/land"
)

// TestTaxiFeed lands 43 files of three header variants as one feed: numbers that
// are 2 in some files and 2.0 in others, and a surcharge of which the first years
// have nothing but nulls.
func TestTaxiFeed(t *testing.T) {
	t.Parallel()
	dir := realData(t, "nyc-yellow-taxi-samples")
	files, want := realFiles(t, dir), map[string][]row{}
	for _, file := range files {
		p, err := readPlain(t, filepath.Join(dir, filepath.FromSlash(file)), ',')
		check(t, err)
		want[file] = p.rows
	}
	for _, c := range []struct {
		name  string
		runs  int
		flags []string
		// types are those of columns that are no strings; surcharge is what was told
		// of the type of that column.
		types     map[string]string
		surcharge string
	}{
		{"as text", 1, []string{"--option", "cloudFiles.inferColumnTypes=false"}, map[string]string{}, "string"},
		{"at once", 1, nil, taxiTypes("double"), "double"},
		{"one by one", len(files), nil, taxiTypes("bigint"), "void, double"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			in, table, reports := landTaxis(t, dir, files, c.runs, c.flags...)
			got, types := readLanded(t, in, table), typesOf(t, table)
			if len(files) != 43 || got.count() != 49220 || len(got.rescued) > 0 {
				t.Errorf("found %d rows of %d files, %v rescued; want 49220 of 43, none", got.count(), len(files), got.rescued)
			}
			for file, rows := range want {
				sameRows(t, file, canonical(got.rows[file], types), canonical(rows, types))
			}
			maps.DeleteFunc(types, func(_, typ string) bool { return typ == "string" })
			if !maps.Equal(types, c.types) {
				t.Errorf("found the types %v, want %v", types, c.types)
			}
			if told := surcharge(reports); told != c.surcharge {
				t.Errorf("told of the surcharge: %s, want %s", told, c.surcharge)
			}
		})
	}
}

// landTaxis delivers the files and lands them in as many runs.
func landTaxis(t *testing.T, dir string, files []string, runs int, flags ...string) (in, table string, reports []land.Report) {
	t.Helper()
	in, table = filepath.Join(t.TempDir(), "in"), filepath.Join(t.TempDir(), "table")
	each := len(files) / runs
	for i, file := range files {
		from := filepath.Join(dir, filepath.FromSlash(file))
		deliverCopy(t, from, filepath.Join(in, filepath.FromSlash(file)), time.Date(2026, 10, 1, 0, i, 0, 0, time.UTC))
		if (i+1)%each > 0 {
			continue
		}
		r := landWith(t, in, table, flags...)
		if len(r.Batches) != 1 || r.Batches[0].Files != int64(each) || len(r.Quarantined) > 0 {
			t.Fatalf("%s: %+v", file, r)
		}
		reports = append(reports, r)
	}
	return in, table, reports
}

// surcharge is what was told of the type of a column that has only nulls at
// first: the types with which it was added.
func surcharge(reports []land.Report) string {
	var told []string
	for _, r := range reports {
		for _, d := range r.Drift {
			switch {
			case d.Column != "congestion_surcharge" || d.Kind == event.ColumnMissing:
			case d.Kind == event.ColumnAdded:
				told = append(told, d.To)
			default:
				told = append(told, string(d.Kind))
			}
		}
	}
	return strings.Join(told, ", ")
}

// taxiTypes are the types of columns that are no strings. Codes are written 2 in
// the older files and 2.0 in the younger ones.
func taxiTypes(codes string) map[string]string {
	types := map[string]string{"vendor_id": codes, "passenger_count": codes, "rate_code_id": codes, "payment_type": codes}
	for typ, names := range map[string]string{
		"bigint":    "VendorID RatecodeID PULocationID DOLocationID pickup_location_id dropoff_location_id",
		"timestamp": "pickup_datetime dropoff_datetime tpep_pickup_datetime tpep_dropoff_datetime",
		"double": "trip_distance fare_amount extra mta_tax tip_amount tolls_amount improvement_surcharge total_amount " +
			"congestion_surcharge",
	} {
		for _, name := range strings.Fields(names) {
			types[name] = typ
		}
	}
	return types
}
