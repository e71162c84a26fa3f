package alert

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"log"
	"math/big"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"net/smtp"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"landfall/internal/alert/alerttest"
)

// letterOf is a letter on a file whose name and value try to be more than text.
func letterOf(n int) Letter {
	l := Letter{ID: "id0", Digest: n > 1, Now: noon()}
	for range n {
		m := Message{
			ID: "id0", Kind: Rescued, Source: "orders", What: "type_conflict", Column: "n", File: "b\r\nBcc: eve@example.com.csv", Record: 3,
			Sample: "<!channel> [x](http://e)", Wanted: "bigint", Count: 2, Decision: "rescue", Command: "landfall drift show orders n", Time: noon(),
		}
		l.Messages = append(l.Messages, m.Told())
	}
	return l
}

// TestWebhook: each form is posted, with the id in a header, and what a server answers
// is told without its address.
func TestWebhook(t *testing.T) {
	var got map[string]any
	var header http.Header
	status := http.StatusNoContent
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, header = nil, r.Header
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		w.WriteHeader(status)
	}))
	defer srv.Close()
	send := func(f Form, l Letter) {
		t.Helper()
		if err := (Webhook{URL: srv.URL + "/s3cret", Form: f}).Send(context.Background(), l); err != nil {
			t.Fatal(err)
		}
		if header.Get("Landfall-Alert-Id") != "id0" || header.Get("Content-Type") != "application/json" {
			t.Errorf("found headers %v", header)
		}
	}
	send(JSON, letterOf(1))
	if got["kind"] != "rescued" || got["sample"] != "<!channel> [x](http://e)" || got["sent"] != "2026-10-02T12:00:00Z" {
		t.Errorf("found %v", got)
	}
	send(JSON, letterOf(30))
	if got["kind"] != "digest" || len(got["messages"].([]any)) != 30 {
		t.Errorf("found %v", got)
	}
	send(Slack, letterOf(30))
	blocks := got["blocks"].([]any)
	if len(blocks) != 22 || got["text"] != "30 alerts" {
		t.Errorf("found %d blocks and %v", len(blocks), got["text"])
	}
	for _, b := range blocks {
		if kind := b.(map[string]any)["text"].(map[string]any)["type"]; kind != "plain_text" {
			t.Errorf("found a text of type %v: a value could call people", kind)
		}
	}
	send(Teams, letterOf(2))
	card := got["attachments"].([]any)[0].(map[string]any)["content"].(map[string]any)
	if card["type"] != "AdaptiveCard" || len(card["body"].([]any)) != 9 {
		t.Errorf("found %v", card)
	}
	for _, e := range card["body"].([]any) {
		if kind := e.(map[string]any)["type"]; kind != "RichTextBlock" {
			t.Errorf("found an element %v: a value could be markup", kind)
		}
	}
	for code, want := range map[int]string{500: "the webhook answered 500 Internal Server Error", 302: "the webhook answered 302 Found", 400: "the webhook answered 400 Bad Request"} {
		status = code
		if err := (Webhook{URL: srv.URL + "/s3cret"}).Send(context.Background(), letterOf(1)); err == nil || err.Error() != want {
			t.Errorf("found %v, want %s", err, want)
		}
	}
}

// TestUnreachable: errors say why a target is not reached, and not where it is.
func TestUnreachable(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	host, port := "127.0.0.1", silent.Addr().(*net.TCPAddr).Port
	closed := httptest.NewServer(nil)
	closed.Close()
	secure := httptest.NewTLSServer(nil)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(secure.Close)
	for name, c := range map[string]struct {
		sender Sender
		want   string
	}{
		"a host that is none":   {Webhook{URL: "http://s3cret.invalid/s3cret"}, "the name of the target's host is not known"},
		"a port without server": {Webhook{URL: closed.URL + "/s3cret"}, "the target refused the connection, or there is no way to it"},
		"nobody answers":        {Webhook{URL: "http://" + silent.Addr().String() + "/s3cret"}, "the target did not answer in time"},
		"no certificate":        {Webhook{URL: secure.URL + "/s3cret"}, "the target's certificate is not to be trusted"},
		"no URL":                {Webhook{URL: "http://s3cret:s3cret:s3cret/"}, "the address of the webhook is no URL"},
		"no mail":               {Mail{Host: host, Port: port, From: "a@b.c", To: []string{"s3cret@b.c"}}, "the target did not answer in time"},
		"no program":            {Command{Args: []string{"s3cret-program"}}, "there is no such program"},
		"a program that fails":  {Command{Args: []string{"sh", "-c", "echo s3cret >&2; exit 7"}}, "the command ended with status 7"},
		"one that goes on":      {Command{Args: []string{"sleep", "60"}}, "the command did not end in time"},
		"no folder":             {File{Path: "/s3cret/a/b"}, "the file cannot be written: no such file or directory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
			if strings.HasPrefix(c.want, "the name") {
				ctx, cancel = context.WithTimeout(context.Background(), 5*time.Second)
			}
			defer cancel()
			if err := c.sender.Send(ctx, letterOf(1)); err == nil || err.Error() != c.want && !strings.Contains(name, "host") {
				t.Errorf("found %v, want %s", err, c.want)
			} else if strings.Contains(err.Error(), "s3cret") {
				t.Errorf("a secret is told: %v", err)
			}
		})
	}
}

