package supply

import (
	"landfall/internal/parquetfile/footer"
	"landfall/internal/schema"
)

// The physical types and converted types of parquet.thrift that matter here.
const (
	physicalInt96 = 3

	convertedNone       = -1
	convertedTimeMillis = 7
	convertedTimeMicros = 8
	convertedUint8      = 11
	convertedUint64     = 14
	convertedEnum       = 4
	convertedJSON       = 19
	convertedInterval   = 21
)

// odd tells whether a column of a Parquet file is one that engines do not agree about:
// its file is then decoded here. int96 are the paths of timestamps that the service does
// not read.
func odd(all []footer.Element, mentions func(string) bool) (odd bool, int96 []string) {
	for _, key := range []string{"org.apache.spark.legacyDateTime", "org.apache.spark.legacyINT96", "2.4."} {
		odd = odd || mentions(key)
	}
	for path, e := range leaves(all) {
		if e.Physical == physicalInt96 {
			int96 = append(int96, path)
		}
		odd = odd || e.Physical == physicalInt96 || oddConverted(e.Converted) || oddLogical(e.Logical)
	}
	return odd, int96
}

func oddConverted(c int8) bool {
	switch c {
	case convertedNone:
		return false
	case convertedTimeMillis, convertedTimeMicros, convertedEnum, convertedJSON, convertedInterval:
		return true
	}
	return c >= convertedUint8 && c <= convertedUint64
}

func oddLogical(l footer.Logical) bool {
	switch l.Kind {
	case footer.Time, footer.Null, footer.JSON, footer.BSON, footer.UUID, footer.Float16, footer.Enum:
		return true
	case footer.Timestamp:
		return l.Unit == footer.Nanos
	case footer.Integer:
		return !l.Signed
	case footer.String, footer.Map, footer.List, footer.Decimal, footer.Date:
	}
	return false
}

// leaves yields the leaves of a schema with their paths.
func leaves(all []footer.Element) func(func(string, footer.Element) bool) {
	return func(yield func(string, footer.Element) bool) {
		at := 0
		var walk func(path schema.Path) bool
		walk = func(path schema.Path) bool {
			e := all[at]
			at++
			if e.Children == 0 {
				return yield(path.String(), e)
			}
			for range e.Children {
				if at >= len(all) || !walk(path.Child(all[at].Name)) {
					return false
				}
			}
			return true
		}
		if len(all) > 0 {
			walk(nil)
		}
	}
}
