// Package pipeline runs the datasets of a pipeline over Delta tables.
//
// A streaming table reads what its sources gained since its last batch, each row once, and
// takes back what they lost; a materialized view is computed again when something that it
// reads has changed. Every row is tried against the expectations of its dataset in one
// evaluation: it is written, or kept apart with the reason, and counted. A batch is one
// commit: readers see all of it or nothing, and a run that dies is completed or begun
// again by the next.
package pipeline
