package delta

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"landfall/internal/store/memory"
	"landfall/internal/table"
)

func infoLine(at int64) string { return fmt.Sprintf(`{"commitInfo":{"timestamp":%d}}`, at) }

func TestPast(t *testing.T) {
	_, tbl, newest := tableOf(t, first(infoLine(1000)), []string{infoLine(2000), addLine("z")}, []string{infoLine(3000), addLine("w")})
	for version := range newest.Version + 1 {
		snap, err := tbl.SnapshotAt(t.Context(), version)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := len(snap.Files()), 2+int(version); snap.Version != version || got != want {
			t.Errorf("version %d: version %d of %d files, want %d", version, snap.Version, got, want)
		}
	}
	for _, version := range []int64{-1, 3} {
		if _, err := tbl.SnapshotAt(t.Context(), version); !errors.Is(err, table.ErrNoVersion) {
			t.Errorf("version %d: %v, want no such version", version, err)
		}
	}
	for at, want := range map[int64]int64{999: -1, 1000: 0, 1999: 0, 2000: 1, 3000: 2, 3001: -1} {
		got, err := tbl.VersionAt(t.Context(), time.UnixMilli(at))
		if want < 0 && !errors.Is(err, table.ErrNoVersion) || want >= 0 && (err != nil || got != want) {
			t.Errorf("at %d: version %d, %v, want %d", at, got, err, want)
		}
	}
}

// TestPastCleaned takes commits before a checkpoint away.
func TestPastCleaned(t *testing.T) {
	disk, o := memory.New(nil), testOptions()
	o.CheckpointEvery = 2
	putLines(t, disk, versionKey(0), first()...)
	tbl := Open(disk, o)
	for version := int64(1); version <= 5; version++ {
		base, err := tbl.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tbl.Commit(t.Context(), base, table.Change{Attempt: fmt.Sprint(version), Adds: []table.File{dataFile(fmt.Sprint(version))}}); err != nil {
			t.Fatal(err)
		}
	}
	for version := range int64(4) {
		if err := disk.Delete(t.Context(), versionKey(version)); err != nil {
			t.Fatal(err)
		}
	}
	for version := range int64(6) {
		snap, err := tbl.SnapshotAt(t.Context(), version)
		switch {
		case err == nil && (snap.Version != version || len(snap.Files()) != 2+int(version)):
			t.Errorf("version %d: version %d of %d files", version, snap.Version, len(snap.Files()))
		case err != nil && !errors.Is(err, table.ErrNoVersion):
			t.Errorf("version %d: %v", version, err)
		case err == nil != (version == 2 || version >= 4):
			t.Errorf("version %d: %v, want those alone whose checkpoint or commits are there", version, err)
		}
	}
	if _, err := tbl.VersionAt(t.Context(), time.UnixMilli(-1)); !errors.Is(err, table.ErrNoVersion) {
		t.Errorf("before the log: %v", err)
	}
}
