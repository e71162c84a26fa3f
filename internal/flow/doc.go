// Package flow binds data flows: it makes a plan of a script and of the columns that the
// files of its sources have.
//
// What a script leaves open until it sees the files is settled here: drifted columns,
// patterns, rules of mappings, columns that are looked up by name. Functions are those of
// the table, types are worked out, and every problem of a script is told at once, with the
// code that the service has for it. Nothing here reads data.
package flow
