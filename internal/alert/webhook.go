package alert

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// Webhook sends letters by HTTP POST. The zero value of Form is generic JSON.
type Webhook struct {
	// URL is a secret.
	URL  string
	Form Form
	// Client is nil for one of its own.
	Client *http.Client
}

// patience is how long one letter may take.
const patience = 5 * time.Second

// Send implements [Sender].
func (w Webhook) Send(ctx context.Context, l Letter) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	body, err := w.Form.body(l)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(body))
	if err != nil {
		return errors.New("the address of the webhook is no URL") // err holds it
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "landfall")
	req.Header.Set("Landfall-Alert-Id", l.ID)
	client := w.Client
	if client == nil {
		client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	res, err := client.Do(req)
	if err != nil {
		return unreachable(err)
	}
	defer res.Body.Close()                                       //nolint:errcheck // read alone
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // so that the connection can end well
	answer := fmt.Sprintf("the webhook answered %d %s", res.StatusCode, http.StatusText(res.StatusCode))
	switch {
	case res.StatusCode/100 == 2:
		return nil
	case res.StatusCode == http.StatusBadRequest, res.StatusCode == http.StatusRequestEntityTooLarge, res.StatusCode == http.StatusUnprocessableEntity:
		return refusal(answer)
	}
	return errors.New(answer)
}

// unreachable says why a target cannot be reached, without naming it: the text of
// the error may hold an address that is a secret.
func unreachable(err error) error {
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.Is(err, context.DeadlineExceeded) || timedOut(err):
		return errors.New("the target did not answer in time")
	case errors.As(err, &dns):
		return errors.New("the name of the target's host is not known")
	case errors.As(err, &op) && op.Op == "dial":
		return errors.New("the target refused the connection, or there is no way to it")
	case strings.Contains(err.Error(), "tls: ") || strings.Contains(err.Error(), "x509: "):
		return errors.New("the target's certificate is not to be trusted")
	case strings.Contains(err.Error(), "unsupported protocol scheme"):
		return errors.New("the address of the webhook is no URL of http or https")
	}
	return errors.New("the connection to the target broke")
}

func timedOut(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}
