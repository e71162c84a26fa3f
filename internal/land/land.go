// Package land moves the new objects of a source into its table, exactly once.
package land
