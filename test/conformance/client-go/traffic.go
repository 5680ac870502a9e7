package main

import (
	"net/http"
	"sync/atomic"

	"k8s.io/client-go/rest"
)

// traffic counts what one follower asks the server for, and how it is answered.
type traffic struct {
	// lists are whole states asked for, as a list or as a watch that begins with the state.
	lists atomic.Int64
	// watches are those that go on from a revision.
	watches atomic.Int64
	// refused are answers of 400 and above.
	refused atomic.Int64
	// older are answers that did not come over HTTP/2.
	older atomic.Int64
	// types are the media types of the answers, as they were first seen.
	types atomic.Value
}

type countingTransport struct {
	counts *traffic
	next   http.RoundTripper
}

// counted is the same client with its requests counted.
func (t *traffic) counted(config *rest.Config) *rest.Config {
	own := rest.CopyConfig(config)
	own.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return countingTransport{t, next}
	})
	return own
}

func (c countingTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := c.next.RoundTrip(request)
	if err != nil {
		return response, err
	}
	if response.ProtoMajor != 2 {
		c.counts.older.Add(1)
	}
	query := request.URL.Query()
	switch {
	case response.StatusCode >= 400:
		c.counts.refused.Add(1)
	case request.Method != http.MethodGet:
	case query.Get("watch") == "":
		c.counts.lists.Add(1)
	case query.Get("sendInitialEvents") == "true":
		c.counts.lists.Add(1)
	default:
		c.counts.watches.Add(1)
	}
	if response.StatusCode < 400 && query.Get("watch") != "" {
		c.counts.types.Store(response.Header.Get("Content-Type"))
	}
	return response, nil
}
