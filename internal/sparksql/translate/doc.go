// Package translate makes SQL of DuckDB of queries in the SQL of Spark.
//
// Every name is resolved and every expression has Spark's type before a word is
// written: what comes out has Spark's results, or it is refused with its place. Columns
// know which columns of tables they come from, and rows, where that can be told, which
// row of a stream they come from.
package translate
