package function

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"landfall/internal/schema"
)

// Argument is what is known of an argument before a row is seen.
type Argument struct {
	// Type of the value; of a lambda that of its body. Unknown is the type of
	// null, which becomes any other.
	Type schema.Type
	// Literal is the value of a constant: an int64, float64, string or bool;
	// nil of everything else.
	Literal any
}

// Call is a form of a function with given arguments.
type Call struct {
	Function *Function
	// Args are the types that the arguments are brought to.
	Args   []schema.Type
	Result schema.Type
	// Nest is how many lambdas stand around the call. The binder sets it where
	// a lambda is an argument; the lambda's variables are Local(name, Nest).
	Nest int

	form  *Form
	given []Argument
}

// Reason is what is wrong with a call.
type Reason string

// The reasons of faults.
const (
	NotKnown   Reason = "unknown"   // there is no such function
	NotRun     Reason = "refused"   // the function does not run
	WrongCount Reason = "count"     // no form has as many arguments
	WrongType  Reason = "type"      // an argument has a type that does not fit
	NoConstant Reason = "constant"  // an argument must be a constant
	BadPattern Reason = "pattern"   // a constant pattern or regular expression cannot be read
	NoTemplate Reason = "template"  // the engine has no text for the form
	NoWindow   Reason = "no window" // the function needs a window, or cannot have one
)

// Fault is what is wrong with a call. Whoever knows the place of the expression
// makes a diagnostic of it.
type Fault struct {
	Function string
	Reason   Reason
	// Argument is its number from 1, 0 where no argument is at fault.
	Argument int
	// Found and Want say what the argument is and should be; Want of a function
	// that is not known is the nearest name, "" if none is near.
	Found, Want string
}

// Error says what was found and what is wanted.
func (f *Fault) Error() string {
	switch f.Reason {
	case NotKnown:
		if f.Want == "" {
			return f.Function + ": there is no such function"
		}
		return f.Function + ": there is no such function, the nearest is " + f.Want
	case NotRun:
		return f.Function + ": does not run: " + f.Found
	case WrongCount:
		return fmt.Sprintf("%s: found %s, want %s", f.Function, f.Found, f.Want)
	case NoTemplate, NoWindow:
		return fmt.Sprintf("%s: found %s, want %s", f.Function, f.Found, f.Want)
	}
	return fmt.Sprintf("%s: argument %d: found %s, want %s", f.Function, f.Argument, f.Found, f.Want)
}

// Resolve picks the form of a function that takes the arguments with the fewest
// conversions. Numbers become wider ones, dates become timestamps, null becomes
// anything; a text never becomes a number, nor a number a text. The error is a
// *Fault.
func (t *Table) Resolve(name string, args []Argument) (Call, error) {
	f := t.functions[name]
	switch {
	case f == nil:
		return Call{}, &Fault{Function: name, Reason: NotKnown, Want: t.Nearest(name)}
	case f.Refused != "":
		return Call{}, &Fault{Function: name, Reason: NotRun, Found: f.Refused}
	}
	args = zoneless(args)
	best, least := Call{}, 1<<30
	var fault *Fault
	for i := range f.Forms {
		form := &f.Forms[i]
		m := match{form: form, given: args, env: map[string]schema.Type{}}
		if !m.spread() {
			continue
		}
		if wrong := m.fit(); wrong != nil {
			wrong.Function = name
			if fault == nil || wrong.Argument > fault.Argument {
				fault = wrong
			}
		} else if m.cost < least {
			best, least = Call{Function: f, Args: m.args, Result: m.result, form: form, given: args}, m.cost
		}
	}
	switch {
	case best.form != nil:
		return best, nil
	case fault != nil:
		return Call{}, fault
	}
	return Call{}, &Fault{Function: name, Reason: WrongCount, Found: counted(len(args)), Want: strings.Join(f.texts(), " or ")}
}

// zoneless takes wall clocks for times of UTC, which is all that functions know.
func zoneless(args []Argument) []Argument {
	out := slices.Clone(args)
	for i, a := range out {
		if a.Type == schema.TimestampNTZ {
			out[i].Type = schema.Timestamp
		}
	}
	return out
}

func counted(n int) string {
	if n == 1 {
		return "1 argument"
	}
	return fmt.Sprintf("%d arguments", n)
}

