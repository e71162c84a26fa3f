// Package interop tests the tables of Landfall against other readers and writers.
//
// Spark, deltalake, Polars and DuckDB run as long-lived peers that answer one
// JSON command a line (peers/). The tests carry the build tag interop;
// scripts/peers installs what they need, and what is missing fails them.
package interop
