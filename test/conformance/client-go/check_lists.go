package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/pager"
)

var listChecks = []check{
	{"a list in pages has everything once, and says what remains", checkPages},
	{"selectors by label and field select", checkSelectors},
	{"deletecollection deletes what is selected, and nothing else", checkDeleteCollection},
	{"a watch tells what happens after its version, in the types of the objects", checkWatch},
	{"a watch of one name tells of that one", checkWatchOne},
	{"a streamed list ends with its bookmark", checkStreamedList},
	{"bookmarks come while nothing happens", checkBookmarks},
	{"a version that is yet to come is a timeout that says when to try again", checkFuture},
	{"a continue token that makes no sense is refused", checkWrongToken},
	{"the metadata of objects alone, in a list and a watch", checkMetadata},
}

const pagedCount = 23

func (b *bench) makePaged(ctx context.Context) error {
	of := b.client.CoreV1().ConfigMaps(b.namespace)
	for at := range pagedCount {
		made := b.configMap(fmt.Sprintf("paged-%02d", at), map[string]string{"at": fmt.Sprint(at)})
		made.Labels = map[string]string{"paged": "yes", "odd": fmt.Sprint(at%2 == 1)}
		_, err := of.Create(ctx, made, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	return nil
}

func checkPages(ctx context.Context, b *bench) error {
	if err := b.makePaged(ctx); err != nil {
		return err
	}
	of := b.client.CoreV1().ConfigMaps(b.namespace)
	page, err := of.List(ctx, metav1.ListOptions{Limit: 5})
	if err != nil {
		return err
	}
	if page.RemainingItemCount == nil || page.Continue == "" || len(page.Items) != 5 {
		return fmt.Errorf("the first page says %v", page.ListMeta)
	}
	seen := map[string]int{}
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return of.List(ctx, options)
	})
	pages.PageSize = 5
	err = pages.EachListItem(ctx, metav1.ListOptions{LabelSelector: "paged=yes"},
		func(object runtime.Object) error {
			seen[object.(*corev1.ConfigMap).Name]++
			return nil
		})
	for name, times := range seen {
		if times != 1 {
			return fmt.Errorf("%s came %d times", name, times)
		}
	}
	return first(err, expect("the number of objects", len(seen), pagedCount))
}

func checkSelectors(ctx context.Context, b *bench) error {
	if err := b.makePaged(ctx); err != nil {
		return err
	}
	of := b.client.CoreV1().ConfigMaps(b.namespace)
	for _, row := range []struct {
		options metav1.ListOptions
		count   int
	}{
		{metav1.ListOptions{LabelSelector: "paged=yes"}, pagedCount},
		{metav1.ListOptions{LabelSelector: "paged=yes,odd!=true"}, pagedCount/2 + 1},
		{metav1.ListOptions{LabelSelector: "paged,odd in (true, maybe)"}, pagedCount / 2},
		{metav1.ListOptions{LabelSelector: "paged notin (yes),paged"}, 0},
		{metav1.ListOptions{FieldSelector: "metadata.name=paged-07"}, 1},
		{metav1.ListOptions{FieldSelector: "metadata.name!=paged-07", LabelSelector: "paged"},
			pagedCount - 1},
		{metav1.ListOptions{ResourceVersion: "0", LabelSelector: "paged"}, pagedCount},
	} {
		list, err := of.List(ctx, row.options)
		if err != nil {
			return fmt.Errorf("%v: %w", row.options, err)
		}
		if err := expect(row.options.String(), len(list.Items), row.count); err != nil {
			return err
		}
	}
	_, err := of.List(ctx, metav1.ListOptions{FieldSelector: "data.at=1"})
	if !apierrors.IsBadRequest(err) {
		return fmt.Errorf("a field that cannot be selected by is no BadRequest but %v", err)
	}
	return nil
}

func checkDeleteCollection(ctx context.Context, b *bench) error {
	if err := b.makePaged(ctx); err != nil {
		return err
	}
	of := b.client.CoreV1().ConfigMaps(b.namespace)
	err := of.DeleteCollection(ctx, metav1.DeleteOptions{},
		metav1.ListOptions{LabelSelector: "paged,odd=true"})
	if err != nil {
		return err
	}
	left, err := of.List(ctx, metav1.ListOptions{LabelSelector: "paged"})
	if err != nil {
		return err
	}
	return expect("what is left", len(left.Items), pagedCount/2+1)
}

// nextEvent is the next one that is no bookmark.
func nextEvent(ctx context.Context, watcher watch.Interface) (watch.Event, error) {
	for {
		select {
		case <-ctx.Done():
			return watch.Event{}, ctx.Err()
		case event, open := <-watcher.ResultChan():
			if !open {
				return event, fmt.Errorf("the watch ended")
			}
			if event.Type == watch.Error {
				return event, apierrors.FromObject(event.Object)
			}
			if event.Type != watch.Bookmark {
				return event, nil
			}
		}
	}
}

