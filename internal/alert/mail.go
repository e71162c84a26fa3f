package alert

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/smtp"
	"net/textproto"
	"strconv"
	"strings"
	"time"
)

// Mail sends letters by SMTP. The connection is encrypted where the server offers it,
// and from the start at port 465.
type Mail struct {
	Host string
	// Port is 0 for 25.
	Port int
	From string
	To   []string
	// User and Password are secrets; no user means that nobody logs in. They are not
	// sent over a connection in the clear, unless the server is this machine.
	User, Password string
	// roots are whom to trust, nil for those of this machine; secure encrypts from the
	// start at another port than 465.
	roots  *x509.CertPool
	secure bool
}

// Send implements [Sender].
func (m Mail) Send(ctx context.Context, l Letter) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	body, err := m.body(l)
	if err != nil {
		return err
	}
	c, conn, err := m.dial(ctx)
	if err != nil {
		return refused(err)
	}
	// A cancelled context ends what the connection waits for.
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	err = m.hand(c, body)
	if err != nil {
		_ = c.Close() // there is an error to tell already
		return refused(err)
	}
	_ = c.Quit() // the server has the letter
	return nil
}

// dial connects, and waits for the server's greeting.
func (m Mail) dial(ctx context.Context) (*smtp.Client, net.Conn, error) {
	port := m.Port
	if port == 0 {
		port = 25
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(m.Host, strconv.Itoa(port)))
	if err != nil {
		return nil, nil, err
	}
	if until, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(until); err != nil {
			return nil, nil, errors.Join(err, conn.Close())
		}
	}
	if port == 465 || m.secure {
		conn = tls.Client(conn, m.tls())
	}
	c, err := smtp.NewClient(conn, m.Host)
	if err != nil {
		return nil, nil, errors.Join(err, conn.Close())
	}
	return c, conn, nil
}

func (m Mail) tls() *tls.Config {
	return &tls.Config{ServerName: m.Host, MinVersion: tls.VersionTLS12, RootCAs: m.roots}
}

// hand gives the server a message.
func (m Mail) hand(c *smtp.Client, body []byte) error {
	if ok, _ := c.Extension("STARTTLS"); ok {
		if err := c.StartTLS(m.tls()); err != nil {
			return err
		}
	}
	if m.User != "" {
		if err := m.login(c); err != nil {
			return err
		}
	}
	if err := c.Mail(address(m.From)); err != nil {
		return err
	}
	for _, to := range m.To {
		if err := c.Rcpt(address(to)); err != nil {
			return err
		}
	}
	w, err := c.Data()
	if err != nil {
		return err
	}
	if _, err := w.Write(body); err != nil {
		return err
	}
	return w.Close()
}

// The errors of a login that was not tried.
var (
	errClear  = errors.New("the mail server offers no encryption, and the password is not sent in the clear")
	errNoUser = errors.New("the mail server takes no user")
)

func (m Mail) login(c *smtp.Client) error {
	if _, encrypted := c.TLSConnectionState(); !encrypted && m.Host != "localhost" && m.Host != "127.0.0.1" && m.Host != "::1" {
		return errClear
	}
	if ok, _ := c.Extension("AUTH"); !ok {
		return errNoUser
	}
	return c.Auth(smtp.PlainAuth("", m.User, m.Password, m.Host))
}

// address is the bare address of one that may have a name.
func address(text string) string {
	if a, err := mail.ParseAddress(text); err == nil {
		return a.Address
	}
	return text
}

// body writes the message: headers and text.
func (m Mail) body(l Letter) ([]byte, error) {
	var b bytes.Buffer
	header := func(name, value string) {
		b.WriteString(name + ": " + strings.NewReplacer("\r", " ", "\n", " ").Replace(value) + "\r\n")
	}
	header("From", m.From)
	header("To", strings.Join(m.To, ", "))
	header("Subject", mime.BEncoding.Encode("utf-8", cut(l.subject(), longest)))
	header("Date", l.Now.Format(time.RFC1123Z))
	header("Message-ID", "<"+l.ID+"@landfall>")
	header("Landfall-Alert-Id", l.ID)
	header("Auto-Submitted", "auto-generated")
	header("MIME-Version", "1.0")
	header("Content-Type", "text/plain; charset=utf-8")
	header("Content-Transfer-Encoding", "quoted-printable")
	b.WriteString("\r\n")
	w := quotedprintable.NewWriter(&b)
	if _, err := w.Write([]byte(strings.ReplaceAll(l.text(), "\n", "\r\n") + "\r\n")); err != nil {
		return nil, err
	}
	err := w.Close()
	return b.Bytes(), err
}

// refused says why a server did not take a message. What it answers may repeat an
// address or a name, so that only its code is told.
func refused(err error) error {
	var answer *textproto.Error
	switch {
	case errors.Is(err, errClear), errors.Is(err, errNoUser):
		return err
	case errors.As(err, &answer) && (answer.Code == 535 || answer.Code == 534 || answer.Code == 530):
		return fmt.Errorf("the mail server refused the user or the password (%d)", answer.Code)
	case errors.As(err, &answer) && answer.Code >= 550:
		return refusal(fmt.Sprintf("the mail server refused the message (%d)", answer.Code))
	case errors.As(err, &answer):
		return fmt.Errorf("the mail server does not take the message now (%d)", answer.Code)
	}
	return unreachable(err)
}
