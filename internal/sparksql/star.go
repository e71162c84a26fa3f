package sparksql

// star reads * and its clauses.
func (p *parser) star(of []Ident, begun Pos) Expr {
	p.want("*")
	s := &Star{Of: of}
	for p.problem == nil {
		switch {
		case (p.Is("EXCEPT") || p.Is("EXCLUDE")) && p.exceptList():
			p.At++
			s.Except = p.exceptNames()
		case p.Take("REPLACE", "("):
			for p.problem == nil {
				it := p.item()
				if it.Alias.Name == "" {
					p.fail(p.Peek(), "AS and a name")
				}
				s.Replace = append(s.Replace, it)
				if !p.Take(",") {
					break
				}
			}
			p.want(")")
		case p.Take("RENAME", "("):
			s.Rename = p.renames()
		default:
			s.Range = p.since(begun)
			return s
		}
	}
	return s
}

// exceptList tells * EXCEPT (a) from the set operator.
func (p *parser) exceptList() bool {
	return p.PeekAt(1).Is("(") && !p.PeekAt(2).Is("SELECT", "WITH", "VALUES", "FROM", "(")
}

func (p *parser) exceptNames() [][]Ident {
	var out [][]Ident
	p.want("(")
	for p.problem == nil {
		out = append(out, p.names("the name of a column"))
		if !p.Take(",") {
			break
		}
	}
	p.want(")")
	return out
}

func (p *parser) renames() []Rename {
	var out []Rename
	for p.problem == nil {
		r := Rename{From: p.ident("the name of a column")}
		p.want("AS")
		r.To = p.ident("a name")
		out = append(out, r)
		if !p.Take(",") {
			break
		}
	}
	p.want(")")
	return out
}
