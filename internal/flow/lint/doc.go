// Package lint finds where a data flow will fail, or lose columns without a word, when
// its files change.
//
// It looks at the script and at what its datasets say, never at data. Findings name the
// place and the change that mends it.
package lint
