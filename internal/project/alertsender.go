package project

import (
	"net/mail"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"landfall/internal/alert"
	"landfall/internal/diag"
)

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
