package project_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"landfall/internal/alert"
	"landfall/internal/diag"
	"landfall/internal/project"
)

const withAlerts = `version: 1
sources: {orders: {path: in, table: lake}}
alerts:
  - on: [rescued, run_failed]
    to: {webhook: "${ALERT_URL}/x"}
    digest: daily 09:30 Europe/Berlin
    redact: true
    sources: [orders]
  - to:
      - {file: out/alerts.ndjson, name: log}
      - webhook: http://127.0.0.1/$${plain}
      - {webhook: "http://127.0.0.1", as: teams}
      - command: [notify, "--token=${ALERT_URL}", plain]
      - smtp: {host: mail.example.com, port: 587, from: landfall@example.com, to: [ann@example.com, bo@example.com], user: ann, password: "${ALERT_URL}"}
`

// TestAlerts: rules are read, and variables filled in when they are wanted.
func TestAlerts(t *testing.T) {
	p, err := project.Load("/p/landfall.yaml", []byte(withAlerts))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := p.Alerts(func(name string) (string, bool) { return "https://hooks.example/s3cret", name == "ALERT_URL" })
	if err != nil {
		t.Fatal(err)
	}
	first := rules[0]
	if len(first.On) != 2 || !first.Redact || first.Sources[0] != "orders" || first.Digest.Hour != 9 || first.Digest.Minute != 30 {
		t.Errorf("found %+v", first)
	}
	if at := first.Digest.After(time.Date(2026, 7, 1, 8, 0, 0, 0, time.UTC)); at.UTC().Hour() != 7 {
		t.Errorf("the digest is at %v, want 9:30 in Berlin", at)
	}
	want := []alert.Target{
		{Name: "webhook-1", Sender: alert.Webhook{URL: "https://hooks.example/s3cret/x"}},
		{Name: "log", Sender: alert.File{Path: "/p/out/alerts.ndjson"}},
		{Name: "webhook-2", Sender: alert.Webhook{URL: "http://127.0.0.1/${plain}"}},
		{Name: "webhook-3", Sender: alert.Webhook{URL: "http://127.0.0.1", Form: alert.Teams}},
		{Name: "command-1", Sender: alert.Command{Args: []string{"notify", "--token=https://hooks.example/s3cret", "plain"}, Dir: "/p"}},
		{Name: "smtp-1", Sender: alert.Mail{
			Host: "mail.example.com", Port: 587, From: "landfall@example.com", To: []string{"ann@example.com", "bo@example.com"},
			User: "ann", Password: "https://hooks.example/s3cret",
		}},
	}
	for i, got := range append(first.Targets, rules[1].Targets...) {
		if !reflect.DeepEqual(got, want[i]) {
			t.Errorf("found %+v, want %+v", got, want[i])
		}
	}
	_, err = p.Alerts(func(string) (string, bool) { return "", false })
	if text := diag.Render(err, false); !strings.Contains(text, "landfall.yaml:5:19: the variable ALERT_URL is not set [E0202]") {
		t.Errorf("found %s", text)
	}
}

