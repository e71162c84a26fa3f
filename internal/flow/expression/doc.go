// Package expression binds the expressions of a data flow to the columns that a
// transformation sees: names, functions of the table, and those that speak of columns, of
// marks and of cached sinks.
//
// A [Scope] says what an expression sees, a [Script] what all expressions of a script
// share. What is wrong is added to the script's problems, all of it, and false returned.
package expression
