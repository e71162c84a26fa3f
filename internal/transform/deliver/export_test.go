package deliver

// Before returns options whose calls of the file system ask first.
func (o Options) Before(ask func(op, path string) error) Options {
	o.before = ask
	return o
}