// TestAlertsWrong: what is written wrong is told with its place, and secrets are not
// told.
func TestAlertsWrong(t *testing.T) {
	for _, c := range [][2]string{
		{"{}", `:3:9: alerts: found a mapping, want a list of rules`},
		{"[x]", `:3:10: alerts: found "x", want a mapping`},
		{"[{on: rescued}]", `the rule has no target`},
		{"[{on: rescue, to: {file: a}}]", `on: found "rescue", want a kind of message`},
		{"[{on: column_added, to: {file: a}}]", `new columns are lines of a digest`},
		{"[{on: [], to: {file: a}}]", `on: found a list, want a list of kinds`},
		{"[{to: []}]", `to: found nothing`},
		{"[{to: {}}]", `found no target, want one of`},
		{"[{to: {file: a, webhook: b}}]", `found webhook beside file, want one target`},
		{"[{to: s3cret}]", `to: found a text, want a mapping`},
		{"[{to: {webhook: [s3cret]}}]", `webhook: found a list, want a text`},
		{"[{to: {webhook: s3cret, from: b}}]", `unknown key "from"`},
		{"[{to: {webhook: s3cret, as: b}}]", `as: found "b", want one of json, slack, teams`},
		{"[{to: {file: a}, digest: 9am}]", `digest: found "9am", want daily HH:MM`},
		{"[{to: {file: a}, digest: daily 09:00 Nowhere}]", `digest: found "Nowhere", want a time zone`},
		{"[{to: {file: a}, redact: maybe}]", `redact: found "maybe", want true or false`},
		{"[{to: {file: ''}}]", `file: found an empty text, want a text`},
		{"[{to: {smtp: s3cret}}]", `smtp: found`},
		{"[{to: {smtp: {host: a}}}]", `smtp: from: is missing`},
		{"[{to: {smtp: {host: a, from: b}}}]", `smtp: to: is missing`},
		{"[{to: {smtp: {host: a, from: b, to: c, password: s3cret}}}]", `found one of user: and password:`},
		{"[{to: {smtp: {host: a, from: b, to: [], mail: c}}}]", `unknown key "mail"`},
		{"[{to: {command: []}}]", `command: found a list, want a list of texts`},
		{"[{to: {command: [{}]}}]", `command: found a mapping, want a text`},
		{"[{to: {file: a}, when: x}]", `unknown key "when"`},
		{"[{to: [{file: a, name: x}, {file: b, name: x}]}]", `two targets have the name "x"`},
		{"[{to: {file: a, name: a/b}}]", `name: found "a/b"`},
	} {
		text, want := c[0], c[1]
		_, err := project.Load("landfall.yaml", []byte("version: 1\nsources: {orders: {path: in, table: lake}}\nalerts: "+text+"\n"))
		if err == nil {
			t.Errorf("%s: accepted", text)
			continue
		}
		got := diag.Render(err, false)
		if !strings.Contains(got, want) {
			t.Errorf("%s: found %s, want %s", text, got, want)
		}
		if strings.Contains(got, "s3cret") {
			t.Errorf("%s: a secret is told: %s", text, got)
		}
	}
}

// TestAlertsUnfit: what variables hold is checked, and not told.
func TestAlertsUnfit(t *testing.T) {
	for _, c := range [][2]string{
		{`{webhook: "${X}"}`, "want a URL that begins with https://"},
		{`{smtp: {host: h, from: "${X}", to: a@b.c}}`, "want an address such as"},
		{`{smtp: {host: h, from: a@b.c, to: "${X}"}}`, "want an address such as"},
		{`{smtp: {host: h, port: "${X}", from: a@b.c, to: a@b.c}}`, "want a number from 1 to 65535"},
		{`{command: [a, "${not a name}"]}`, "names no variable"},
		{`{command: [a, "${open"]}`, "names no variable"},
	} {
		p, err := project.Load("landfall.yaml", []byte("version: 1\nsources: {orders: {path: in, table: lake}}\nalerts: [{to: "+c[0]+"}]\n"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Alerts(func(string) (string, bool) { return "s3cret", true })
		if err == nil {
			t.Errorf("%s: accepted", c[0])
			continue
		}
		if got := diag.Render(err, false); !strings.Contains(got, c[1]) || !strings.Contains(got, "landfall.yaml:3:") || strings.Contains(got, "s3cret") {
			t.Errorf("%s: found %s, want %s", c[0], got, c[1])
		}
	}
}

// FuzzAlerts: whatever the file says, what a variable holds is told nowhere.
func FuzzAlerts(f *testing.F) {
	f.Add([]byte(withAlerts))
	for _, to := range []string{`{webhook: "${X}"}`, `{webhook: "${X"}`, `{smtp: {host: "${X}", port: "${X}", from: "${X}", to: ["${X}"]}}`, `{command: ["${X}"]}`, `{file: "${X}"}`} {
		f.Add([]byte("version: 1\nsources: {orders: {path: in, table: lake}}\nalerts: [{to: " + to + "}]\n"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := project.Load("landfall.yaml", data)
		if err != nil {
			return
		}
		const held = "s3cretXq9"
		rules, err := p.Alerts(func(string) (string, bool) { return held, true })
		if err != nil && strings.Contains(diag.Render(err, false), held) {
			t.Errorf("a secret is told: %v", err)
		}
		for _, r := range rules {
			for _, target := range r.Targets {
				if strings.Contains(target.Name, held) {
					t.Errorf("a target is called %s", target.Name)
				}
			}
		}
	})
}
