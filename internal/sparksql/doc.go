// Package sparksql reads queries and expressions in the SQL of Spark.
//
// A text is cut into tokens, tokens become a tree in which every node knows its
// place, and a tree is printed in one layout. Nothing here knows what tables or
// functions there are: it is about what the text alone says. The grammar is that
// of Spark 4.1, and what Databricks has beyond it: QUALIFY, STREAM, star clauses.
package sparksql
