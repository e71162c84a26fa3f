// Package report lays out what people read: text tables, sizes, durations.
package report
