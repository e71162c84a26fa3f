package readers

// fact says what a reader does with a need of a table.
type fact struct {
	need   string
	reader Reader
	reads  bool
	// why says what happens to who reads, where reads is false.
	why string
}

type known []fact

// of returns the fact about a need and a reader. A need that has none shuts the
// reader out: the protocol tells readers to refuse what they do not know.
func (k known) of(need string, r Reader) fact {
	for _, f := range k {
		if f.need == need && f.reader == r {
			return f
		}
	}
	return fact{need, r, false, "the table has " + need + ", and nothing is known of this reader with it"}
}

// The readers, at the versions that the facts are about.
func spark3() Reader     { return Reader{"delta-spark on Spark 3.5", "3.3.2"} }
func spark4() Reader     { return Reader{"delta-spark on Spark 4.1", "4.3.1"} }
func lakeQuery() Reader  { return Reader{"deltalake, queries", "1.6.6"} }
func lakeArrow() Reader  { return Reader{"deltalake, to_pyarrow_table and to_pandas", "1.6.6"} }
func polars() Reader     { return Reader{"Polars", "2.1.0"} }
func duckdb() Reader     { return Reader{"DuckDB delta_scan", "1.5.5"} }
func databricks() Reader { return Reader{"Databricks", "15.4 LTS"} }

func all() []Reader {
	return []Reader{spark3(), spark4(), lakeQuery(), lakeArrow(), polars(), duckdb(), databricks()}
}

// Why readers do not read.
const (
	mappingNulls  = "columns are mapped to other names (columnMapping): every value reads as null, and nothing is said"
	mappingPolars = "columns are mapped to other names (columnMapping), and it refuses such tables"
	wideningSpark = "it refuses tables in which a type has widened (typeWidening)"
	deepDuckDB    = "more than 24 arrays and maps stand in one another: the time that it takes doubles with each, and is minutes by then"
	refused       = "it refuses tables with the feature "
)

// facts are what each reader does with each need: one row a need and a reader. Rows
// marked M were measured: each table was written by delta-spark 4.3.1 with the
// feature on, in use where it can be, and read by the reader at the version above.
// Rows marked D are what the vendor documents, by the lowest version.
func facts() known {
	return known{
		{columnMapping, spark3(), true, ""},               // M: name and id, renamed columns
		{columnMapping, spark4(), true, ""},               // M
		{columnMapping, lakeQuery(), true, ""},            // M: name and id, renamed columns, the values too
		{columnMapping, lakeArrow(), false, mappingNulls}, // M: a frame of nulls under the right names
		{columnMapping, polars(), false, mappingPolars},   // M: DeltaProtocolError, reader version 2
		{columnMapping, duckdb(), true, ""},               // M: name and id, renamed columns
		{columnMapping, databricks(), true, ""},           // D: docs.databricks.com, feature compatibility: 10.4 LTS

		{deletionVectors, spark3(), true, ""},                            // M: rows deleted
		{deletionVectors, spark4(), true, ""},                            // M
		{deletionVectors, lakeQuery(), true, ""},                         // M
		{deletionVectors, lakeArrow(), false, refused + deletionVectors}, // M: DeltaProtocolError, also if no row is deleted
		{deletionVectors, polars(), true, ""},                            // M
		{deletionVectors, duckdb(), true, ""},                            // M
		{deletionVectors, databricks(), true, ""},                        // D: docs.databricks.com, feature compatibility: 12.2 LTS

		{timestampNTZ, spark3(), true, ""},     // M: a column, a field, an element
		{timestampNTZ, spark4(), true, ""},     // M
		{timestampNTZ, lakeQuery(), true, ""},  // M
		{timestampNTZ, lakeArrow(), true, ""},  // M
		{timestampNTZ, polars(), true, ""},     // M
		{timestampNTZ, duckdb(), true, ""},     // M
		{timestampNTZ, databricks(), true, ""}, // D: docs.databricks.com, feature compatibility: 13.3 LTS

		{typeWidening, spark3(), false, wideningSpark},             // M: reads while no type has widened, then DELTA_UNSUPPORTED_TYPE_CHANGE_IN_PREVIEW, for each of the four
		{typeWidening, spark4(), true, ""},                         // M: int to bigint, to double, decimals, date to timestamp_ntz
		{typeWidening, lakeQuery(), false, refused + typeWidening}, // M: DeltaError, also if no type is another
		{typeWidening, lakeArrow(), false, refused + typeWidening}, // M: DeltaProtocolError
		{typeWidening, polars(), false, refused + typeWidening},    // M: DeltaProtocolError
		{typeWidening, duckdb(), true, ""},                         // M
		{typeWidening, databricks(), true, ""},                     // D: docs.databricks.com, feature compatibility: 15.2

		{v2Checkpoint, spark3(), true, ""},                         // M: with and without such a checkpoint
		{v2Checkpoint, spark4(), true, ""},                         // M
		{v2Checkpoint, lakeQuery(), true, ""},                      // M
		{v2Checkpoint, lakeArrow(), false, refused + v2Checkpoint}, // M: DeltaProtocolError
		{v2Checkpoint, polars(), false, refused + v2Checkpoint},    // M: DeltaProtocolError
		{v2Checkpoint, duckdb(), true, ""},                         // M
		{v2Checkpoint, databricks(), true, ""},                     // D: docs.databricks.com, checkpoint V2: 13.3 LTS

		{vacuumCheck, spark3(), true, ""},                        // M
		{vacuumCheck, spark4(), true, ""},                        // M
		{vacuumCheck, lakeQuery(), false, refused + vacuumCheck}, // M: DeltaError
		{vacuumCheck, lakeArrow(), false, refused + vacuumCheck}, // M: DeltaProtocolError
		{vacuumCheck, polars(), false, refused + vacuumCheck},    // M: DeltaProtocolError
		{vacuumCheck, duckdb(), true, ""},                        // M

		// Depth was measured for arrays, maps, structs, and arrays of structs.
		{deepLists, spark3(), true, ""},          // M: 64 levels
		{deepLists, spark4(), true, ""},          // M: 64 levels
		{deepLists, lakeQuery(), true, ""},       // M: 31 levels
		{deepLists, lakeArrow(), true, ""},       // M: 31 levels
		{deepLists, polars(), true, ""},          // M: 31 levels
		{deepLists, duckdb(), false, deepDuckDB}, // M: arrays, 16 levels 0.02 s, 24 levels 1.8 s, 31 levels over a minute; structs, 31 levels at once

		{voidColumn, spark3(), true, ""},    // M: a column without a type among others
		{voidColumn, spark4(), true, ""},    // M
		{voidColumn, lakeQuery(), true, ""}, // M
		{voidColumn, lakeArrow(), true, ""}, // M
		{voidColumn, polars(), true, ""},    // M
		{voidColumn, duckdb(), false, "a column has the type void, which it does not know"}, // M: IO Error, Unsupported Delta table type
	}
}
