package project

import (
	"fmt"
	"net/mail"
	"net/url"
	"path/filepath"
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

// alertTo reads a target or a list of them.
func (l *loader) alertTo(p pair) []alertTarget {
	p = pair{covered(p.key), covered(p.value)}
	items := p.value.items
	if !p.value.list {
		items = []tree{p.value}
	}
	if len(items) == 0 {
		l.problems.Add(p.key.problem(diag.ProjectKey, "to: found nothing, want a target").Hinted(`as in to: {webhook: "${ALERT_URL}"}`))
	}
	var out []alertTarget
	for _, n := range items {
		if t, ok := l.alertTarget(n); ok {
			out = append(out, t)
		}
	}
	return out
}

// alertTarget reads one target: the key that is a kind says which.
func (l *loader) alertTarget(n tree) (t alertTarget, ok bool) {
	if !n.mapping {
		l.problems.Add(n.problem(diag.ProjectKey, "to: found %s, want a mapping with one of %s", kindOf(n), strings.Join(targetKinds(), ", ")).
			Hinted(`as in to: {webhook: "${ALERT_URL}"}`))
		return t, false
	}
	t = alertTarget{texts: map[string]Value{}, lists: map[string][]Value{}, at: n}
	for _, q := range n.fields {
		if slices.Contains(targetKinds(), q.key.name()) {
			if t.kind != "" {
				l.problems.Add(q.key.problem(diag.ProjectKey, "to: found %s beside %s, want one target", q.key.name(), t.kind).
					Hinted("write a list: to: [{%s: …}, {%s: …}]", t.kind, q.key.name()))
				return t, false
			}
			t.kind, t.at = q.key.name(), q.key
		}
	}
	if t.kind == "" {
		l.problems.Add(n.problem(diag.ProjectKey, "to: found no target, want one of %s", strings.Join(targetKinds(), ", ")))
		return t, false
	}
	for _, q := range n.fields {
		name := q.key.name()
		switch {
		case name != t.kind && !slices.Contains(targetKeys(t.kind), name):
			l.unknownKey(q.key, append([]string{t.kind}, targetKeys(t.kind)...), "")
		case name == "command":
			t.lists[name] = l.secrets(q)
		case name == "smtp":
			l.mail(q, t)
		default:
			t.texts[name] = l.secret(q)
		}
	}
	l.form(t)
	t.name = t.texts["name"].Text
	return t, true
}

// covered is a node whose lines errors do not show: secrets may stand in them.
func covered(n tree) tree {
	n.excerpt, n.lines = "", nil
	fields, items := n.fields, n.items
	n.fields, n.items = nil, nil
	for _, f := range fields {
		n.fields = append(n.fields, pair{covered(f.key), covered(f.value)})
	}
	for _, i := range items {
		n.items = append(n.items, covered(i))
	}
	return n
}

// kindOf says what a node is without its text, which may be a secret.
func kindOf(n tree) string {
	switch {
	case n.scalar == nil:
		return n.what()
	case *n.scalar == "":
		return "an empty text"
	}
	return "a text"
}

// secret reads a text that errors do not show.
func (l *loader) secret(p pair) Value {
	v := p.located()
	if v.Text == "" {
		l.problems.Add(p.key.problem(diag.ProjectKey, "%s: found %s, want a text", p.key.name(), kindOf(p.value)))
	}
	return v
}

// secrets reads a text, or a list of them, that errors do not show.
func (l *loader) secrets(p pair) []Value {
	items := p.value.items
	if p.value.scalar != nil {
		items = []tree{p.value}
	}
	if len(items) == 0 {
		l.problems.Add(p.key.problem(diag.ProjectKey, "%s: found %s, want a list of texts", p.key.name(), kindOf(p.value)))
	}
	var out []Value
	for _, n := range items {
		out = append(out, l.secret(pair{p.key, n}))
	}
	return out
}

// mail reads a mail server, and who writes to whom.
func (l *loader) mail(p pair, t alertTarget) {
	if !p.value.mapping {
		l.problems.Add(p.key.problem(diag.ProjectKey, "smtp: found %s, want a mapping with host:, from: and to:", kindOf(p.value)))
		return
	}
	for _, q := range p.value.fields {
		switch name := q.key.name(); {
		case !slices.Contains(mailKeys(), name):
			l.unknownKey(q.key, mailKeys(), "")
		case name == "to":
			t.lists[name] = l.secrets(q)
		default:
			t.texts[name] = l.secret(q)
		}
	}
	for _, name := range []string{"host", "from"} {
		if _, ok := t.texts[name]; !ok {
			l.problems.Add(p.key.problem(diag.ProjectKey, "smtp: %s: is missing", name).Hinted("as in smtp: {host: mail.example.com, from: landfall@example.com, to: ann@example.com}"))
		}
	}
	if len(t.lists["to"]) == 0 && !slices.ContainsFunc(p.value.fields, func(q pair) bool { return q.key.name() == "to" }) {
		l.problems.Add(p.key.problem(diag.ProjectKey, "smtp: to: is missing").Hinted("name who gets the mail: to: [ann@example.com]"))
	}
	user, password := t.texts["user"].Text, t.texts["password"].Text
	if (user == "") != (password == "") {
		l.problems.Add(p.key.problem(diag.ProjectKey, "smtp: found one of user: and password:, want both or neither"))
	}
}

// form checks how a webhook writes its messages.
func (l *loader) form(t alertTarget) {
	as, ok := t.texts["as"]
	if !ok || as.Text == "" || slices.Contains(alert.Forms(), as.Text) {
		return
	}
	l.problems.Add(diag.New(diag.ProjectKey, "as: found %s, want one of %s", diag.Quote(as.Text), strings.Join(alert.Forms(), ", ")).In(as.At))
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

// alertNames gives targets without a name one, and refuses names that stand twice.
func (l *loader) alertNames() {
	seen := map[string]bool{}
	counts := map[string]int{}
	for i := range l.project.alerts {
		for k := range l.project.alerts[i].targets {
			t := &l.project.alerts[i].targets[k]
			counts[t.kind]++
			if t.name == "" {
				t.name = fmt.Sprintf("%s-%d", t.kind, counts[t.kind])
			}
			if at := t.texts["name"]; at.Text != "" && !validName(t.name) {
				l.problems.Add(diag.New(diag.ProjectKey, "name: found %s, want letters (a-z), digits, -, _ and single dots", diag.Quote(t.name)).In(at.At))
			}
			if seen[t.name] {
				l.problems.Add(t.at.problem(diag.ProjectKey, "two targets have the name %s", diag.Quote(t.name)).Hinted("name one of them otherwise: name: …"))
			}
			seen[t.name] = true
		}
	}
}

// Alerts returns the rules of alerts, with the variables of the environment that
// their targets name, as in ${ALERT_URL}. A variable that is not set is a diagnostic
// with its place; the error may be a [diag.List].
func (p *Project) Alerts(env func(name string) (string, bool)) ([]alert.Rule, error) {
	f := filler{env: env, dir: filepath.Dir(p.File)}
	out := make([]alert.Rule, len(p.alerts))
	for i, r := range p.alerts {
		out[i] = r.rule
		for _, t := range r.targets {
			out[i].Targets = append(out[i].Targets, alert.Target{Name: t.name, Sender: f.sender(t)})
		}
	}
	return out, f.problems.Err()
}

// filler fills in variables.
type filler struct {
	env      func(name string) (string, bool)
	dir      string
	problems diag.List
}

// sender makes a target of what is written.
func (f *filler) sender(t alertTarget) alert.Sender {
	switch t.kind {
	case "file":
		path := f.text(t.texts["file"])
		if !filepath.IsAbs(path) {
			path = filepath.Join(f.dir, filepath.FromSlash(path))
		}
		return alert.File{Path: path}
	case "command":
		return alert.Command{Args: f.all(t.lists["command"]), Dir: f.dir}
	case "smtp":
		return f.mail(t)
	}
	as := t.texts["as"].Text
	if as == alert.Forms()[0] {
		as = string(alert.JSON)
	}
	return alert.Webhook{URL: f.address(t.texts["webhook"]), Form: alert.Form(as)}
}

// address fills in the address of a webhook.
func (f *filler) address(v Value) string {
	known := len(f.problems)
	text := f.text(v)
	u, err := url.Parse(text)
	if len(f.problems) == known && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		f.problems.Add(diag.New(diag.ProjectKey, "webhook: found something else, want a URL that begins with https:// or http://").In(v.At).
			Hinted("copy it from the settings of the webhook"))
	}
	return text
}

// mail fills in a mail server.
func (f *filler) mail(t alertTarget) alert.Mail {
	m := alert.Mail{
		Host: f.text(t.texts["host"]), From: f.person(t.texts["from"]),
		User: f.text(t.texts["user"]), Password: f.text(t.texts["password"]),
	}
	for _, v := range t.lists["to"] {
		m.To = append(m.To, f.person(v))
	}
	if v, ok := t.texts["port"]; ok {
		port, err := strconv.Atoi(f.text(v))
		if err != nil || port < 1 || port > 65535 {
			f.problems.Add(diag.New(diag.ProjectKey, "port: found something else, want a number from 1 to 65535").In(v.At).Hinted("mail servers take 25, 465 or 587"))
		}
		m.Port = port
	}
	return m
}

// person fills in an address of mail.
func (f *filler) person(v Value) string {
	known := len(f.problems)
	text := f.text(v)
	if _, err := mail.ParseAddress(text); err != nil && len(f.problems) == known {
		f.problems.Add(diag.New(diag.ProjectKey, "found something else, want an address such as ann@example.com").In(v.At).Hinted("write one address a line"))
	}
	return text
}

func (f *filler) all(values []Value) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = f.text(v)
	}
	return out
}

// text fills in the variables of a text: ${NAME}. $${ stands for ${.
func (f *filler) text(v Value) string {
	var b strings.Builder
	rest := v.Text
	for {
		i := strings.Index(rest, "${")
		if i < 0 {
			b.WriteString(rest)
			return b.String()
		}
		if i > 0 && rest[i-1] == '$' {
			b.WriteString(rest[:i-1] + "${")
			rest = rest[i+2:]
			continue
		}
		name, after, closed := strings.Cut(rest[i+2:], "}")
		b.WriteString(rest[:i])
		value, set := "", false
		if closed {
			value, set = f.env(name)
		}
		switch {
		case !closed || !regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString(name):
			f.problems.Add(diag.New(diag.ProjectKey, "found a placeholder that names no variable, want ${NAME}").In(v.At).
				Hinted("write $${ for the characters themselves"))
			return ""
		case !set || value == "":
			f.problems.Add(diag.New(diag.ProjectKey, "the variable %s is not set", name).In(v.At).
				Hinted("set it in the environment of the run: export %s=…", name))
		}
		b.WriteString(value)
		rest = after
	}
}
