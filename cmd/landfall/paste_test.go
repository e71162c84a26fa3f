package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The commands that the demo prints work where they are read, which is outside its
// project.
func TestDemoCommands(t *testing.T) {
	t.Chdir(t.TempDir())
	c := landfall(t, "demo", filepath.Join(t.TempDir(), "the demo"))
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("demo: %v: %s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile(`(?m)^ +(\S*`+regexp.QuoteMeta(filepath.Base(self))+` .*)$`).FindAllSubmatch(out, -1)
	if len(commands) < 6 || bytes.Contains(out, []byte("  landfall ")) {
		t.Fatalf("found %d commands in\n%s", len(commands), out)
	}
	for _, m := range commands {
		sh := exec.CommandContext(t.Context(), "sh", "-c", string(m[1]))
		sh.Env = append(os.Environ(), asProgram+"=1")
		if out, err := sh.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", m[1], err, out)
		}
	}
}

// Hints repeat the project that the user named.
func TestPaste(t *testing.T) {
	file := decidable(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"drift", "list", "orders"}, "to decide: landfall --project FILE drift show orders "},
		{[]string{"drift", "show", "orders", "order_total"}, `landfall --project FILE drift decide orders order_total --map-to total_amount --why "…"`},
		{[]string{"drift", "show", "orders", "nothing", "--json"}, `"hint":"see them all: landfall --project FILE drift list"`},
		{[]string{"drift", "show", "orders", "nothing"}, "hint: see them all: landfall --project FILE drift list"},
		{[]string{"drift", "decide", "orders", "order_total", "--carry", "--why", "w"}, "contract v3: landfall --project FILE schema diff orders 2"},
		{[]string{"schema", "rollback", "orders", "9"}, "landfall --project FILE schema history orders"},
	} {
		for _, named := range []bool{true, false} {
			var out bytes.Buffer
			args := c.args
			want := strings.ReplaceAll(c.want, "FILE", file)
			if named {
				args = append(args[:len(args):len(args)], "--project", file)
			} else {
				t.Chdir(filepath.Dir(file))
				want = strings.ReplaceAll(c.want, " --project FILE", "")
			}
			run(args, &out, &out)
			if !strings.Contains(out.String(), want) && (named || c.args[1] != "decide") {
				t.Errorf("%v: found\n%s\nwant %s", args, out.String(), want)
			}
		}
	}
}
