package value

// reading is what was read of a text so far.
type reading struct {
	at     int
	parts  [numbers]int
	have   uint16 // a bit for each of parts that was read
	zoned  bool
	offset int
}

// set keeps a part; twice in one pattern it must be the same.
func (r *reading) set(p part, v int) bool {
	if r.has(p) {
		return r.parts[p] == v
	}
	r.parts[p] = v
	r.have |= 1 << p
	return true
}

func (r *reading) has(p part) bool { return r.have&(1<<p) != 0 }

// read reads text in the form of the pattern, all of it.
func (p *Pattern) read(text []byte) (moment, bool) {
	r := reading{parts: [numbers]int{month: 1, day: 1}}
	if !p.run(0, len(p.steps), text, &r) || r.at < len(text) {
		return moment{}, false
	}
	return r.moment()
}

// run takes the steps from one to another. An optional section that does not
// match is left out, and never tried again.
func (p *Pattern) run(from, to int, text []byte, r *reading) bool {
	for i := from; i < to; i++ {
		s := &p.steps[i]
		if s.part == optionalStart {
			before := *r
			if !p.run(i+1, s.end, text, r) {
				*r = before
			}
			i = s.end - 1
			continue
		}
		if !s.read(text, r) {
			return false
		}
	}
	return true
}

func (s *step) read(text []byte, r *reading) bool {
	rest := text[r.at:]
	switch {
	case s.numeric():
		return s.number(rest, r)
	case s.part == literal:
		return r.word(rest, s.text)
	case s.part == month:
		return r.month(rest, s.most == len("MMM"))
	case s.part == half:
		return r.word(rest, "am") && r.set(half, 0) || r.word(rest, "pm") && r.set(half, 1)
	case s.part == zoneName:
		return (r.word(rest, "utc") || r.word(rest, "gmt") || r.word(rest, "z")) && r.zone(0)
	case s.utc && r.word(rest, "z"):
		return r.zone(0)
	}
	return s.zone(rest, r)
}

// number reads digits: as many as the step takes and those behind it leave.
func (s *step) number(rest []byte, r *reading) bool {
	n := digitsEnd(rest[:min(len(rest), s.most+s.reserve)], 0)
	n = min(s.most, n-s.reserve)
	if n < s.least {
		return false
	}
	v := int(appendDigits(0, rest[:n]))
	r.at += n
	switch {
	case s.part == fraction:
		v, _ = nanos(rest[:n])
	case s.part == year && s.most == 2:
		v += 2000
	}
	return r.set(s.part, v)
}

// word reads a word that is given in lower case, in any casing.
func (r *reading) word(rest []byte, word string) bool {
	if len(rest) < len(word) {
		return false
	}
	for i := range len(word) {
		if toLower(rest[i]) != word[i] {
			return false
		}
	}
	r.at += len(word)
	return true
}

// month reads the English name of a month.
func (r *reading) month(rest []byte, short bool) bool {
	for i := range 12 {
		name := monthName(i + 1)
		if short {
			name = name[:3]
		}
		if r.word(rest, name) {
			return r.set(month, i+1)
		}
	}
	return false
}

func monthName(month int) string {
	return [...]string{
		"january", "february", "march", "april", "may", "june", "july",
		"august", "september", "october", "november", "december",
	}[month-1]
}

// zone reads an offset from UTC in the form of the step.
func (s *step) zone(rest []byte, r *reading) bool {
	want := len("+HHmm")
	switch s.part {
	case offsetLong:
		want = len("+HH:mm")
	case offsetShort:
		if digitsEnd(rest, min(1, len(rest))) < want {
			want = len("+HH")
		}
	}
	if len(rest) < want {
		return false
	}
	seconds, n := offset(rest[:want])
	if n < want {
		return false
	}
	r.at += n
	return r.zone(seconds)
}

func (r *reading) zone(offset int) bool {
	if r.zoned && r.offset != offset {
		return false
	}
	r.zoned, r.offset = true, offset
	return true
}

// moment puts the parts together, false if there is no such day or time.
func (r *reading) moment() (moment, bool) {
	v := &r.parts
	date, ok := dayOf(v[year], v[month], v[day])
	h, ok2 := r.hour()
	if !ok || !ok2 || v[minute] > 59 || v[second] > 59 {
		return moment{}, false
	}
	return moment{
		day:    date,
		second: h*3600 + v[minute]*60 + v[second],
		nano:   v[fraction],
		timed:  r.have&(1<<hour|1<<hour12|1<<minute|1<<second|1<<fraction) != 0,
		zoned:  r.zoned, offset: r.offset,
	}, true
}

// hour returns the hour of the day. Each of the ways to say it may be there, and
// all must say the same.
func (r *reading) hour() (int, bool) {
	h := r.parts[hour]
	if h > 23 {
		return 0, false
	}
	if r.has(hour12) {
		of12 := r.parts[hour12]
		if of12 < 1 || of12 > 12 || !r.has(half) {
			return 0, false
		}
		of24 := of12%12 + 12*r.parts[half]
		return of24, !r.has(hour) || of24 == h
	}
	if r.has(half) {
		return h, r.has(hour) && h/12 == r.parts[half]
	}
	return h, true
}
