package failure

import (
	"regexp"
	"strings"
)

// What surrounds a message in a log and is no part of it.
var (
	// colours are the escapes of a terminal.
	colours = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)
	// tags are those in which pages show a log.
	tags = regexp.MustCompile(`</?(?:pre|code|div|span|td|tr|li|p|br)(?: [^<>\n]*)?/?>`)
	// packed tells a line of JSON: a key and the beginning of its value.
	packed = regexp.MustCompile(`"\s*:\s*["\[{]|\\"\s*:\s*\\"`)
	// record is where a log begins a record anew: at a time, an object of JSON, or a
	// trace; chained is what stands before a trace that another one led to.
	record  = regexp.MustCompile(`\n(?:\d\d(?:\d\d)?[/-]\d\d[/-]\d\d[ T]\d\d:\d\d|\{"|Traceback \(most recent call last\):)`)
	chained = regexp.MustCompile(`(?:following exception|another exception occurred):$`)
	// prefix is what logs put before each line, also before those that continue a
	// message: a time in brackets and the place in a program, or a time and a stream.
	prefix = regexp.MustCompile(`^\s*(?:\[\d{4}-\d\d-\d\d[T ,][^\]\n]{0,30}\] (?:\[[^\]\n]{1,40}\] )?(?:\{[^}\n]{1,200}\} )?(?:[A-Z]{4,8} (?:- )?)?|\d{4}-\d\d-\d\dT\d\d:\d\d:[0-9.,]+Z? (?:(?:stdout|stderr) [FP] )?(?:\[(?:info|warn|error)\] )?)(?:\|\s?)?`)
)

// peeler takes off what wraps a text.
type peeler struct {
	// json and html put characters in the place of their names.
	json, html *strings.Replacer
}

func newPeeler() peeler {
	return peeler{
		strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", `\r`, "", `\t`, " ", `\/`, "/",
			`\u0027`, "'", `\u0022`, `"`, `\u003c`, "<", `\u003e`, ">", `\u003C`, "<", `\u003E`, ">",
			`\u0026`, "&", `\u001b`, "\x1b", `\u001B`, "\x1b"),
		strings.NewReplacer("&quot;", `"`, "&#34;", `"`, "&#39;", "'", "&#x27;", "'", "&apos;", "'",
			"&lt;", "<", "&gt;", ">", "&nbsp;", " ", "&amp;", "&"),
	}
}

// mostWrapped is how often JSON may stand within JSON.
const mostWrapped = 3

// plain is a piece of text with each run of blanks as one blank or one line break, and
// without what wraps it: escapes of JSON and HTML, colours, and what a log puts before
// each line.
func (p peeler) plain(text string, json bool) string {
	for range mostWrapped {
		if !json {
			break
		}
		inner := strings.Contains(text, `"{\"`) || strings.Contains(text, `"[{\"`)
		text = p.json.Replace(text)
		json = inner || strings.Contains(text, `\"`)
	}
	if strings.Contains(text, "\x1b[") {
		text = colours.ReplaceAllString(text, "")
	}
	if strings.Contains(text, "&") {
		text = p.html.Replace(text)
	}
	if strings.Contains(text, "</") {
		text = tags.ReplaceAllString(text, "\n")
	}
	return blanks(unprefixed(text))
}

// unprefixed is a text whose lines begin where the message does.
func unprefixed(text string) string {
	var b strings.Builder
	for line := range strings.SplitAfterSeq(text, "\n") {
		if len(line) > 10 && (line[4] == '-' || strings.IndexByte(line[:4], '[') >= 0) {
			line = line[len(prefix.FindString(line)):]
		}
		b.WriteString(line)
	}
	return b.String()
}

// blanks is a text with each run of blanks as one, which is a line break if there is one
// in the run.
func blanks(text string) string {
	out := make([]byte, 0, len(text))
	for i := range len(text) {
		ch := text[i]
		if ch == '\t' || ch == '\r' {
			ch = ' '
		}
		blank := len(out) == 0 || out[len(out)-1] == ' ' || out[len(out)-1] == '\n'
		switch {
		case ch == ' ' && blank:
		case ch == '\n' && blank:
			if len(out) > 0 {
				out[len(out)-1] = '\n'
			}
		default:
			out = append(out, ch)
		}
	}
	return string(out)
}
