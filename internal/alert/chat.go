package alert

import "strings"

// Chats take so many messages of a digest, and so much of each, in bytes: beyond it
// they refuse all.
const (
	mostChat    = 20
	longestChat = 1000
)

// paragraphs are the messages of a letter as chats get them. What is too much is
// counted.
func (l Letter) paragraphs() []string {
	var all []string
	if l.Digest {
		all = append(all, l.subject())
	}
	for i, m := range l.Messages {
		if i == mostChat {
			all = append(all, "and "+plural(int64(len(l.Messages)-mostChat), "more message"))
			break
		}
		all = append(all, cut(m.Text, longestChat))
	}
	if l.Delay > 0 {
		all = append(all, l.delayed())
	}
	return all
}

// slackBody is the body of an incoming webhook.
type slackBody struct {
	// Text is for notifications.
	Text   string       `json:"text"`
	Blocks []slackBlock `json:"blocks"`
}

type slackBlock struct {
	Type string    `json:"type"`
	Text slackText `json:"text"`
}

type slackText struct {
	Type  string `json:"type"`
	Text  string `json:"text"`
	Emoji bool   `json:"emoji"`
}

// slack writes the letter as plain text: what files have in them is no markup, and
// calls nobody.
func (l Letter) slack() slackBody {
	escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	b := slackBody{Text: escaped.Replace(l.subject())}
	for _, p := range l.paragraphs() {
		b.Blocks = append(b.Blocks, slackBlock{"section", slackText{Type: "plain_text", Text: p}})
	}
	return b
}

// teamsBody is a message with an adaptive card.
type teamsBody struct {
	Type        string            `json:"type"`
	Attachments []teamsAttachment `json:"attachments"`
}

type teamsAttachment struct {
	ContentType string    `json:"contentType"`
	ContentURL  *string   `json:"contentUrl"`
	Content     teamsCard `json:"content"`
}

type teamsCard struct {
	Schema  string         `json:"$schema"`
	Type    string         `json:"type"`
	Version string         `json:"version"`
	Body    []teamsElement `json:"body"`
}

type teamsElement struct {
	Type      string     `json:"type"`
	Separator bool       `json:"separator,omitempty"`
	Inlines   []teamsRun `json:"inlines"`
}

type teamsRun struct {
	Type   string `json:"type"`
	Text   string `json:"text"`
	Weight string `json:"weight,omitempty"`
}

// teams writes the letter as runs of text, in which nothing is markup.
func (l Letter) teams() teamsBody {
	card := teamsCard{Schema: "http://adaptivecards.io/schemas/adaptive-card.json", Type: "AdaptiveCard", Version: "1.4"}
	for i, p := range l.paragraphs() {
		for k, text := range strings.Split(p, "\n") {
			run := teamsRun{Type: "TextRun", Text: text}
			if k == 0 {
				run.Weight = "Bolder"
			}
			card.Body = append(card.Body, teamsElement{Type: "RichTextBlock", Separator: i > 0 && k == 0, Inlines: []teamsRun{run}})
		}
	}
	return teamsBody{"message", []teamsAttachment{{ContentType: "application/vnd.microsoft.card.adaptive", Content: card}}}
}
