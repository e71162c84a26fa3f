// Package resource reads data flows as a factory's files state them.
//
// A data flow is a script, or a resource in JSON that holds one: in a file of a factory's
// folder, or in a template together with all that it refers to. Every place in a script
// leads back to the file that it stands in.
package resource
