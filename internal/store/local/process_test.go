package local_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"landfall/internal/store"
	"landfall/internal/store/local"
	"landfall/internal/store/storetest"
)

// A child process is this test binary with its work in the environment.
const childWork, childRoot, childNumber = "STORE_CHILD", "STORE_ROOT", "STORE_NUMBER"

func TestMain(m *testing.M) {
	work, isChild := os.LookupEnv(childWork)
	if !isChild {
		os.Exit(m.Run())
	}
	if err := child(work); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func child(work string) error {
	ctx := context.Background()
	s, err := local.Open(os.Getenv(childRoot))
	if err != nil {
		return err
	}
	number, err := strconv.Atoi(os.Getenv(childNumber))
	if err != nil {
		return err
	}
	switch work {
	case "race": // create one key when the parent says so
		say("ready")
		wait()
		err := s.Create(ctx, "new/k", storetest.Content(number))
		switch {
		case err == nil:
			say("won")
		case errors.Is(err, store.ErrExist):
			say("lost")
		default:
			return err
		}
	case "upload": // stop before the commit
		u, err := s.Upload(ctx, "new/k")
		if err != nil {
			return err
		}
		if _, err := u.Write(bytes.Repeat([]byte("x"), 1<<20)); err != nil {
			return err
		}
		say("written")
		wait()
		return errors.New("not killed")
	case "create": // create one key after the other, for ever
		for i := 0; ; i++ {
			if err := s.Create(ctx, fmt.Sprintf("%06d", i), storetest.Content(i%100)); err != nil {
				return err
			}
			say(strconv.Itoa(i))
		}
	case "exchange": // exchange two folders, for ever
		for i := 0; ; i++ {
			if err := local.Exchange(ctx, s.LocalPath("a"), s.LocalPath("b")); err != nil {
				return err
			}
			say(strconv.Itoa(i))
		}
	}
	return nil
}

func say(line string) { fmt.Println(line) }

// wait returns when the parent closes its end of the pipe.
func wait() { _, _ = io.Copy(io.Discard, os.Stdin) }

type process struct {
	cmd *exec.Cmd
	out *bufio.Scanner
}

// start starts a child that waits on stdin.
func start(t *testing.T, work, root string, number int, stdin *os.File) process {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), childWork+"="+work, childRoot+"="+root, childNumber+"="+strconv.Itoa(number))
	cmd.Stdin = stdin
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	return process{cmd, bufio.NewScanner(out)}
}

// line returns the next line a child says.
func (p process) line() string {
	p.out.Scan()
	return p.out.Text()
}

func (p process) kill(t *testing.T) {
	t.Helper()
	must(t, p.cmd.Process.Kill())
	if err := p.cmd.Wait(); p.cmd.ProcessState.ExitCode() != -1 {
		t.Errorf("the child was not killed: %v", err)
	}
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	must(t, err)
	t.Cleanup(func() { _ = r.Close() })
	return r, w
}

// TestProcessesRace: twenty processes create one key in a folder that none of
// them has made yet.
func TestProcessesRace(t *testing.T) {
	root := t.TempDir() + "/root"
	r, w := pipe(t)
	var racers [20]process
	for i := range racers {
		racers[i] = start(t, "race", root, i, r)
	}
	for i, p := range racers {
		if said := p.line(); said != "ready" {
			t.Fatalf("process %d says %q", i, said)
		}
	}
	must(t, w.Close())
	answers := make([]error, len(racers))
	for i, p := range racers {
		switch said := p.line(); said {
		case "won":
		case "lost":
			answers[i] = store.ErrExist
		default:
			answers[i] = errors.New(said)
		}
		must(t, p.cmd.Wait())
	}
	must(t, storetest.Judge(t.Context(), open(t, root), "new/k", answers))
	if found := names(t, root); len(found) != 1 {
		t.Errorf("found %q, wanted one file", found)
	}
}

// TestKilledUpload: a writer killed before its commit leaves nothing that can be
// seen; the sweep removes what it left.
func TestKilledUpload(t *testing.T) {
	root := t.TempDir()
	r, w := pipe(t)
	p := start(t, "upload", root, 0, r)
	if said := p.line(); said != "written" {
		t.Fatalf("the child says %q", said)
	}
	p.kill(t)
	must(t, w.Close())
	s := open(t, root)
	wantKeys(t, s, "", "")
	if _, err := s.Stat(t.Context(), "new/k"); !errors.Is(err, store.ErrNotExist) {
		t.Errorf("found %v", err)
	}
	if left := names(t, root); len(left) != 1 || !strings.HasPrefix(left[0], "new/.landfall-") {
		t.Errorf("found %q, wanted one temporary file", left)
	}
	if n, err := s.SweepTemp(t.Context(), time.Now().Add(time.Hour)); n != 1 || err != nil {
		t.Errorf("swept %d, %v; wanted 1", n, err)
	}
	if left := names(t, root); len(left) != 0 {
		t.Errorf("found %q after the sweep", left)
	}
	must(t, s.Create(t.Context(), "new/k", []byte("free")))
}

// TestKilledCreates: whenever a creator is killed, each key it made is whole,
// and each it was told of is there.
func TestKilledCreates(t *testing.T) {
	for kills := range 5 {
		root := t.TempDir()
		r, w := pipe(t)
		p := start(t, "create", root, 0, r)
		for i := range 1 + 7*kills {
			if said := p.line(); said != strconv.Itoa(i) {
				t.Fatalf("the child says %q", said)
			}
		}
		must(t, p.cmd.Process.Kill())
		told := 7 * kills
		for p.out.Scan() { // said before the kill
			told++
		}
		_ = p.cmd.Wait() // killed
		must(t, w.Close())
		s := open(t, root)
		found, err := list(s, "", "")
		must(t, err)
		if len(found) < told+1 {
			t.Errorf("found %d keys, wanted at least %d", len(found), told+1)
		}
		for i, key := range found {
			data, err := store.Read(t.Context(), s, key)
			if must(t, err); key != fmt.Sprintf("%06d", i) || !bytes.Equal(data, storetest.Content(i%100)) {
				t.Errorf("%s: found %d bytes, not the content of %d", key, len(data), i)
			}
		}
	}
}
