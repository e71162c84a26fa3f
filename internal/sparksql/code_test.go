package sparksql_test

import (
	"errors"
	"testing"

	"landfall/internal/diag"
)

func TestCodes(t *testing.T) {
	for text, code := range map[string]diag.Code{
		"select a, from t":                         diag.SQLSyntax,
		"select * from t tablesample (10 percent)": diag.SQLRefused,
	} {
		if _, err := query(text); !errors.Is(err, &diag.Diagnostic{Code: code}) {
			t.Errorf("%s: found %v, want %s", text, err, code)
		}
	}
}
