package syntax_test

import (
	"reflect"

	"landfall/internal/flow/syntax"
)

// same compares two scripts but for the places in them.
func same(t interface {
	Helper()
	Errorf(format string, args ...any)
}, a, b *syntax.Script,
) {
	t.Helper()
	unplace(reflect.ValueOf(a))
	unplace(reflect.ValueOf(b))
	if !reflect.DeepEqual(a, b) {
		t.Errorf("the printed script is another one\n%s", syntax.Format(a))
	}
}

// unplace sets all places to 0, and empty lists to none.
func unplace(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			unplace(v.Elem())
		}
	case reflect.Slice:
		if v.Len() == 0 && v.CanSet() {
			v.SetZero()
		}
		for i := range v.Len() {
			unplace(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			unplace(v.Field(i))
		}
	case reflect.Int:
		if v.Type() == reflect.TypeFor[syntax.Pos]() {
			v.SetInt(0)
		}
	}
}
