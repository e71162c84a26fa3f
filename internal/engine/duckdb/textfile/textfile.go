// Package textfile finishes the files of delimited text and JSON that DuckDB wrote: it
// counts the rows of each, and puts lines above them.
package textfile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"landfall/internal/engine"
)

// Finish puts lines above the rows of text files, counts the rows of each, and says how
// large files are; of Parquet files that alone. Total is the rows of all.
func Finish(ctx context.Context, files []engine.Written, total int64, to engine.Target) error {
	if to.Format != engine.Parquet && len(files) > 1 {
		if err := countRows(ctx, files, total, to); err != nil {
			return err
		}
	}
	for i := range files {
		path := filepath.Join(to.Folder, filepath.FromSlash(files[i].Path))
		if len(to.Top) > 0 && to.Format == engine.Delimited {
			if err := putAbove(path, to); err != nil {
				return fmt.Errorf("put lines above the rows of %s: %w", files[i].Path, err)
			}
		}
		info, err := os.Stat(path)
		if err != nil {
			return fmt.Errorf("size of a written file: %w", err)
		}
		files[i].Size = info.Size()
	}
	return nil
}

// countRows counts the rows of text files, of which DuckDB tells the sum.
func countRows(ctx context.Context, files []engine.Written, total int64, to engine.Target) error {
	var sum int64
	for i := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := rowsOf(filepath.Join(to.Folder, filepath.FromSlash(files[i].Path)), to)
		if err != nil {
			return fmt.Errorf("count the rows of %s: %w", files[i].Path, err)
		}
		files[i].Rows = n
		sum += n
	}
	if sum != total { // values with line ends, and no quotes to tell
		for i := range files {
			files[i].Rows = -1
		}
	}
	return nil
}

// rowsOf counts the rows of a text file as DuckDB writes it.
func rowsOf(path string, to engine.Target) (n int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	in, done, err := unpacked(f, to.Compression)
	if err != nil {
		return 0, err
	}
	defer done()
	if to.Format == engine.JSON {
		return documents(in, to.Documents == engine.Array)
	}
	n, err = records(in, to.Text.Quote, to.Text.Escape)
	if to.Text.Header {
		n--
	}
	return n, err
}

// unpacked reads a file that was compressed.
func unpacked(f io.Reader, codec string) (in io.Reader, done func(), err error) {
	switch strings.ToLower(codec) {
	case "gzip":
		z, err := gzip.NewReader(f)
		return z, func() {}, err
	case "zstd":
		z, err := zstd.NewReader(f)
		if err != nil {
			return nil, nil, err
		}
		return z, z.Close, nil
	}
	return f, func() {}, nil
}

// documents counts JSON documents, one a line: an array has a line more at each end.
func documents(in io.Reader, array bool) (n int64, err error) {
	buffer := make([]byte, 1<<20)
	for {
		got, err := in.Read(buffer)
		n += int64(bytes.Count(buffer[:got], []byte{'\n'}))
		switch {
		case errors.Is(err, io.EOF) && array:
			return n - 2, nil
		case errors.Is(err, io.EOF):
			return n, nil
		case err != nil:
			return 0, err
		}
	}
}

// records counts the records of delimited text.
func records(in io.Reader, quote, escape string) (n int64, err error) {
	r := bufio.NewReaderSize(in, 1<<20)
	quoted := false
	for {
		c, err := r.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return n, nil
		case err != nil:
			return 0, err
		case quoted && escape != quote && escape != "" && c == escape[0]:
			if _, err := r.Discard(1); err != nil && !errors.Is(err, io.EOF) {
				return 0, err
			}
		case quote != "" && c == quote[0]:
			quoted = !quoted
		case c == '\n' && !quoted:
			n++
		}
	}
}

// putAbove writes a file again, with lines above what it holds. What is compressed may
// be put together of parts.
func putAbove(path string, to engine.Target) error {
	lines := strings.Join(to.Top, "\n") + "\n"
	var top bytes.Buffer
	if err := pack(&top, lines, to.Compression); err != nil {
		return err
	}
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // nothing was written
	out, err := os.Create(path + ".top")
	if err != nil {
		return err
	}
	_, err = out.Write(top.Bytes())
	if err == nil {
		_, err = io.Copy(out, in)
	}
	if err := errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Rename(path+".top", path)
}

// pack writes text as a codec does.
func pack(to io.Writer, text, codec string) (err error) {
	var z io.WriteCloser
	switch strings.ToLower(codec) {
	case "gzip":
		z = gzip.NewWriter(to)
	case "zstd":
		if z, err = zstd.NewWriter(to); err != nil {
			return err
		}
	default:
		_, err := io.WriteString(to, text)
		return err
	}
	_, err = io.WriteString(z, text)
	return errors.Join(err, z.Close())
}
