// Package report lays out what people read: text tables, sizes, durations.
//
// All is text in, text out. Colour means state only, comes only when asked for,
// and is never the only sign. Text from data is made harmless: a control
// character in a file name or a value cannot move the cursor.
package report
