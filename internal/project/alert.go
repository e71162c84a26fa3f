package project

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"landfall/internal/alert"
	"landfall/internal/diag"
)

// alertRule is a rule of alerts as it is written: its variables are filled in when
// it is needed.
type alertRule struct {
	rule    alert.Rule
	targets []alertTarget
	// sources is where their names stand.
	sources pair
}

// alertTarget is a target as it is written.
type alertTarget struct {
	name, kind string
	// texts are the values by key, lists those of a command and of the people that mail
	// goes to.
	texts map[string]Value
	lists map[string][]Value
	at    tree
}

// HasAlerts tells whether the project has rules of alerts.
func (p *Project) HasAlerts() bool { return len(p.alerts) > 0 }

// alertKeys, targetKinds and the keys of each are what the loader takes.
func alertKeys() []string { return []string{"on", "to", "sources", "redact", "digest"} }

func targetKinds() []string { return []string{"webhook", "smtp", "command", "file"} }

// targetKeys are those that a target of a kind may have beside its kind.
func targetKeys(kind string) []string {
	if kind == "webhook" {
		return []string{"as", "name"}
	}
	return []string{"name"}
}

// mailKeys are those of a mail server.
func mailKeys() []string { return []string{"host", "port", "from", "to", "user", "password"} }

// alerts reads the rules.
func (l *loader) alerts(p pair) {
	if !p.value.list {
		at := p.value
		if at.scalar == nil && !at.mapping {
			at = p.key
		}
		l.problems.Add(at.problem(diag.ProjectKey, "alerts: found %s, want a list of rules", p.value.what()).
			Hinted(`as in alerts: [{on: [rescued, run_failed], to: {webhook: "${ALERT_URL}"}}]`))
		return
	}
	for _, item := range p.value.items {
		l.alert(item)
	}
	l.alertNames()
}

func (l *loader) alert(n tree) {
	if !n.mapping {
		l.problems.Add(n.problem(diag.ProjectKey, "alerts: found %s, want a mapping with on: and to:", n.what()))
		return
	}
	var r alertRule
	to := false
	for _, q := range n.fields {
		switch q.key.name() {
		case "on":
			r.rule.On = l.alertOn(q)
		case "sources":
			r.rule.Sources = l.names(q)
			r.sources = q
		case "redact":
			r.rule.Redact = l.truth(q)
		case "digest":
			r.rule.Digest = l.digest(q)
		case "to":
			to = true
			r.targets = l.alertTo(q)
		default:
			l.unknownKey(q.key, alertKeys(), "")
		}
	}
	if !to {
		l.problems.Add(n.problem(diag.ProjectKey, "the rule has no target").Hinted(`add to: {webhook: "${ALERT_URL}"}`))
	}
	l.project.alerts = append(l.project.alerts, r)
}

// alertOn reads the kinds of message.
func (l *loader) alertOn(p pair) []alert.Kind {
	known := make([]string, 0, len(alert.Kinds()))
	for _, k := range alert.Kinds() {
		known = append(known, string(k))
	}
	items := p.value.items
	if p.value.scalar != nil {
		items = []tree{p.value}
	}
	if len(items) == 0 {
		l.problems.Add(p.key.problem(diag.ProjectKey, "on: found %s, want a list of kinds", p.value.what()).
			Hinted("kinds are %s", strings.Join(known, ", ")))
	}
	var out []alert.Kind
	for _, n := range items {
		if slices.Contains(known, n.name()) {
			out = append(out, alert.Kind(n.name()))
			continue
		}
		d := n.problem(diag.ProjectKey, "on: found %s, want a kind of message", n.what())
		switch near := diag.Nearest(n.name(), known); {
		case n.name() == string(alert.ColumnAdded):
			d.Hint = "new columns are lines of a digest, and none of the kinds: leave it out and write digest: daily 09:00"
		case near != "":
			d.Hint = "did you mean " + near + "?"
		default:
			d.Hint = "kinds are " + strings.Join(known, ", ")
		}
		l.problems.Add(d)
	}
	return out
}

// truth reads true or false.
func (l *loader) truth(p pair) bool {
	if text := p.value.name(); text == "true" || text == "false" {
		return text == "true"
	}
	l.problems.Add(p.value.problem(diag.ProjectKey, "%s: found %s, want true or false", p.key.name(), p.value.what()))
	return false
}

// digest reads a time of day: daily HH:MM, and a zone.
func (l *loader) digest(p pair) *alert.Digest {
	m := regexp.MustCompile(`^daily +([01]?[0-9]|2[0-3]):([0-5][0-9])(?: +(\S+))?$`).FindStringSubmatch(strings.TrimSpace(p.value.name()))
	if m == nil {
		l.problems.Add(p.value.problem(diag.ProjectKey, "digest: found %s, want daily HH:MM, and a zone unless it is UTC", p.value.what()).
			Hinted("as in digest: daily 09:00 Europe/Berlin"))
		return nil
	}
	var d alert.Digest
	d.Hour, _ = strconv.Atoi(m[1])   // digits
	d.Minute, _ = strconv.Atoi(m[2]) // digits
	if m[3] != "" {
		zone, err := time.LoadLocation(m[3])
		if err != nil || m[3] == "Local" {
			l.problems.Add(p.value.problem(diag.ProjectKey, "digest: found %s, want a time zone", diag.Quote(m[3])).
				Hinted("zones have names such as Europe/Berlin and UTC"))
			return nil
		}
		d.Zone = zone
	}
	return &d
}

// alertSources refuses names that nothing has: a rule would be silent for ever. What
// names a folder stands for an inspection.
func (l *loader) alertSources() {
	known := l.project.Names()
	for _, f := range l.project.Flows {
		known = append(known, f.Name)
	}
	for _, p := range l.project.Pipelines {
		known = append(known, p.Name)
	}
	for _, r := range l.project.alerts {
		items := r.sources.value.items
		if r.sources.value.scalar != nil {
			items = []tree{r.sources.value}
		}
		for _, n := range items {
			if name := n.name(); name == "" || slices.Contains(known, name) || strings.ContainsAny(name, "/.") {
				continue
			}
			d := n.problem(diag.ProjectKey, "sources: found %s, want the name of a source, a flow, a pipeline or a folder", n.what()).
				Hinted("those of this project are %s", strings.Join(known, ", "))
			if near := diag.Nearest(n.name(), known); near != "" {
				d.Message += "; did you mean " + near + "?"
			}
			l.problems.Add(d)
		}
	}
}
