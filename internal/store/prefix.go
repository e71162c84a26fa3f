package store

import (
	"context"
	"iter"
	"strings"
)

// Below returns the part of s under a folder, as a store of its own. It keeps
// the powers of s.
func Below(s Store, folder string) Store {
	folder = strings.Trim(folder, "/")
	if folder == "" {
		return s
	}
	if n, ok := s.(Nester); ok {
		return n.Nest(folder)
	}
	return below{s, folder + "/"}
}

type below struct {
	s      Store
	prefix string
}

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
	o, err := b.s.Open(ctx, b.prefix+key)
	if err != nil {
		return nil, err
	}
	return belowObject{o, key}, nil
}

type belowObject struct {
	Object
	key string
}

func (o belowObject) Info() Info {
	info := o.Object.Info()
	info.Key = o.key
	return info
}

func (b below) Create(ctx context.Context, key string, data []byte) error {
	return b.s.Create(ctx, b.prefix+key, data)
}

func (b below) Upload(ctx context.Context, key string) (Upload, error) {
	u, err := b.s.Upload(ctx, b.prefix+key)
	if err != nil {
		return nil, err
	}
	return belowUpload{u, key}, nil
}

type belowUpload struct {
	Upload
	key string
}

func (u belowUpload) Commit(ctx context.Context) (Info, error) {
	info, err := u.Upload.Commit(ctx)
	info.Key = u.key
	return info, err
}

func (b below) Replace(ctx context.Context, key string, data []byte) error {
	return b.s.Replace(ctx, b.prefix+key, data)
}

func (b below) Delete(ctx context.Context, key string) error {
	return b.s.Delete(ctx, b.prefix+key)
}