func checkWatch(ctx context.Context, b *bench) error {
	of := b.client.CoreV1().ConfigMaps(b.namespace)
	list, err := of.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	watcher, err := of.Watch(ctx, metav1.ListOptions{
		ResourceVersion: list.ResourceVersion, AllowWatchBookmarks: true,
	})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	made, err := of.Create(ctx, b.configMap("watched", map[string]string{"a": "1"}),
		metav1.CreateOptions{})
	if err != nil {
		return err
	}
	changed := made.DeepCopy()
	changed.Data["a"] = "2"
	changed, err = of.Update(ctx, changed, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	if err := of.Delete(ctx, "watched", metav1.DeleteOptions{}); err != nil {
		return err
	}
	for _, expected := range []struct {
		change watch.EventType
		object *corev1.ConfigMap
	}{{watch.Added, made}, {watch.Modified, changed}, {watch.Deleted, changed}} {
		event, err := nextEvent(ctx, watcher)
		if err != nil {
			return err
		}
		seen := event.Object.(*corev1.ConfigMap)
		if event.Type == watch.Deleted {
			// A deletion has a version of its own.
			if seen.ResourceVersion == changed.ResourceVersion {
				return fmt.Errorf("the deletion has the version of the change before")
			}
			seen.ResourceVersion = changed.ResourceVersion
		}
		err = first(expect("the event", event.Type, expected.change),
			expect("its object", seen, expected.object))
		if err != nil {
			return err
		}
	}
	return nil
}

func checkWatchOne(ctx context.Context, b *bench) error {
	of := b.client.CoreV1().ConfigMaps(b.namespace)
	watcher, err := of.Watch(ctx, metav1.SingleObject(metav1.ObjectMeta{Name: "only"}))
	if err != nil {
		return err
	}
	defer watcher.Stop()
	for _, name := range []string{"not-this", "only"} {
		if _, err := of.Create(ctx, b.configMap(name, nil), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	event, err := nextEvent(ctx, watcher)
	if err != nil {
		return err
	}
	return expect("the first object", event.Object.(*corev1.ConfigMap).Name, "only")
}

func streamed() metav1.ListOptions {
	yes := true
	return metav1.ListOptions{
		SendInitialEvents:    &yes,
		AllowWatchBookmarks:  true,
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
	}
}

func checkStreamedList(ctx context.Context, b *bench) error {
	of := b.client.CoreV1().ConfigMaps(b.namespace)
	list, err := of.List(ctx, metav1.ListOptions{LabelSelector: labels.Everything().String()})
	if err != nil {
		return err
	}
	watcher, err := of.Watch(ctx, streamed())
	if err != nil {
		return err
	}
	defer watcher.Stop()
	count := 0
	for event := range watcher.ResultChan() {
		object, is := event.Object.(*corev1.ConfigMap)
		if !is {
			return fmt.Errorf("%s with %v", event.Type, event.Object)
		}
		if event.Type == watch.Added {
			count++
			continue
		}
		return first(
			expect("the event after the state", event.Type, watch.Bookmark),
			expect("its mark", object.Annotations[metav1.InitialEventsAnnotationKey], "true"),
			expect("the number of objects", count, len(list.Items)),
		)
	}
	return fmt.Errorf("the watch ended after %d objects", count)
}

func checkBookmarks(ctx context.Context, b *bench) error {
	seconds := int64(3)
	watcher, err := b.client.CoreV1().ConfigMaps(b.namespace).Watch(ctx, metav1.ListOptions{
		ResourceVersion: "0", AllowWatchBookmarks: true, TimeoutSeconds: &seconds,
	})
	if err != nil {
		return err
	}
	bookmarks := 0
	for event := range watcher.ResultChan() {
		if event.Type == watch.Bookmark {
			bookmarks++
		}
	}
	return expect("whether there was a bookmark before the end", bookmarks > 0, true)
}

func checkFuture(ctx context.Context, b *bench) error {
	// The library itself tries again for a while when it is told to.
	err := b.client.CoreV1().RESTClient().Get().MaxRetries(0).
		Namespace(b.namespace).Resource("configmaps").
		Param("resourceVersion", "999999999").Param("resourceVersionMatch", "NotOlderThan").
		Do(ctx).Error()
	if !apierrors.IsTimeout(err) || !apierrors.HasStatusCause(err,
		metav1.CauseTypeResourceVersionTooLarge) {
		return fmt.Errorf("no such timeout but %v", err)
	}
	seconds, _ := apierrors.SuggestsClientDelay(err)
	return expect("the seconds to wait", seconds, 1)
}

func checkWrongToken(ctx context.Context, b *bench) error {
	_, err := b.client.CoreV1().ConfigMaps(b.namespace).List(ctx, metav1.ListOptions{
		Limit: 1, Continue: "nonsense",
	})
	if !apierrors.IsBadRequest(err) {
		return fmt.Errorf("no BadRequest but %v", err)
	}
	return nil
}

func checkMetadata(ctx context.Context, b *bench) error {
	of := b.metadata.Resource(configMaps).Namespace(b.namespace)
	list, err := of.List(ctx, metav1.ListOptions{LabelSelector: "paged"})
	if err != nil {
		return err
	}
	one, err := of.Get(ctx, list.Items[0].Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	watcher, err := of.Watch(ctx, streamed())
	if err != nil {
		return err
	}
	defer watcher.Stop()
	event, err := nextEvent(ctx, watcher)
	if err != nil {
		return err
	}
	_, is := event.Object.(*metav1.PartialObjectMetadata)
	return first(
		expect("the labels of one", one.Labels, list.Items[0].Labels),
		expect("whether an event has the metadata", is, true),
	)
}