// texts are the forms as the table writes them.
func (f *Function) texts() []string {
	out := make([]string, len(f.Forms))
	for i, form := range f.Forms {
		out[i] = form.Text
	}
	return out
}

// Lambda returns the variables that argument i, from 0, sees in a call with the
// arguments before it, none if it is not a lambda.
func (t *Table) Lambda(name string, i int, before []Argument) []Variable {
	f := t.functions[name]
	if f == nil {
		return nil
	}
	for n := range f.Forms {
		form := &f.Forms[n]
		if i >= len(form.params) || len(form.params[i].binds) == 0 {
			continue
		}
		m := match{form: form, given: before[:i], params: form.params[:i], env: map[string]schema.Type{}}
		if m.fit() != nil {
			continue
		}
		var out []Variable
		for _, v := range form.params[i].binds {
			out = append(out, Variable{v.name, m.typed(v.term, schema.Unknown)})
		}
		return out
	}
	return nil
}

// Local is the text by which a lambda's body names a variable: the lambda is an
// argument of a call that stands in nest other lambdas.
func Local(name string, nest int) string {
	if name == "index" {
		return fmt.Sprintf("CAST(%s AS INTEGER)", declared(name, nest))
	}
	return declared(name, nest)
}

// declared is the name that a template gives to a variable.
func declared(name string, nest int) string { return fmt.Sprintf("_%s_%d", name, nest) }

// match is the attempt to give arguments to a form.
type match struct {
	form   *Form
	given  []Argument
	params []param // one an argument
	env    map[string]schema.Type
	args   []schema.Type
	result schema.Type
	cost   int
}

// spread gives each argument its parameter, repeating the group.
func (m *match) spread() bool {
	f, n := m.form, len(m.given)
	if f.group[0] < 0 {
		m.params = f.params[:min(n, len(f.params))]
		return n == len(f.params) || f.tail && n == len(f.params)-1
	}
	m.params = slices.Clone(f.params[:f.group[0]])
	after := f.params[f.group[1]:]
	size := f.group[1] - f.group[0]
	rest := n - len(m.params)
	if len(after) > 0 && (!f.tail || rest%size == 1) {
		rest -= len(after)
	} else {
		after = nil
	}
	if rest < size || rest%size != 0 {
		return false
	}
	for range rest / size {
		m.params = append(m.params, f.params[f.group[0]:f.group[1]]...)
	}
	m.params = append(m.params, after...)
	return true
}

// fit finds what the variables stand for and what each argument becomes.
func (m *match) fit() *Fault {
	for i, p := range m.params {
		if !m.unify(p.term, m.given[i].Type) {
			return m.fault(i, WrongType)
		}
		if literal := m.given[i].Literal; p.literal && (literal == nil || p.value != "" && fmt.Sprint(literal) != p.value) {
			return m.fault(i, NoConstant)
		}
	}
	m.args = make([]schema.Type, len(m.params))
	for i, p := range m.params {
		m.args[i] = m.arg(p.term, m.given[i])
		switch {
		case same(m.args[i], m.given[i].Type):
		case m.given[i].Type == schema.Unknown:
			m.cost++
		default:
			m.cost += 2
		}
	}
	m.result = m.typed(m.form.result, schema.Unknown)
	if d, ok := m.result.(schema.Decimal); ok && m.form.result.base == "decimal()" {
		return m.bounds(d)
	}
	return nil
}

// bounds refuses a precision or scale that no decimal has.
func (m *match) bounds(d schema.Decimal) *Fault {
	switch at := m.form.result.digits; {
	case d.Precision < 1 || d.Precision > maxDigits:
		return &Fault{Reason: BadPattern, Argument: at[0], Found: strconv.Itoa(d.Precision), Want: "a precision from 1 to 38"}
	case d.Scale < 0 || d.Scale > d.Precision:
		return &Fault{Reason: BadPattern, Argument: at[1], Found: strconv.Itoa(d.Scale), Want: "a scale from 0 to the precision"}
	}
	return nil
}

func (m *match) fault(i int, reason Reason) *Fault {
	want := m.params[i].term.String()
	if bound, ok := m.env[want]; ok {
		want = spell(bound)
	} else if of, ok := variables(want); ok {
		want = of
	}
	if reason == NoConstant {
		want = strings.TrimSpace("the constant "+m.params[i].value) + " " + want
	}
	return &Fault{Reason: reason, Argument: i + 1, Found: spell(m.given[i].Type), Want: want}
}