// TestCommand: a program gets the letter on its standard input, and its arguments as
// they are; it need not read.
func TestCommand(t *testing.T) {
	dir := t.TempDir()
	err := Command{Args: []string{"sh", "-c", `cat > got.json; printf %s "$1" > arg`, "sh", "$(x) 'y"}, Dir: dir}.Send(context.Background(), letterOf(1))
	if err != nil {
		t.Fatal(err)
	}
	var m Message
	if data, err := os.ReadFile(filepath.Join(dir, "got.json")); err != nil || json.Unmarshal(data, &m) != nil || m.Column != "n" {
		t.Errorf("found %v, %+v", err, m)
	}
	if arg, err := os.ReadFile(filepath.Join(dir, "arg")); string(arg) != "$(x) 'y" {
		t.Errorf("found %q, %v", arg, err)
	}
	if err := (Command{Args: []string{"true"}}).Send(context.Background(), letterOf(30)); err != nil {
		t.Error(err)
	}
}

// TestFile: lines are appended.
func TestFile(t *testing.T) {
	f := File{Path: filepath.Join(t.TempDir(), "alerts.ndjson")}
	for range 2 {
		if err := f.Send(context.Background(), letterOf(1)); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(f.Path)
	if lines := strings.Split(strings.TrimSpace(string(data)), "\n"); err != nil || len(lines) != 2 || !json.Valid([]byte(lines[1])) {
		t.Errorf("found %v, %q", err, data)
	}
}

// TestMail: a message arrives as mail, encrypted where the server offers it, and names
// of files are no headers.
func TestMail(t *testing.T) {
	config, roots := certificate(t)
	for name, c := range map[string]struct {
		box   *alerttest.Mailbox
		plain bool
		want  string
	}{
		"plain":           {box: &alerttest.Mailbox{}, plain: true},
		"encrypted":       {box: &alerttest.Mailbox{TLS: config}},
		"from the start":  {box: &alerttest.Mailbox{TLS: config, Secure: true}},
		"with a user":     {box: &alerttest.Mailbox{TLS: config, Login: "ann\x00s3cret"}},
		"wrong password":  {box: &alerttest.Mailbox{TLS: config, Login: "ann\x00other"}, want: "the mail server refused the user or the password (535)"},
		"refused":         {box: &alerttest.Mailbox{Refuse: "554 s3cret"}, want: "the mail server refused the message (554)"},
		"busy":            {box: &alerttest.Mailbox{Refuse: "451 s3cret"}, want: "the mail server does not take the message now (451)"},
		"not to be known": {box: &alerttest.Mailbox{TLS: &tls.Config{Certificates: config.Certificates}}, want: "the target's certificate is not to be trusted"},
	} {
		t.Run(name, func(t *testing.T) {
			at, err := c.box.Start("127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer c.box.Stop() //nolint:errcheck // it is over
			_, digits, _ := net.SplitHostPort(at)
			port, _ := strconv.Atoi(digits)
			m := Mail{Host: "127.0.0.1", Port: port, From: "Landfall <landfall@example.com>", To: []string{"ann@example.com", "bo@example.com"}, roots: roots}
			m.secure = c.box.Secure
			if c.box.Login != "" {
				m.User, m.Password = "ann", "s3cret"
			}
			if name == "not to be known" {
				m.roots = x509.NewCertPool()
			}
			err = m.Send(context.Background(), letterOf(1))
			if c.want != "" {
				if err == nil || err.Error() != c.want {
					t.Errorf("found %v, want %s", err, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			checkMail(t, c.box.Mails(), !c.plain)
		})
	}
}

func checkMail(t *testing.T, mails []alerttest.Mail, encrypted bool) {
	if len(mails) != 1 || mails[0].From != "landfall@example.com" || len(mails[0].To) != 2 || mails[0].Encrypted != encrypted {
		t.Fatalf("found %+v", mails)
	}
	got, err := mail.ReadMessage(strings.NewReader(mails[0].Data))
	if err != nil {
		t.Fatal(err)
	}
	if got.Header.Get("Bcc") != "" {
		t.Error("the name of a file is a header")
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(got.Header.Get("Subject"))
	if err != nil || subject != "orders: 2 values of column n are no bigint: rescued (type conflict)" {
		t.Errorf("found %q, %v", subject, err)
	}
	body, err := io.ReadAll(quotedprintable.NewReader(got.Body))
	if err != nil || !strings.Contains(string(body), "\r\nto decide otherwise: landfall drift show orders n\r\n") {
		t.Errorf("found %q, %v", body, err)
	}
}

// TestClear: a password is not sent in the clear to another machine.
func TestClear(t *testing.T) {
	m := Mail{Host: "mail.example.com", User: "ann", Password: "s3cret"}
	box := alerttest.Mailbox{Login: "ann\x00s3cret"}
	at, err := box.Start("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer box.Stop() //nolint:errcheck // it is over
	conn, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	c, err := smtp.NewClient(conn, m.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close() //nolint:errcheck // it is over
	if err := m.hand(c, nil); err == nil || refused(err).Error() != errClear.Error() {
		t.Errorf("found %v, want %v", err, errClear)
	}
}

// certificate makes one for this machine, and who trusts it.
func certificate(t *testing.T) (*tls.Config, *x509.CertPool) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(signed)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, roots
}
