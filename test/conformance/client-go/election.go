package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// A term outlasts a restart of the server, so whoever leads goes on leading.
const (
	leaseDuration = 30 * time.Second
	renewDeadline = 25 * time.Second
	retryPeriod   = 500 * time.Millisecond
)

// election is two candidates for one lease, and who led when.
type election struct {
	mutex   sync.Mutex
	leading map[string]bool
	terms   []string
	// together are the times that one began while another led.
	together int
	resign   map[string]context.CancelFunc
	done     sync.WaitGroup
}

func startElection(ctx context.Context, with setting) (*election, error) {
	e := &election{leading: map[string]bool{}, resign: map[string]context.CancelFunc{}}
	for _, name := range []string{"first", "second"} {
		client, err := kubernetes.NewForConfig(with.config)
		if err != nil {
			return nil, err
		}
		elector, err := leaderelection.NewLeaderElector(e.candidacy(client, with.namespace, name))
		if err != nil {
			return nil, err
		}
		own, cancel := context.WithCancel(ctx)
		e.resign[name] = cancel
		e.done.Add(1)
		go func() {
			defer e.done.Done()
			elector.Run(own)
		}()
	}
	return e, nil
}

func (e *election) candidacy(client kubernetes.Interface, namespace, name string,
) leaderelection.LeaderElectionConfig {
	return leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: namespace, Name: "leader"},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: name},
		},
		LeaseDuration:   leaseDuration,
		RenewDeadline:   renewDeadline,
		RetryPeriod:     retryPeriod,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { e.began(name) },
			OnStoppedLeading: func() { e.ended(name) },
		},
	}
}

func (e *election) began(name string) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	for _, leads := range e.leading {
		if leads {
			e.together++
		}
	}
	e.leading[name] = true
	e.terms = append(e.terms, name)
}

func (e *election) ended(name string) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.leading[name] = false
}

func (e *election) leader() string {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	for name, leads := range e.leading {
		if leads {
			return name
		}
	}
	return ""
}

// await waits for a leader other than this one.
func (e *election) await(other string, until time.Time) (string, error) {
	for time.Now().Before(until) {
		if name := e.leader(); name != "" && name != other {
			return name, nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return "", fmt.Errorf("nobody but %q leads", other)
}

// handOver lets the leader resign, and says what came of it all.
func (e *election) handOver(until time.Time) map[string]any {
	before := e.leader()
	kept := len(e.terms) == 1
	if resign := e.resign[before]; resign != nil {
		resign()
	}
	after, err := e.await(before, until)
	for _, resign := range e.resign {
		resign()
	}
	e.done.Wait()
	summary := map[string]any{
		"terms": len(e.terms), "together": e.together, "kept": kept, "next": after, "error": "",
	}
	if err != nil {
		summary["error"] = err.Error()
	}
	return summary
}
