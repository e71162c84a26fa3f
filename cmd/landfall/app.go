package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"landfall/internal/diag"
	"landfall/internal/store"
)

// app is what every command works with.
type app struct {
	stdout, stderr io.Writer
	now            func() time.Time
	newID          func() string
	// wrap, if set, decorates the stores of tables and of states elsewhere.
	wrap func(store.Store) (store.Store, error)
	// real is the folder of the project of which this works in a sandbox, "" outside of
	// drills: what a query names by a path is there, and is only read.
	real string

	// Flags of every command.
	json    bool
	quiet   bool
	project string
	// commands are the names of all commands; program is what to type to run them, ""
	// for the usual name.
	commands []string
	program  string
}

const exitCodes = `

Exit codes: 0 the promise held (also with drift, rescue or quarantine);
1 error; 2 usage or configuration; 3 a rule that you set stopped the run;
4 lost a conflict for good; 130 interrupted.`

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "landfall",
		Short: "Land changing files in lake tables: nothing breaks, nothing is lost",
		Long: `Landfall lands the files of a folder in a Delta table, exactly once.
Columns that come, go, move or change their casing or type do not break a run,
and no value is dropped unless a policy says so: it is in a column, in
_rescued_data, or in quarantine with its place.`,
		Example: `  landfall demo
  landfall preview landing/orders
  landfall land landing/orders lake/orders
  landfall query --table lake/orders "SELECT count(*) FROM t"`,
		SilenceErrors:              true,
		SuggestionsMinimumDistance: 2,
		SilenceUsage:               true,
		Args:                       unknown,
		RunE:                       func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	f := root.PersistentFlags()
	f.BoolVar(&a.json, "json", false, "print JSON on standard output")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "print nothing unless something needs a look")
	f.StringVar(&a.project, "project", "", "the project's landfall.yaml (default: in this folder or one above)")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return diag.New(diag.Usage, "%v", err).Hinted("see: %s --help", c.CommandPath())
	})
	root.AddCommand(
		a.initCommand(), a.inspectCommand(), a.explainCommand(), a.repairCommand(), a.previewCommand(), a.landCommand(), a.filesCommand(), a.eventsCommand(), a.driftCommand(),
		a.schemaCommand(), a.queryCommand(), a.vacuumCommand(), a.resetCommand(), a.replayCommand(), a.whyCommand(), a.auditCommand(), a.demoCommand(), a.versionCommand(), a.flowCommand(), a.runCommand(), a.drillCommand(), a.alertCommand(),
	)
	a.commands = nil
	for _, c := range root.Commands() {
		a.commands = append(a.commands, c.Name())
	}
	return root
}

// unknown refuses what is no command, with the nearest that is.
func unknown(c *cobra.Command, got []string) error {
	if len(got) == 0 {
		return nil
	}
	d := diag.New(diag.Usage, "found %s, want a command", diag.Quote(got[0])).Hinted("see: %s --help", c.CommandPath())
	if near := c.SuggestionsFor(got[0]); len(near) > 0 {
		d = d.Hinted("did you mean: %s %s?", c.CommandPath(), near[0])
	}
	return d
}

// args refuses a wrong number of arguments as a usage diagnostic.
func args(least, most int, want string) cobra.PositionalArgs {
	return func(c *cobra.Command, got []string) error {
		if len(got) < least || len(got) > most {
			return diag.New(diag.Usage, "found %d arguments, want %s", len(got), want).
				Hinted("see: %s --help", c.CommandPath())
		}
		return nil
	}
}

// fail prints an error to standard error: as text, or as JSON under --json.
func (a *app) fail(err error) {
	err = a.pasted(err)
	if !a.json {
		a.tell(diag.Render(err, a.colour()))
		return
	}
	type document struct {
		Code    diag.Code  `json:"code,omitempty"`
		Message string     `json:"message"`
		At      diag.Place `json:"at"`
		Hint    string     `json:"hint,omitempty"`
	}
	doc := document{Message: err.Error()}
	var d *diag.Diagnostic
	if errors.As(err, &d) {
		doc = document{d.Code, d.Message, d.At, d.Hint}
	}
	_ = encode(a.stderr, doc) // as tell
}

// print writes one JSON document on a line of standard output.
func (a *app) print(document any) error { return encode(a.stdout, document) }

func encode(w io.Writer, document any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(document)
}

// warn prints what went wrong beside a success.
func (a *app) warn(err error) { _ = encode(a.stderr, map[string]string{"warning": err.Error()}) } // as tell

// tell writes to standard error. Where that fails there is nobody left to tell.
func (a *app) tell(text string) { _, _ = io.WriteString(a.stderr, text) }

// colour tells whether the text output may use colour.
func (a *app) colour() bool {
	return os.Getenv("NO_COLOR") == "" && terminal(a.stderr)
}

// terminal tells whether w is a terminal.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
