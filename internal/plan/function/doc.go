// Package function is the table of the functions of data flow expressions.
//
// The table is data: the files in the folder table say of every function its
// forms, what it means, how an engine computes it, and examples with their
// values, which tests execute. Resolve picks the form that fits given arguments
// and says what each argument is brought to; SQL of what it picked is text for
// an engine. Where an engine lacks something it gets macros and kernels, once a
// session.
//
// Words: a function has forms (overloads); a form has parameters and a result,
// both written as terms; a call is a form with given arguments.
//
// On DuckDB a value of type timestamp is a TIMESTAMP, the wall clock of UTC; so
// columns of zoned timestamps are cast before they reach a call. Texts of
// arguments must stand on their own: a name, a literal, a call, or something in
// parentheses. The text of a call is of that kind too.
package function
