package retry

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/zeebo/xxh3"

	"landfall/internal/store"
)

// Upload may leave an upload behind that begun although the answer was lost;
// no key shows it.
func (r *retrier) Upload(ctx context.Context, key string) (store.Upload, error) {
	var u store.Upload
	err := r.repeat(ctx, func() (err error) {
		u, err = r.s.Upload(ctx, key)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &upload{r: r, u: u, key: key, sum: xxh3.New()}, nil
}

// upload remembers size and sum of its content, to know it again.
type upload struct {
	r    *retrier
	u    store.Upload
	key  string
	size int64
	sum  *xxh3.Hasher

	committed bool
}

// Write is never repeated: how much of p had arrived is not known.
func (u *upload) Write(p []byte) (int, error) {
	n, err := u.u.Write(p)
	u.size += int64(n)
	_, _ = u.sum.Write(p[:n]) // a hash takes everything
	return n, err
}

// Commit is made once. If its answer is lost, the key is read back: our content
// means success, none that the upload is lost, another that its writer won.
func (u *upload) Commit(ctx context.Context) (store.Info, error) {
	if u.committed {
		return store.Info{}, fmt.Errorf("commit %s: found a second commit, wanted one", u.r.URL(u.key))
	}
	u.committed = true
	info, err := u.u.Commit(ctx)
	if !errors.Is(err, store.ErrTransient) {
		return info, err
	}
	info, ours, lost := u.readBack(ctx)
	switch {
	case errors.Is(lost, store.ErrNotExist):
		return store.Info{}, err
	case lost != nil:
		return store.Info{}, fmt.Errorf("%w; reading it back: %w", err, lost)
	case !ours:
		return store.Info{}, taken(u.key, u.r)
	}
	return info, nil
}

func (u *upload) readBack(ctx context.Context) (info store.Info, ours bool, err error) {
	o, err := u.r.Open(ctx, u.key)
	if err != nil {
		return store.Info{}, false, err
	}
	defer o.Close() //nolint:errcheck // nothing was written
	if info = o.Info(); info.Size != u.size {
		return info, false, nil
	}
	sum := xxh3.New()
	if _, err := io.Copy(sum, io.NewSectionReader(o, 0, info.Size)); err != nil {
		return store.Info{}, false, err
	}
	return info, sum.Sum64() == u.sum.Sum64(), nil
}

func (u *upload) Abort(ctx context.Context) error {
	return u.r.repeat(ctx, func() error { return u.u.Abort(ctx) })
}
