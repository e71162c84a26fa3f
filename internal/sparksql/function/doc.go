// Package function is the table of the functions, casts and operators of Spark
// SQL: which types they take and give, and the text by which DuckDB computes
// the same.
//
// The table is data: the files of the families say of every function its forms,
// what it means, and examples with their values, which tests execute on both
// engines. Results are those of Spark 4 in ANSI mode in a session whose time
// zone is UTC. What DuckDB cannot compute the same is refused by name.
//
// A timestamp is a TIMESTAMP WITH TIME ZONE of DuckDB, a timestamp_ntz a
// TIMESTAMP, binary a BLOB, and every other type the one of its name. Texts
// have exactly the type that is said of them.
//
// A session runs Macros once, after it has registered Kernels; its TimeZone is
// UTC.
package function
