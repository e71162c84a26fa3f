package alert

import (
	"bytes"
	"encoding/json"
	"time"
)

// Form is how a letter is written for a webhook.
type Form string

// The forms.
const (
	// JSON is the message as an object, or a digest with its messages.
	JSON Form = ""
	// Slack is the body of an incoming webhook.
	Slack Form = "slack"
	// Teams is a message with an adaptive card.
	Teams Form = "teams"
)

// Forms are the names of all forms, that of generic JSON first.
func Forms() []string { return []string{"json", string(Slack), string(Teams)} }

// body writes a letter.
func (f Form) body(l Letter) ([]byte, error) {
	switch f {
	case Slack:
		return encode(l.slack())
	case Teams:
		return encode(l.teams())
	default:
		return encode(l.document())
	}
}

func encode(document any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(document)
	return b.Bytes(), err
}

// single is a letter of one message as JSON.
type single struct {
	Message
	Sent time.Time `json:"sent"`
	// Delay is how late it is, in seconds.
	Delay int64 `json:"delay_seconds,omitempty"`
}

// digest is a letter of several as JSON.
type digest struct {
	ID       string    `json:"id"`
	Kind     string    `json:"kind"`
	Messages []Message `json:"messages"`
	Sent     time.Time `json:"sent"`
	Text     string    `json:"text"`
}

// document is a letter as JSON.
func (l Letter) document() any {
	if l.Digest {
		return digest{l.ID, "digest", l.Messages, l.Now, l.text()}
	}
	one := single{l.Messages[0], l.Now, int64(l.Delay / time.Second)}
	one.Text = l.text()
	return one
}
