package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/record"
)

var eventChecks = []check{
	{"the older recorder's events are stored, and counted up", checkRecorder},
	{"the newer recorder's events are stored", checkNewRecorder},
}

func checkRecorder(ctx context.Context, b *bench) error {
	pod, err := b.makePod(ctx, "recorded")
	if err != nil {
		return err
	}
	broadcaster := record.NewBroadcaster()
	defer broadcaster.Shutdown()
	sink := &typedcorev1.EventSinkImpl{Interface: b.client.CoreV1().Events(b.namespace)}
	broadcaster.StartRecordingToSink(sink)
	recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "older"})
	for range 3 {
		recorder.Eventf(pod, corev1.EventTypeWarning, "Repeated", "it %s again", "happened")
	}
	return b.awaitEvent(ctx, "reason=Repeated,involvedObject.name=recorded",
		func(event corev1.Event) bool { return event.Count == 3 && event.Source.Component == "older" })
}

func checkNewRecorder(ctx context.Context, b *bench) error {
	pod, err := b.makePod(ctx, "recorded-newly")
	if err != nil {
		return err
	}
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: b.client.EventsV1()})
	defer broadcaster.Shutdown()
	if err := broadcaster.StartRecordingToSinkWithContext(ctx); err != nil {
		return err
	}
	recorder := broadcaster.NewRecorder(scheme.Scheme, "newer")
	for range 2 {
		recorder.Eventf(pod, nil, corev1.EventTypeNormal, "Newly", "Trying", "it happened")
	}
	return b.awaitEvent(ctx, "reason=Newly", func(event corev1.Event) bool {
		return event.ReportingController == "newer" && event.Action == "Trying" &&
			event.Series != nil && event.Series.Count == 2
	})
}

func (b *bench) awaitEvent(ctx context.Context, selector string, fits func(corev1.Event) bool,
) error {
	for {
		list, err := b.client.CoreV1().Events(b.namespace).List(ctx,
			metav1.ListOptions{FieldSelector: selector})
		if ctx.Err() != nil {
			return fmt.Errorf("there is no such event")
		}
		if err != nil {
			return err
		}
		for _, event := range list.Items {
			if fits(event) {
				return nil
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
}