// unify reports whether a type fits a term, and notes what variables stand for.
func (m *match) unify(t term, given schema.Type) bool {
	if of, ok := variables(t.base); ok {
		if belongs, _ := family(of, given); !belongs && given != schema.Unknown {
			return false
		}
		bound, ok := common(m.env[t.base], given)
		if ok {
			m.env[t.base] = bound
		}
		return ok
	}
	if given == schema.Unknown {
		return m.unifyNull(t)
	}
	switch t.base {
	case arrayTerm:
		a, ok := given.(schema.Array)
		return ok && m.unify(t.parts[0], a.Element)
	case mapTerm:
		a, ok := given.(schema.Map)
		return ok && m.unify(t.parts[0], a.Key) && m.unify(t.parts[1], a.Value)
	case "decimal":
		_, ok := given.(schema.Decimal)
		return ok || isIntegral(given)
	}
	if belongs, known := family(t.base, given); known {
		return belongs
	}
	return becomes(given, schema.Primitive(t.base))
}

// unifyNull lets variables of a term without a value stand for nothing yet.
func (m *match) unifyNull(t term) bool {
	for _, part := range t.parts {
		m.unify(part, schema.Unknown)
	}
	return true
}

// becomes reports whether a value of a type is brought to a primitive without
// being asked for.
func becomes(from schema.Type, to schema.Primitive) bool {
	switch {
	case from == to:
		return true
	case to == schema.Timestamp:
		return from == schema.Date
	case isIntegral(to):
		return isIntegral(from)
	case isNumber(to):
		return isNumber(from)
	}
	return false
}

// arg is the type that an argument is brought to.
func (m *match) arg(t term, given Argument) schema.Type {
	if t.base == "decimal" && isIntegral(given.Type) {
		return decimalOf(given.Type, given.Literal)
	}
	return m.typed(t, given.Type)
}

// typed is the type that a term stands for; given is that of the argument,
// which families leave as it is.
func (m *match) typed(t term, given schema.Type) schema.Type {
	if _, ok := variables(t.base); ok {
		if bound := m.env[t.base]; bound != nil {
			return bound
		}
		return schema.Unknown
	}
	switch t.base {
	case arrayTerm:
		a, _ := given.(schema.Array)
		return schema.Array{Element: m.typed(t.parts[0], orUnknown(a.Element)), ContainsNull: true}
	case mapTerm:
		a, _ := given.(schema.Map)
		return schema.Map{
			Key: m.typed(t.parts[0], orUnknown(a.Key)), Value: m.typed(t.parts[1], orUnknown(a.Value)), ValueContainsNull: true,
		}
	case "decimal()":
		return schema.Decimal{Precision: m.digits(t.digits[0]), Scale: m.digits(t.digits[1])}
	}
	if _, known := family(t.base, given); known {
		return orDefault(t.base, given)
	}
	if out, ok := rule(t.base, m.args); ok {
		return out
	}
	return schema.Primitive(t.base)
}

// digits is precision or scale of a decimal: below zero the number itself, else
// the number of the argument that holds it.
func (m *match) digits(n int) int {
	if n <= 0 {
		return -n
	}
	value, _ := m.given[n-1].Literal.(int64) // fit has refused what is no constant
	return int(value)
}

func orUnknown(t schema.Type) schema.Type {
	if t == nil {
		return schema.Unknown
	}
	return t
}

// orDefault is the type that null takes in a family.
func orDefault(name string, given schema.Type) schema.Type {
	if given != schema.Unknown {
		return given
	}
	switch name {
	case "number", "fractional", "binaryfloat":
		return schema.Double
	case "integral":
		return schema.Integer
	case "decimal":
		return schema.Decimal{Precision: 10, Scale: 2}
	case "datetime":
		return schema.Timestamp
	}
	return given
}

// spell writes a type as data flow script does.
func spell(t schema.Type) string {
	switch t := t.(type) {
	case schema.Primitive:
		return string(t)
	case schema.Array:
		return spell(t.Element) + "[]"
	case schema.Map:
		return "[" + spell(t.Key) + "," + spell(t.Value) + "]"
	case schema.Struct:
		fields := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			fields[i] = f.Name + " as " + spell(f.Type)
		}
		return "(" + strings.Join(fields, ", ") + ")"
	}
	return t.String()
}
