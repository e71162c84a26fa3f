package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"landfall/internal/alert/alerttest"
)

// hook is a server of scripts that keeps what is posted to it.
type hook struct {
	mu     sync.Mutex
	at     string
	server *http.Server
	status int
	got    bytes.Buffer
	posts  int
}

// hookKey is where a script's hook is among its values.
type hookKey struct{}

// withHook gives a script its hook and its mailbox.
func withHook(e *testscript.Env) error {
	h := &hook{status: http.StatusOK}
	e.Values[hookKey{}] = h
	box := &alerttest.Mailbox{}
	e.Values[mailKey{}] = box
	e.Defer(func() { _, _ = h.stop(), box.Stop() })
	return nil
}

// hookScript is the command hook of scripts:
//
//	hook start        listens, and sets HOOK_URL, which ends with a secret word
//	hook stop         refuses connections
//	hook status CODE  answers with it from now on
//	hook save FILE    writes the bodies that came since, one after the other
//	hook count N      wants so many of them since the last save
func hookScript(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: hook start | stop | status CODE | save FILE | count N")
	}
	h, _ := ts.Value(hookKey{}).(*hook)
	switch {
	case args[0] == "start":
		ts.Check(h.start())
		ts.Setenv("HOOK_URL", "http://"+h.at+"/s3cretpath")
	case args[0] == "stop":
		ts.Check(h.stop())
	case args[0] == "status" && len(args) == 2:
		code, err := strconv.Atoi(args[1])
		ts.Check(err)
		h.mu.Lock()
		h.status = code
		h.mu.Unlock()
	case args[0] == "save" && len(args) == 2:
		h.mu.Lock()
		defer h.mu.Unlock()
		ts.Check(os.WriteFile(ts.MkAbs(args[1]), h.got.Bytes(), 0o600))
		h.got.Reset()
		h.posts = 0
	case args[0] == "count" && len(args) == 2:
		h.mu.Lock()
		defer h.mu.Unlock()
		if fmt.Sprint(h.posts) != args[1] {
			ts.Fatalf("%d letters came, want %s:\n%s", h.posts, args[1], h.got.String())
		}
	default:
		ts.Fatalf("hook: found %q", args)
	}
}

func (h *hook) start() error {
	at := h.at
	if at == "" {
		at = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", at)
	if err != nil {
		return err
	}
	h.at = l.Addr().String()
	h.server = &http.Server{Handler: http.HandlerFunc(h.take)}
	go h.server.Serve(l) //nolint:errcheck // it ends when the script does
	return nil
}

func (h *hook) stop() error {
	if h.server == nil {
		return nil
	}
	defer func() { h.server = nil }()
	return h.server.Close()
}

// take keeps the body of a request that it accepts.
func (h *hook) take(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	h.mu.Lock()
	defer h.mu.Unlock()
	if err == nil && h.status/100 == 2 && r.URL.Path == "/s3cretpath" {
		h.got.Write(body)
		h.posts++
	}
	w.WriteHeader(h.status)
}

// mailKey is where a script's mailbox is among its values.
type mailKey struct{}

// mailScript is the command mail of scripts:
//
//	mail start      listens, and sets MAIL_PORT
//	mail save FILE  writes the mails that came, each with who wrote it to whom
func mailScript(ts *testscript.TestScript, neg bool, args []string) {
	box, _ := ts.Value(mailKey{}).(*alerttest.Mailbox)
	switch {
	case !neg && len(args) == 1 && args[0] == "start":
		at, err := box.Start("127.0.0.1:0")
		ts.Check(err)
		_, port, err := net.SplitHostPort(at)
		ts.Check(err)
		ts.Setenv("MAIL_PORT", port)
	case !neg && len(args) == 2 && args[0] == "save":
		var b bytes.Buffer
		for _, m := range box.Mails() {
			fmt.Fprintf(&b, "%s → %q\n%s", m.From, m.To, m.Data)
		}
		ts.Check(os.WriteFile(ts.MkAbs(args[1]), b.Bytes(), 0o600))
	default:
		ts.Fatalf("usage: mail start | save FILE")
	}
}
