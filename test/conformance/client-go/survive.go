package main

import (
	"bufio"
	"context"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

const (
	progressPause = 100 * time.Millisecond
	settleTimeout = 60 * time.Second
	// A follower is with the writer when it is this many events behind, at most.
	closeEnough = 20
)

// survive writes and follows until a line comes on standard input; meanwhile whoever runs it may
// stop and start the server. It says how far it is all the while, and sums up at the end.
func survive(ctx context.Context, with setting) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	copies := with.namespace + "-copies"
	client, err := kubernetes.NewForConfig(with.config)
	if err != nil {
		return err
	}
	for _, name := range []string{with.namespace, copies} {
		if err := makeNamespace(ctx, client, name); err != nil {
			return err
		}
	}
	followers, err := followAll(ctx, with)
	if err != nil {
		return err
	}
	controller, err := startController(ctx, with, copies)
	if err != nil {
		return err
	}
	election, err := startElection(ctx, with)
	if err != nil {
		return err
	}
	if _, err := election.await("", time.Now().Add(settleTimeout)); err != nil {
		return err
	}

	happened := newHistory()
	writer := &writer{
		client:   client.CoreV1().ConfigMaps(with.namespace),
		happened: happened,
		current:  map[string]*corev1.ConfigMap{},
	}
	writing, stopWriting := context.WithCancel(ctx)
	written := make(chan struct{})
	go func() {
		writer.run(writing)
		close(written)
	}()
	finish := make(chan struct{})
	go func() {
		bufio.NewScanner(os.Stdin).Scan()
		close(finish)
	}()
	tellProgress(happened, followers, finish)
	stopWriting()
	<-written

	until := time.Now().Add(settleTimeout)
	for _, follower := range followers {
		follower.caughtUp(happened, until)
	}
	// What comes too often comes late.
	time.Sleep(time.Second)
	for _, follower := range followers {
		report("follower", follower.summary(happened))
	}
	report("controller", map[string]any{
		"problem": controller.converged(until),
		"relists": controller.traffic.lists.Load() - 2,
	})
	report("election", election.handOver(until))
	report("writer", map[string]any{"written": happened.length(), "unclear": writer.unclear})
	return nil
}

func tellProgress(happened *history, followers []*follower, finish <-chan struct{}) {
	for {
		select {
		case <-finish:
			return
		case <-time.After(progressPause):
		}
		close := true
		for _, follower := range followers {
			behind := follower.expected(happened).length() - follower.seen.length()
			close = close && behind <= closeEnough
		}
		report("progress", map[string]any{"written": happened.length(), "close": close})
	}
}

func makeNamespace(ctx context.Context, client kubernetes.Interface, name string) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	_, err := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
