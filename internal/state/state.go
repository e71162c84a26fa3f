// Package state is the memory of one source: its identity, intents, attempts,
// marks and known objects.
package state
