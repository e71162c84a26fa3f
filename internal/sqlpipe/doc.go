// Package sqlpipe reads the SQL files of pipelines.
//
// A file says which tables and views a pipeline makes, of which queries, and which
// expectations their rows have to meet; the statements are those of Lakeflow and of the
// Delta Live Tables before it. What comes out are datasets in an order in which each comes
// behind those that it reads. Nothing here knows columns or runs anything.
package sqlpipe
