// Package drill breaks copies of a feed's files on purpose.
//
// A drill runs in a sandbox: a project with the user's own options, policies, pipelines
// and rules of alerts, over copies of the newest files. Copies are broken as vendors break
// them: a column more, a text among numbers, names in another casing, a column less, a
// file cut short. Nothing of the real project is written.
package drill
