package translate

import "landfall/internal/sparksql"

// Constants are the arguments of a function that is a relation, which are known before
// anything runs. The error is as that of Query.
func Constants(f *sparksql.File, c *sparksql.TableCall, o Options) ([]Constant, error) {
	t := newTranslator(f, nil, o)
	args, _ := t.constants(c, &scope{})
	return args, t.problems.Err()
}

// constants are the arguments of a call; false if one of them was told of.
func (t *translator) constants(r *sparksql.TableCall, s *scope) ([]Constant, bool) {
	args := make([]Constant, 0, len(r.Args))
	for _, a := range r.Args {
		c := Constant{Name: a.Name.Name, At: a.Expr.Span()}
		m, pairs := a.Expr.(*sparksql.Call)
		if !pairs || m.Name != "map" {
			v, ok := t.constant(a.Expr, s)
			if !ok {
				return nil, false
			}
			c.Value = v
			args = append(args, c)
			continue
		}
		for i := 0; i+1 < len(m.Args); i += 2 {
			k, okK := t.constant(m.Args[i].Expr, s)
			v, okV := t.constant(m.Args[i+1].Expr, s)
			if !okK || !okV {
				return nil, false
			}
			c.Map = append(c.Map, [2]string{k, v})
		}
		args = append(args, c)
	}
	return args, true
}
