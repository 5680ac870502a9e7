package main

import (
	"encoding/json"
	"os"
	"sync"
)

var reporting sync.Mutex

// report writes one line; "type" says which.
func report(kind string, fields map[string]any) {
	line := map[string]any{"type": kind}
	for name, value := range fields {
		line[name] = value
	}
	text, err := json.Marshal(line)
	if err != nil {
		fail(err.Error())
	}
	reporting.Lock()
	defer reporting.Unlock()
	os.Stdout.Write(append(text, '\n'))
}
