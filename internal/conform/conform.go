// Package conform fits one slab of input to one version of a contract.
//
// Every value of the slab goes into a column, into the rescue column, or is
// counted as ignored by policy: the counts always add up. Nothing here reads,
// writes or waits.
package conform
