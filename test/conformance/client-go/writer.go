package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

const (
	objectCount  = 20
	writePause   = 8 * time.Millisecond
	retryPause   = 150 * time.Millisecond
	writeTimeout = 10 * time.Second
)

// writer is the only one who changes its objects, so it knows their history exactly: a write
// whose answer was lost is looked up before the next one.
type writer struct {
	client   typedcorev1.ConfigMapInterface
	happened *history
	sequence int
	current  map[string]*corev1.ConfigMap
	unclear  int
}

func isBlue(sequence int) bool { return sequence%3 != 0 }

func colourOf(sequence int) string {
	if isBlue(sequence) {
		return "blue"
	}
	return "red"
}

// run writes until the context ends.
func (w *writer) run(ctx context.Context) {
	for ctx.Err() == nil {
		w.sequence++
		name := fmt.Sprintf("source-%02d", w.sequence%objectCount)
		if err := w.write(name, w.sequence); err != nil {
			w.unclear++
			w.settle(name, w.sequence)
		}
		time.Sleep(writePause)
	}
}

func (w *writer) write(name string, sequence int) error {
	ctx, cancel := context.WithTimeout(context.Background(), writeTimeout)
	defer cancel()
	before, exists := w.current[name]
	turn := sequence / objectCount % 6
	switch {
	case !exists:
		made, err := w.client.Create(ctx, stateOf(name, sequence), metav1.CreateOptions{})
		return w.done(name, added, sequence, made, err)
	case turn == 5:
		err := w.client.Delete(ctx, name, *metav1.NewPreconditionDeleteOptions(string(before.UID)))
		if err != nil {
			return err
		}
		w.gone(name)
		return nil
	case turn%3 == 0:
		next := stateOf(name, sequence)
		next.ResourceVersion = before.ResourceVersion
		made, err := w.client.Update(ctx, next, metav1.UpdateOptions{})
		return w.done(name, modified, sequence, made, err)
	case turn%3 == 1:
		patch := fmt.Sprintf(
			`{"metadata":{"annotations":{%q:"%d"},"labels":{%q:%q}},"data":{"sequence":"%d"}}`,
			sequenceKey, sequence, colourLabel, colourOf(sequence), sequence)
		made, err := w.client.Patch(ctx, name, types.StrategicMergePatchType, []byte(patch),
			metav1.PatchOptions{})
		return w.done(name, modified, sequence, made, err)
	default:
		next := applycorev1.ConfigMap(name, before.Namespace).
			WithAnnotations(map[string]string{sequenceKey: strconv.Itoa(sequence)}).
			WithLabels(map[string]string{colourLabel: colourOf(sequence)}).
			WithData(map[string]string{"sequence": strconv.Itoa(sequence)})
		made, err := w.client.Apply(ctx, next,
			metav1.ApplyOptions{FieldManager: "client-go-applies", Force: true})
		return w.done(name, modified, sequence, made, err)
	}
}

func stateOf(name string, sequence int) *corev1.ConfigMap {
	text := strconv.Itoa(sequence)
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Name:        name,
			Annotations: map[string]string{sequenceKey: text},
			Labels:      map[string]string{colourLabel: colourOf(sequence)},
		},
		Data:       map[string]string{"sequence": text},
		BinaryData: map[string][]byte{"bytes": {0, 0xff, byte(sequence)}},
	}
}

func (w *writer) done(name string, change change, sequence int, made *corev1.ConfigMap, err error,
) error {
	if err != nil {
		return err
	}
	w.current[name] = made
	w.happened.add(name, change, sequence)
	return nil
}

func (w *writer) gone(name string) {
	w.happened.add(name, deleted, sequenceOf(w.current[name]))
	delete(w.current, name)
}

// settle finds out whether a write happened whose answer was not a success.
func (w *writer) settle(name string, sequence int) {
	before, existed := w.current[name]
	for {
		ctx, cancel := context.WithTimeout(context.Background(), writeTimeout)
		found, err := w.client.Get(ctx, name, metav1.GetOptions{})
		cancel()
		switch {
		case apierrors.IsNotFound(err):
			if existed {
				w.gone(name)
			}
			return
		case err != nil:
			time.Sleep(retryPause)
		case sequenceOf(found) == sequence && !existed:
			_ = w.done(name, added, sequence, found, nil)
			return
		case sequenceOf(found) == sequence && found.ResourceVersion != before.ResourceVersion:
			_ = w.done(name, modified, sequence, found, nil)
			return
		default:
			return
		}
	}
}
