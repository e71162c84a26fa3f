package cutover_test

import (
	stdjson "encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/itchyny/gojq"
)

// jqMain is the command jq, as far as the script for Glue uses it, and returns its exit
// status: 1 if the last answer is false or null and -e was given.
func jqMain(arguments []string) int {
	answers, strict, err := jq(arguments)
	if err != nil {
		fmt.Fprintln(os.Stderr, "jq:", err)
		return 5
	}
	var last any
	for _, last = range answers {
		text, err := stdjson.Marshal(last)
		if err != nil {
			fmt.Fprintln(os.Stderr, "jq:", err)
			return 5
		}
		fmt.Println(string(text))
	}
	if strict && (last == nil || last == false) {
		return 1
	}
	return 0
}

// jq reads the arguments of the command and runs its filter.
func jq(arguments []string) (answers []any, strict bool, err error) {
	var names, plain []string
	var values []any
	for len(arguments) > 0 {
		word := arguments[0]
		switch {
		case word == "-e":
			strict, arguments = true, arguments[1:]
			continue
		case word != "--arg" && word != "--argjson" && word != "--slurpfile":
			plain, arguments = append(plain, word), arguments[1:]
			continue
		case len(arguments) < 3:
			return nil, false, fmt.Errorf("found %q, want a name and a value behind %s", arguments, word)
		}
		var v any = arguments[2]
		if word == "--argjson" {
			err = stdjson.Unmarshal([]byte(arguments[2]), &v)
		}
		if word == "--slurpfile" {
			v, err = slurp(arguments[2])
		}
		if err != nil {
			return nil, false, err
		}
		names, values, arguments = append(names, "$"+arguments[1]), append(values, v), arguments[3:]
	}
	if len(plain) == 0 || len(plain) > 2 {
		return nil, false, fmt.Errorf("found %q, want a filter and at most one file", plain)
	}
	input := "/dev/stdin"
	if len(plain) == 2 {
		input = plain[1]
	}
	docs, err := slurp(input)
	if err == nil {
		answers, err = filter(plain[0], docs, names, values)
	}
	return answers, strict, err
}

// slurp reads all documents of a file.
func slurp(name string) ([]any, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	docs := []any{}
	for d := stdjson.NewDecoder(f); ; {
		var v any
		if err := d.Decode(&v); err == io.EOF {
			return docs, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		docs = append(docs, v)
	}
}

// filter runs a filter over documents.
func filter(text string, docs []any, names []string, values []any) (answers []any, err error) {
	query, err := gojq.Parse(text)
	if err != nil {
		return nil, err
	}
	code, err := gojq.Compile(query, gojq.WithVariables(names))
	if err != nil {
		return nil, err
	}
	for _, doc := range docs {
		results := code.Run(doc, values...)
		for v, ok := results.Next(); ok; v, ok = results.Next() {
			if err, failed := v.(error); failed {
				return nil, err
			}
			answers = append(answers, v)
		}
	}
	return answers, nil
}
