package project

import (
	"fmt"
	"slices"
	"strings"

	"landfall/internal/alert"
	"landfall/internal/diag"
)

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
