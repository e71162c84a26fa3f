package action

import (
	"net/url"
	"strings"
)

// DecodePath turns the path of an action, a URI, into the identity of the data
// file: the key below the table's folder, or an absolute URL. An escape that is
// none is taken as it stands: some writers do not escape at all.
func DecodePath(p string) string {
	if scheme, rest, ok := cutScheme(p); ok {
		return absolute(scheme, rest)
	}
	if strings.HasPrefix(p, "/") {
		return absolute("file", p)
	}
	if key, err := url.PathUnescape(p); err == nil {
		return key
	}
	return p
}

// EncodePath is the spelling of a data file's path in a new action.
func EncodePath(key string) string {
	if _, _, ok := cutScheme(key); ok {
		return key
	}
	// A colon in the first element would read as a scheme.
	return strings.ReplaceAll((&url.URL{Path: key}).EscapedPath(), ":", "%3A")
}

// cutScheme splits "s3://bucket/a" into "s3" and "//bucket/a". What follows a
// scheme is always a slash here; "x:y.parquet" is a file's name.
func cutScheme(p string) (scheme, rest string, ok bool) {
	scheme, rest, ok = strings.Cut(p, ":")
	if !ok || scheme == "" || !strings.HasPrefix(rest, "/") {
		return "", "", false
	}
	for i := range len(scheme) {
		c := scheme[i] | 0x20
		letter := c >= 'a' && c <= 'z'
		if !letter && (i == 0 || !strings.Contains("0123456789+-.", scheme[i:i+1])) {
			return "", "", false
		}
	}
	return scheme, rest, true
}

// absolute gives one spelling to a local file that may be written
// /a, file:/a, file://a or file:///a, and evens out the escapes of its path.
func absolute(scheme, rest string) string {
	scheme = strings.ToLower(scheme)
	host := ""
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		var path string
		host, path, _ = strings.Cut(after, "/")
		rest = "/" + path
	}
	if plain, err := url.PathUnescape(rest); err == nil {
		rest = (&url.URL{Path: plain}).EscapedPath()
	}
	return scheme + "://" + host + rest
}
