// Package project reads landfall.yaml: sources, options, policies, with the
// place of every key for errors.
package project
