// Package vector reads deletion vectors, which say what rows of a data file are deleted.
package vector

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/store"
	"landfall/internal/table"
)

// Deleted returns the positions of the rows of f that its deletion vector marks
// as deleted, ascending from 0; none if f has no vector. The vector lies in the file's
// entry or in s, the store of the table; below tells the key in s of an absolute path,
// and whether it has one. What is wrong with a vector is a diagnostic.
func Deleted(ctx context.Context, s store.Store, f table.File, below func(path string) (key string, ok bool)) ([]int64, error) {
	if f.DV == nil {
		return nil, nil
	}
	data, err := bitmapOf(ctx, s, f.DV, below)
	if err != nil {
		return nil, broken(f, err)
	}
	rows, err := decode(data, f.DV.Cardinality)
	if err != nil {
		return nil, broken(f, err)
	}
	return rows, nil
}

// errVector marks what is wrong with a vector itself, not with the store.
var errVector = errors.New("deletion vector")

// broken says which data file a vector belongs to.
func broken(f table.File, err error) error {
	var d *diag.Diagnostic
	if errors.As(err, &d) {
		return err
	}
	if !errors.Is(err, errVector) && !errors.Is(err, store.ErrNotExist) {
		return fmt.Errorf("read the deletion vector of %s: %w", f.Path, err)
	}
	return diag.New(diag.FileUnreadable, "the deletion vector of %s cannot be read: %v", f.Path, err).
		Hinted("restore the vector's file from a backup, or rewrite the data file with the tool that deleted the rows").
		Because(err)
}

// bitmapOf returns the serialized bitmap, checked against its checksum where
// it has one.
func bitmapOf(ctx context.Context, s store.Store, d *table.DeletionVector, below func(path string) (key string, ok bool)) ([]byte, error) {
	switch d.StorageType {
	case "i":
		data, err := decodeZ85(d.PathOrInlineDV)
		if err != nil {
			return nil, err
		}
		if d.SizeInBytes < 0 || int(d.SizeInBytes) > len(data) {
			return nil, fmt.Errorf("%w: found %d bytes, want %d", errVector, len(data), d.SizeInBytes)
		}
		return data[:d.SizeInBytes], nil
	case "u":
		key, err := keyOf(d.PathOrInlineDV)
		if err != nil {
			return nil, err
		}
		return readFile(ctx, s, key, d)
	case "p":
		key, ok := below(d.PathOrInlineDV)
		if !ok {
			return nil, diag.New(diag.UnknownFeature, "a deletion vector lies outside the table's folder: %s", d.PathOrInlineDV).
				Hinted("make a deep clone of the table: a shallow one borrows files of another")
		}
		return readFile(ctx, s, key, d)
	}
	return nil, fmt.Errorf("%w: found storage type %s, want i, p or u", errVector, diag.Quote(d.StorageType))
}

// keyOf derives the file of a vector from <prefix><uuid in base 85>.
func keyOf(p string) (string, error) {
	const uuidChars = 20
	if len(p) < uuidChars {
		return "", fmt.Errorf("%w: found %s, want a UUID of %d characters", errVector, diag.Quote(p), uuidChars)
	}
	prefix, coded := p[:len(p)-uuidChars], p[len(p)-uuidChars:]
	id, err := decodeZ85(coded)
	if err != nil {
		return "", err
	}
	x := hex.EncodeToString(id)
	name := fmt.Sprintf("deletion_vector_%s-%s-%s-%s-%s.bin", x[:8], x[8:12], x[12:16], x[16:20], x[20:])
	if prefix == "" {
		return name, nil
	}
	key := prefix + "/" + name
	if err := store.CheckKey(key); err != nil {
		return "", fmt.Errorf("%w: %w", errVector, err)
	}
	return key, nil
}

// readFile reads one vector of a file: a version byte at the file's
// start, then for each vector its size, its bytes and their CRC-32.
func readFile(ctx context.Context, s store.Store, key string, d *table.DeletionVector) ([]byte, error) {
	o, err := s.Open(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", key, err)
	}
	defer o.Close() //nolint:errcheck // nothing was written
	const version, sizes = 1, 8
	start := int64(1) // where the first vector begins
	if d.Offset != nil && *d.Offset > 0 {
		start = int64(*d.Offset)
	}
	want := int64(d.SizeInBytes)
	if want < 0 || start+want+sizes > o.Info().Size {
		return nil, fmt.Errorf("%w: %s has %d bytes, want %d at %d", errVector, key, o.Info().Size, want+sizes, start)
	}
	var first [1]byte
	if _, err := io.ReadFull(io.NewSectionReader(o, 0, 1), first[:]); err != nil {
		return nil, fmt.Errorf("read %s: %w", key, err)
	}
	if first[0] != version {
		return nil, fmt.Errorf("%w: %s has format version %d, want %d", errVector, key, first[0], version)
	}
	buf := make([]byte, want+sizes)
	if _, err := io.ReadFull(io.NewSectionReader(o, start, int64(len(buf))), buf); err != nil {
		return nil, fmt.Errorf("read %s: %w", key, err)
	}
	if size := binary.BigEndian.Uint32(buf); int64(size) != want {
		return nil, fmt.Errorf("%w: %s holds %d bytes at %d, want %d", errVector, key, size, start, want)
	}
	data := buf[4 : 4+want]
	if sum := binary.BigEndian.Uint32(buf[4+want:]); sum != crc32.ChecksumIEEE(data) {
		return nil, fmt.Errorf("%w: wrong checksum in %s at %d", errVector, key, start)
	}
	return data, nil
}

// decodeZ85 decodes ZeroMQ's base 85: five characters are four bytes.
func decodeZ85(s string) ([]byte, error) {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
	if len(s)%5 != 0 {
		return nil, fmt.Errorf("%w: found %d characters of base 85, want a multiple of 5", errVector, len(s))
	}
	out := make([]byte, 0, len(s)/5*4)
	for i := 0; i < len(s); i += 5 {
		v := uint64(0)
		for _, c := range []byte(s[i : i+5]) {
			digit := strings.IndexByte(digits, c)
			if digit < 0 {
				return nil, fmt.Errorf("%w: found %q, which is no digit of base 85", errVector, c)
			}
			v = v*85 + uint64(digit) //nolint:gosec // 0 to 84
		}
		if v > 1<<32-1 {
			return nil, fmt.Errorf("%w: found %q, too large for four bytes", errVector, s[i:i+5])
		}
		out = binary.BigEndian.AppendUint32(out, uint32(v))
	}
	return out, nil
}
