package diag

// Remedy returns what to do about a code, in a sentence or two; "" for an unknown one. The
// hint of a message knows more: it is made where the thing went wrong.
func Remedy(c Code) string { return remedies()[c] }

// remedies is a function so that the package keeps no mutable state.
func remedies() map[Code]string {
	return map[Code]string{
		Usage:            "See the command's own help: landfall COMMAND --help.",
		ProjectSyntax:    "Correct landfall.yaml at the line that the message names.",
		ProjectKey:       "Write the key that the message proposes, or take it out; docs/project.md lists them all.",
		UnknownOption:    "Write the option that the message proposes; docs/options.md lists them all. Options of the file format have no prefix cloudFiles.",
		BadOption:        "Give a value of the kind that the message wants.",
		OptionRefused:    "Take the option out, or use what the message names instead.",
		NoProject:        "Run the command in the folder of landfall.yaml, or make a project: landfall init.",
		FolderMissing:    "Correct the path, or make the folder; the account that runs needs to see it.",
		NoPermission:     "Let the account that runs read, or write, what the message names.",
		StoreUnreachable: "Run again: nothing is half done. If it stays so, look at the address, the network and the credentials.",
		StoreFull:        "Make room, then run again: nothing is half done.",
		NoCreateIfAbsent: "Put the table on a local disk or another file system with hard links; without them two writers would lose rows.",
		NoExchange:       "Write the copy to the file system of the folder that it is to replace.",
		RecordMalformed:  "Look at the record in quarantine with landfall files, correct it or the source's quote and delimiter, then landfall replay.",
		FileUnreadable:   "Have the file delivered again; it lands by itself then.",
		FileForeign:      "Take the file out of the folder, or narrow the source's pattern.",
		TooManyColumns:   "Look whether the delimiter is right; if the file really is so wide, raise maxColumns.",
		RecordTooLong:    "Look for a quote that is never closed; if the record really is so long, split it or leave the column out.",
		Encoding:         "Convert the file to UTF-8, or name its encoding in the source's options, then landfall replay.",
		NoFormat:         "Name the format, such as --format csv, or point the command at the folder of the files.",
		FileCorrupt:      "Have the file delivered again, and compare its checksum with the producer's.",
		ValueMisfit:      "Let the value be rescued by the policy value_misfit, or the column widen, then landfall replay.",
		NotDelta:         "Choose an empty folder or an existing Delta table as the target, or convert the folder to Delta first.",
		UnknownFeature:   "Drop the feature with the tool that set it, or land into another table.",
		LogBroken:        "Bring the missing file of _delta_log back from a copy; write nothing until then.",
		AppendOnly:       "Set delta.appendOnly to false, or do not replace files of this feed.",
		Constraint:       "Correct the rows at their source, or drop the constraint with the tool that set it.",
		ConflictLost:     "Run again when the other writers are done.",
		AuditFailed:      "See in the report which files differ; bring them back, or land everything again: landfall reset --reprocess.",
		ReplaceRefused:   "Land the source into a new table, or keep the rows that are there: landfall reset --keep.",
		TableMissing:     "Correct the path; a table has a folder _delta_log.",
		StateLost:        "Bring the state folder back from a backup, or begin anew: landfall reset --keep, or --reprocess.",
		TableRestored:    "Keep the table as it is and land only new files: landfall reset --keep. Or land everything again: landfall reset --reprocess.",
		TableRecreated:   "Restore the table, or land everything into the one that is there: landfall reset --reprocess.",
		SourceMoved:      "If the same files moved there, run again with --moved; if it is another feed, give it a name: --source NAME.",
		StateBroken:      "Bring the file back from a backup, or remove the folder that the message names and choose: landfall reset --keep, or --reprocess.",
		StateForeign:     "Keep the source's name (--source) and the place of its state, or land into another table.",
		PolicyFail:       "Look at what changed with landfall drift list, and decide; or set the policy to one that lands what fits.",
		BadDecision:      "Correct the decision as the message says.",
		GateClosed:       "Look at the file that the message names; move it aside, or take today's report as the new gate.",
		QueryFailed:      "Correct the query at the place that the message shows.",
		PlanInvalid:      "Look at the steps that the message names; each takes its rows from one that stands before it.",
		FlowSyntax:       "Correct the script at the line and column that the message names.",
		FlowName:         "Write the name that the message proposes.",
		FlowGraph:        "Name an input that a transformation makes, and give each stream one name.",
		FlowResource:     "Name a script, the JSON file of a data flow, or a template that has one.",
		FlowLint:         "Make the change that the finding proposes, or take its rule out of --fail-on.",
		FlowLayout:       "Run landfall flow fmt -w over the files that are named.",
	}
}
