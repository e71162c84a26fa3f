package main

import (
	"cmp"
	"errors"
	"regexp"
	"slices"

	"landfall/internal/diag"
)

// paste completes the commands in a text for people, such that they can be pasted:
// they mean the project that the user named. What is kept, as events are, has none of
// it: it may be read from another folder.
func (a *app) paste(text string) string {
	if a.project == "" {
		return text
	}
	word := regexp.MustCompile(`\blandfall [a-z]+\b`)
	return word.ReplaceAllStringFunc(text, func(command string) string {
		name := command[len("landfall "):]
		if !slices.Contains(a.commands, name) {
			return command
		}
		return cmp.Or(a.program, "landfall") + " --project " + quoted(a.project) + " " + name
	})
}

// pasted is an error whose hints can be pasted.
func (a *app) pasted(err error) error {
	if a.project == "" {
		return err
	}
	var all diag.List
	var one *diag.Diagnostic
	switch {
	case errors.As(err, &all):
		for i, d := range all {
			kept := *d
			kept.Hint = a.paste(d.Hint)
			all[i] = &kept
		}
	case errors.As(err, &one):
		one.Hint = a.paste(one.Hint) // it is printed next, and then gone
	}
	return err
}
