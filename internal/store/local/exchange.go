package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"landfall/internal/diag"
)

// Exchange gives two folders each other's name in one step: whoever looks finds
// a folder under both at every moment, and after a crash either both have changed
// or none. To exchange them again undoes it. Files that are open stay what they
// were; a path that somebody remembers leads to the other folder's file, or to
// none.
//
// What cannot be exchanged in one step is left as it is and told as a diagnostic:
// a link, a mount point, a folder within the other, folders of two file systems,
// and file systems and operating systems that cannot. Any other error leaves them
// as they are too, unless its text says that they were exchanged.
func Exchange(ctx context.Context, a, b string) error {
	return exchangeBy(ctx, a, b, swap)
}

// exchangeBy is Exchange with the call that the system has for it.
func exchangeBy(ctx context.Context, a, b string, swap func(a, b string) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	pair, err := newPair(a, b)
	if err != nil {
		return err
	}
	if err := swap(pair.a, pair.b); err != nil {
		return pair.refused(err)
	}
	for _, path := range []string{pair.a, pair.b} {
		if err := syncFolder(filepath.Dir(path)); err != nil {
			return fmt.Errorf("%s and %s were exchanged, but a power cut may undo it: %w", a, b, err)
		}
	}
	return nil
}

// pair are two folders that may be exchanged, under absolute names.
type pair struct{ a, b string }

func newPair(a, b string) (pair, error) {
	var p pair
	var real [2]string
	var infos [2]fs.FileInfo
	for i, name := range []string{a, b} {
		abs, err := filepath.Abs(name)
		if err != nil {
			return pair{}, fmt.Errorf("exchange %s: %w", name, err)
		}
		if infos[i], err = exchangeable(abs); err != nil {
			return pair{}, err
		}
		if real[i], err = filepath.EvalSymlinks(abs); err != nil {
			return pair{}, fmt.Errorf("exchange %s: %w", name, err)
		}
		if i == 0 {
			p.a = abs
		} else {
			p.b = abs
		}
	}
	switch {
	case os.SameFile(infos[0], infos[1]):
		return pair{}, diag.New(diag.NoExchange, "%s and %s are one folder, wanted two", a, b).
			Hinted("name the folder and its copy")
	case within(real[0], real[1]), within(real[1], real[0]):
		return pair{}, diag.New(diag.NoExchange, "found one folder within the other: %s and %s, wanted two beside each other", a, b).
			Hinted("move the one that is within out of the other first")
	}
	return p, nil
}

// exchangeable describes a folder that may take another name.
func exchangeable(path string) (fs.FileInfo, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil, diag.New(diag.FolderMissing, "%s does not exist, wanted a folder", path).
			Hinted("check the path: nothing was exchanged").Because(err)
	case err != nil:
		return nil, forbidden(path, err)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, linked(path)
	case !info.IsDir():
		return nil, diag.New(diag.NoExchange, "%s is no folder, wanted one", path).Hinted("name the folder that holds the files")
	case mounted(path, info):
		return nil, diag.New(diag.NoExchange, "%s is a mount point, wanted a folder of a file system", path).
			Hinted("exchange folders below it, or mount the other one in its place")
	}
	return info, nil
}

// linked tells of a link: an exchange would change the link's name alone.
func linked(path string) error {
	d := diag.New(diag.NoExchange, "%s is a symbolic link, wanted a folder", path)
	to, err := filepath.EvalSymlinks(path)
	if err != nil {
		return d.Hinted("name the folder that it leads to").Because(err)
	}
	return d.Hinted("name the folder that it leads to, %s, or let the link lead to the copy: ln -s COPY new && mv -T new %s", to, quoted(path))
}

// within reports whether a path is below another.
func within(path, other string) bool {
	rel, err := filepath.Rel(other, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func forbidden(path string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return diag.New(diag.NoPermission, "%s: not permitted to give it another name", path).
			Hinted("run as a user who may write both folders and those that they are in").Because(err)
	}
	return fmt.Errorf("exchange %s: %w", path, err)
}

// refused tells why the system did not exchange two folders.
func (p pair) refused(err error) error {
	what := ""
	switch {
	case errors.Is(err, syscall.EXDEV):
		what = "are in two file systems, or in layers of one"
	case errors.Is(err, syscall.EBUSY):
		what = "are in use by the system, such as a mount point"
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.ENOSYS):
		what = "are in a file system, or on an operating system, that does not exchange names"
	default:
		return forbidden(p.a+" and "+p.b, err)
	}
	aside := p.a + "_before"
	return diag.New(diag.NoExchange, "%s and %s %s, wanted two that change names in one step", p.a, p.b, what).
		Hinted("stop the readers, since the folder is missing for a moment, and run: mv %s %s && mv %s %s", quoted(p.a), quoted(aside), quoted(p.b), quoted(p.a)).Because(err)
}

// quoted is a path as one word of a POSIX shell.
func quoted(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }
