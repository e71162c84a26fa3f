package sparksql

import (
	"regexp"
	"strings"
)

// Unit is the one spelling of a unit of time: day for DAYS.
func Unit(word string) (string, bool) {
	u := strings.TrimSuffix(strings.ToLower(word), "s")
	switch u {
	case "year", "quarter", "month", "week", "day", "hour", "minute", "second", "millisecond", "microsecond":
		return u, true
	}
	return "", false
}

func (p *parser) unitAt(n int) bool {
	_, ok := Unit(p.PeekAt(n).Text)
	return ok && p.PeekAt(n).Kind == Word
}

// interval reads INTERVAL '1 day 2 hours', INTERVAL 1 HOUR 30 MINUTES, INTERVAL '1-2'
// YEAR TO MONTH.
func (p *parser) interval() Expr {
	begun := p.Next()
	i := &Interval{}
	for p.problem == nil {
		t := p.Peek()
		if t.Kind == String && !p.unitAt(1) {
			p.At++
			i.Parts = append(i.Parts, p.written(t)...)
			break
		}
		if t.Kind == String && p.PeekAt(2).Is("TO") {
			i.Parts = append(i.Parts, p.fromTo()...)
			break
		}
		count := p.unary()
		unit, ok := Unit(p.Peek().Text)
		if !ok {
			p.fail(p.Peek(), "a unit: DAY, HOUR, MONTH …")
			break
		}
		p.At++
		i.Parts = append(i.Parts, Amount{Count: count, Unit: unit})
		if !p.amountFollows() {
			break
		}
	}
	i.Range = p.since(begun.At)
	return i
}

// amountFollows reports whether another amount stands here: 30 MINUTES, -2 DAYS.
func (p *parser) amountFollows() bool {
	i := 0
	if p.Is("-") {
		i = 1
	}
	k := p.PeekAt(i).Kind
	return (k == Number || k == String) && p.unitAt(i+1)
}

// written reads the amounts of one text: 1 day 2 hours.
func (p *parser) written(t Token) []Amount {
	words := strings.Fields(t.Text)
	if len(words) > 0 && strings.EqualFold(words[0], "interval") {
		words = words[1:]
	}
	var out []Amount
	for i := 0; i+1 < len(words); i += 2 {
		unit, ok := Unit(words[i+1])
		if !ok || !amountText.MatchString(words[i]) {
			break
		}
		out = append(out, Amount{Count: amountOf(t, words[i]), Unit: unit})
	}
	if len(out)*2 != len(words) || len(out) == 0 {
		p.fail(t, "amounts with units, as in '1 day 2 hours'")
	}
	return out
}

var (
	amountText   = regexp.MustCompile(`^[+-]?\d+(\.\d+)?$`)
	yearsMonths  = regexp.MustCompile(`^([+-]?)(\d+)-(\d+)$`)
	daysAndHours = regexp.MustCompile(`^([+-]?)(?:(\d+) )?(\d+)(?::(\d+))?(?::(\d+(?:\.\d+)?))?$`)
)

func amountOf(t Token, text string) Expr {
	digits := strings.TrimLeft(text, "+-")
	l := &Literal{Range: t.Range, Class: Whole, Text: digits}
	if strings.Contains(digits, ".") {
		l.Class = Decimal
	}
	if strings.HasPrefix(text, "-") {
		return &Unary{Range: t.Range, Op: "-", X: l}
	}
	return l
}

// fromTo reads '1-2' YEAR TO MONTH and '1 02:03:04' DAY TO SECOND.
func (p *parser) fromTo() []Amount {
	t, from := p.Next(), p.Next()
	p.want("TO")
	to := p.Next()
	first, _ := Unit(from.Text)
	last, ok := Unit(to.Text)
	text := strings.TrimSpace(t.Text)
	if m := yearsMonths.FindStringSubmatch(text); m != nil && first == "year" && last == "month" {
		return []Amount{{Count: amountOf(t, m[1]+m[2]), Unit: "year"}, {Count: amountOf(t, m[1]+m[3]), Unit: "month"}}
	}
	names := []string{"day", "hour", "minute", "second"}
	m := daysAndHours.FindStringSubmatch(text)
	if m == nil || !ok || first != "day" || m[2] == "" {
		p.fail(t, "amounts with units, as in '1 day 2 hours'")
		return nil
	}
	var out []Amount
	for i, name := range names {
		if m[i+2] != "" {
			out = append(out, Amount{Count: amountOf(t, m[1]+m[i+2]), Unit: name})
		}
	}
	return out
}
