// Package syntax reads and prints data flow script, the text of mapping data flows.
//
// Parse makes a tree of a script and tells of everything that is wrong with it at once.
// Format prints a tree in one layout; what is read of that is the same tree. Nothing here
// knows what columns there are: it is about what the text alone says.
package syntax
