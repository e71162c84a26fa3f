// Package alerttest has servers that tests send alerts to.
package alerttest

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"net"
	"strings"
	"sync"
)

// Mailbox is a mail server that keeps what it gets.
type Mailbox struct {
	// TLS, if set, offers STARTTLS; Secure begins with it. Login, if set, is the "user\x00password" that it wants.
	TLS    *tls.Config
	Secure bool
	Login  string
	// Refuse is the answer to a message, "" to take it.
	Refuse string

	listener net.Listener
	mu       sync.Mutex
	mails    []Mail
}

// Mail is a message as it came.
type Mail struct {
	From string
	To   []string
	Data string
	// Encrypted tells how it came.
	Encrypted bool
}

// Start listens at an address of this machine, such as 127.0.0.1:0, and returns the one
// that it got.
func (b *Mailbox) Start(at string) (string, error) {
	l, err := net.Listen("tcp", at)
	if err != nil {
		return "", err
	}
	if b.Secure {
		l = tls.NewListener(l, b.TLS)
	}
	b.listener = l
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go b.serve(conn)
		}
	}()
	return l.Addr().String(), nil
}

// Stop refuses connections from now on.
func (b *Mailbox) Stop() error {
	if b.listener == nil {
		return nil
	}
	return b.listener.Close()
}

// Mails returns what came so far.
func (b *Mailbox) Mails() []Mail {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]Mail{}, b.mails...)
}

// session is one connection.
type session struct {
	box   *Mailbox
	conn  net.Conn
	in    *bufio.Reader
	mail  Mail
	known bool // who it is
}

func (b *Mailbox) serve(conn net.Conn) {
	s := &session{box: b, conn: conn, in: bufio.NewReader(conn), known: b.Login == ""}
	s.mail.Encrypted = b.Secure
	defer func() { _ = s.conn.Close() }() // the client has gone, or will see it
	s.say("220 mailbox")
	for {
		line, err := s.in.ReadString('\n')
		if err != nil || !s.answer(strings.TrimRight(line, "\r\n")) {
			return
		}
	}
}

func (s *session) say(format string, args ...any) {
	_, _ = fmt.Fprintf(s.conn, format+"\r\n", args...) // reading tells whether it is there
}

// answer does what a line says; more is false at the end.
func (s *session) answer(line string) (more bool) {
	verb, rest, _ := strings.Cut(line, " ")
	switch strings.ToUpper(verb) {
	case "EHLO", "HELO":
		s.hello()
	case "STARTTLS":
		s.say("220 go on")
		t := tls.Server(s.conn, s.box.TLS)
		s.conn, s.in, s.mail.Encrypted = t, bufio.NewReader(t), true
	case "AUTH":
		_, given, _ := strings.Cut(rest, " ")
		text, err := base64.StdEncoding.DecodeString(given)
		if s.known = err == nil && string(text) == "\x00"+s.box.Login; !s.known {
			s.say("535 no: %s", text)
			return true
		}
		s.say("235 welcome")
	case "MAIL":
		if !s.known {
			s.say("530 log in first")
			return true
		}
		s.mail.From = strings.Trim(strings.SplitN(rest[len("FROM:"):], " ", 2)[0], "<>")
		s.say("250 ok")
	case "RCPT":
		s.mail.To = append(s.mail.To, strings.Trim(rest[len("TO:"):], "<>"))
		s.say("250 ok")
	case "DATA":
		s.say("354 go on")
		return s.data()
	case "QUIT":
		s.say("221 bye")
		return false
	default:
		s.say("502 what?")
	}
	return true
}

func (s *session) hello() {
	s.say("250-mailbox")
	if s.box.TLS != nil && !s.mail.Encrypted {
		s.say("250-STARTTLS")
	}
	if s.box.Login != "" {
		s.say("250-AUTH PLAIN")
	}
	s.say("250 8BITMIME")
}

// data reads a message up to its dot.
func (s *session) data() bool {
	var b strings.Builder
	for {
		line, err := s.in.ReadString('\n')
		if err != nil {
			return false
		}
		if line == ".\r\n" {
			break
		}
		b.WriteString(strings.TrimPrefix(line, "."))
	}
	if s.box.Refuse != "" {
		s.say("%s", s.box.Refuse)
		return true
	}
	s.mail.Data = b.String()
	s.box.mu.Lock()
	s.box.mails = append(s.box.mails, s.mail)
	s.box.mu.Unlock()
	s.mail.To = nil
	s.say("250 taken")
	return true
}
