package main

import (
	"fmt"
	"strconv"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// sequenceKey is the annotation that numbers the states of an object; the one form of an
	// object that has no data shows it too.
	sequenceKey = "client-go/sequence"
	// colourLabel is what a selection looks at.
	colourLabel = "colour"
)

type change string

const (
	added    change = "ADDED"
	modified change = "MODIFIED"
	deleted  change = "DELETED"
	// again is a state that was told before; lost is a deletion that was worked out, not told.
	again change = "AGAIN"
	lost  change = "LOST"
)

type step struct {
	change   change
	sequence int
}

// history is what happened to each object, in order.
type history struct {
	mutex sync.Mutex
	steps map[string][]step
	total int
}

func newHistory() *history {
	return &history{steps: map[string][]step{}}
}

func (h *history) add(name string, change change, sequence int) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.steps[name] = append(h.steps[name], step{change, sequence})
	h.total++
}

func (h *history) length() int {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.total
}

func (h *history) copied() map[string][]step {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	steps := make(map[string][]step, len(h.steps))
	for name, of := range h.steps {
		steps[name] = append([]step(nil), of...)
	}
	return steps
}

// selected is what a watcher of the objects of one colour is told of this history: what comes to
// be of the colour is added, what ceases to be so is deleted, in its last state.
func (h *history) selected(isSelected func(sequence int) bool) *history {
	shown := newHistory()
	for name, steps := range h.copied() {
		inside, last := false, 0
		for _, each := range steps {
			is := each.change != deleted && isSelected(each.sequence)
			switch {
			case is && !inside:
				shown.add(name, added, each.sequence)
			case is:
				shown.add(name, modified, each.sequence)
			case inside:
				shown.add(name, deleted, last)
			}
			inside, last = is, each.sequence
		}
	}
	return shown
}

// difference says how `seen` departs from `happened`: steps that are not there, steps that are
// there and did not happen (so often), and objects whose steps are right and in another order.
func difference(happened, seen map[string][]step) (missed, repeated, disordered int, first string) {
	note := func(name string, what string, each step) {
		if first == "" {
			first = fmt.Sprintf("%s: %s %s %d", name, what, each.change, each.sequence)
		}
	}
	names := map[string]bool{}
	for name := range happened {
		names[name] = true
	}
	for name := range seen {
		names[name] = true
	}
	for name := range names {
		count := map[step]int{}
		for _, each := range happened[name] {
			count[each]++
		}
		for _, each := range seen[name] {
			count[each]--
		}
		same := true
		for each, left := range count {
			if left > 0 {
				missed += left
				note(name, "missed", each)
			}
			if left < 0 {
				repeated -= left
				note(name, "repeated", each)
			}
			same = same && left == 0
		}
		if !same {
			continue
		}
		for at, each := range happened[name] {
			if seen[name][at] != each {
				disordered++
				note(name, "in another order", each)
				break
			}
		}
	}
	return missed, repeated, disordered, first
}

func sequenceOf(object metav1.Object) int {
	sequence, err := strconv.Atoi(object.GetAnnotations()[sequenceKey])
	if err != nil {
		return -1
	}
	return sequence
}
