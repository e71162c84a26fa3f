package report

import "strings"

// Tone is the state that a text tells of.
type Tone int

// The tones. Plain is the zero value.
const (
	Plain  Tone = iota
	Good        // landed
	Look        // needs a look
	Bad         // failed
	Faint       // of little weight
	Strong      // a heading
)

// Paint colours a text if colour is wanted.
func Paint(s string, tone Tone, colour bool) string {
	if !colour || tone == Plain || s == "" {
		return s
	}
	code := map[Tone]string{Good: "32", Look: "33", Bad: "31", Faint: "2", Strong: "1"}[tone]
	return "\x1b[" + code + "m" + strings.ReplaceAll(s, "\n", "\x1b[0m\n\x1b["+code+"m") + "\x1b[0m"
}
