package store

import (
	"context"
	"iter"
	"strings"
)

// Below returns the part of s under a folder, as a store of its own. It keeps
// the power of Localizer if s has it.
func Below(s Store, folder string) Store {
	folder = strings.Trim(folder, "/")
	if folder == "" {
		return s
	}
	b := below{s, folder + "/"}
	if l, ok := s.(Localizer); ok {
		return localBelow{b, l}
	}
	return b
}

type below struct {
	s      Store
	prefix string
}

type localBelow struct {
	below
	l Localizer
}

func (b localBelow) LocalPath(key string) string { return b.l.LocalPath(b.prefix + key) }

func (b below) URL(key string) string { return b.s.URL(strings.TrimSuffix(b.prefix+key, "/")) }

func (b below) List(ctx context.Context, prefix, after string) iter.Seq2[Info, error] {
	if after != "" {
		after = b.prefix + after
	}
	return func(yield func(Info, error) bool) {
		for info, err := range b.s.List(ctx, b.prefix+prefix, after) {
			info.Key = strings.TrimPrefix(info.Key, b.prefix)
			if !yield(info, err) {
				return
			}
		}
	}
}

func (b below) Stat(ctx context.Context, key string) (Info, error) {
	info, err := b.s.Stat(ctx, b.prefix+key)
	info.Key = key
	return info, err
}

func (b below) Open(ctx context.Context, key string) (Object, error) {
	return b.s.Open(ctx, b.prefix+key)
}

func (b below) Create(ctx context.Context, key string, data []byte) error {
	return b.s.Create(ctx, b.prefix+key, data)
}

func (b below) Upload(ctx context.Context, key string) (Upload, error) {
	return b.s.Upload(ctx, b.prefix+key)
}

func (b below) Replace(ctx context.Context, key string, data []byte) error {
	return b.s.Replace(ctx, b.prefix+key, data)
}

func (b below) Delete(ctx context.Context, key string) error {
	return b.s.Delete(ctx, b.prefix+key)
}
