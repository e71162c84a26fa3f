package syntax

import "landfall/internal/diag"

// Read reads a script without asking what its words mean.
func Read(f *File) (*Script, error) {
	var problems diag.List
	p := &parser{file: f, problems: &problems, words: newVocabulary()}
	p.tokens = scan(f, &problems)
	return p.script(), problems.Err()
}
