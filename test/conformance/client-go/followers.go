package main

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

var configMaps = corev1.SchemeGroupVersion.WithResource("configmaps")

// follower is one way of following the objects, with what it was told.
type follower struct {
	name    string
	seen    *history
	traffic traffic
	// expected makes what it should have been told of what happened.
	expected func(happened *history) *history
}

func newFollower(name string) *follower {
	whole := func(happened *history) *history { return happened }
	return &follower{name: name, seen: newHistory(), expected: whole}
}

// OnAdd, OnUpdate and OnDelete make it a handler of an informer.
func (f *follower) OnAdd(object any, _ bool) {
	f.tell(added, object)
}

func (f *follower) OnUpdate(before, after any) {
	change := modified
	if one, err := meta.Accessor(before); err == nil {
		other, err := meta.Accessor(after)
		if err == nil && one.GetResourceVersion() == other.GetResourceVersion() {
			change = again
		}
	}
	f.tell(change, after)
}

func (f *follower) OnDelete(object any) {
	if unknown, is := object.(cache.DeletedFinalStateUnknown); is {
		f.tell(lost, unknown.Obj)
		return
	}
	f.tell(deleted, object)
}

func (f *follower) tell(change change, object any) {
	accessor, err := meta.Accessor(object)
	if err != nil {
		report("trouble", map[string]any{"follower": f.name, "error": err.Error()})
		return
	}
	f.seen.add(accessor.GetName(), change, sequenceOf(accessor))
}

// followAll starts every kind of follower; they have their first state when it returns.
func followAll(ctx context.Context, with setting) ([]*follower, error) {
	starts := []func(context.Context, setting) (*follower, error){
		followTyped, followSelected, followMetadata, followDynamic, followRetrying,
	}
	var followers []*follower
	for _, start := range starts {
		made, err := start(ctx, with)
		if err != nil {
			return nil, err
		}
		followers = append(followers, made)
	}
	return followers, nil
}

func followTyped(ctx context.Context, with setting) (*follower, error) {
	made := newFollower("typed shared informer")
	return made, made.byFactory(ctx, made.traffic.counted(with.config), with.namespace, nil)
}

func followSelected(ctx context.Context, with setting) (*follower, error) {
	made := newFollower("typed informer with a selector")
	made.expected = func(happened *history) *history { return happened.selected(isBlue) }
	blue := func(options *metav1.ListOptions) { options.LabelSelector = colourLabel + "=blue" }
	return made, made.byFactory(ctx, made.traffic.counted(with.config), with.namespace, blue)
}

func (f *follower) byFactory(
	ctx context.Context, config *rest.Config, namespace string, tweak func(*metav1.ListOptions),
) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0,
		informers.WithNamespace(namespace), informers.WithTweakListOptions(tweak))
	informer := factory.Core().V1().ConfigMaps().Informer()
	return f.byInformer(ctx, informer)
}

func (f *follower) byInformer(ctx context.Context, informer cache.SharedIndexInformer) error {
	registration, err := informer.AddEventHandler(f)
	if err != nil {
		return err
	}
	go informer.Run(ctx.Done())
	cache.WaitForCacheSync(ctx.Done(), informer.HasSynced, registration.HasSynced)
	return ctx.Err()
}

func followMetadata(ctx context.Context, with setting) (*follower, error) {
	made := newFollower("metadata informer")
	client, err := metadata.NewForConfig(made.traffic.counted(with.config))
	if err != nil {
		return nil, err
	}
	factory := metadatainformer.NewFilteredSharedInformerFactory(client, 0, with.namespace, nil)
	return made, made.byInformer(ctx, factory.ForResource(configMaps).Informer())
}

func followDynamic(ctx context.Context, with setting) (*follower, error) {
	made := newFollower("dynamic informer")
	client, err := dynamic.NewForConfig(made.traffic.counted(with.config))
	if err != nil {
		return nil, err
	}
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, with.namespace, nil)
	return made, made.byInformer(ctx, factory.ForResource(configMaps).Informer())
}

// followRetrying watches on from the revision of one list, whatever happens to the connection.
func followRetrying(ctx context.Context, with setting) (*follower, error) {
	made := newFollower("retry watcher")
	client, err := kubernetes.NewForConfig(made.traffic.counted(with.config))
	if err != nil {
		return nil, err
	}
	of := client.CoreV1().ConfigMaps(with.namespace)
	list, err := of.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	source := &cache.ListWatch{
		ListFunc: func(options metav1.ListOptions) (runtime.Object, error) {
			return of.List(ctx, options)
		},
		WatchFunc: func(options metav1.ListOptions) (watch.Interface, error) {
			return of.Watch(ctx, options)
		},
	}
	watcher, err := watchtools.NewRetryWatcherWithContext(ctx, list.ResourceVersion, source)
	if err != nil {
		return nil, err
	}
	go func() {
		for event := range watcher.ResultChan() {
			switch event.Type {
			case watch.Added, watch.Modified, watch.Deleted:
				made.tell(change(event.Type), event.Object)
			default:
				report("trouble", map[string]any{"follower": made.name, "error": event})
			}
		}
	}()
	return made, nil
}

// summary compares what it was told with what happened.
func (f *follower) summary(happened *history) map[string]any {
	expected := f.expected(happened)
	missed, repeated, disordered, first := difference(expected.copied(), f.seen.copied())
	mediaType, _ := f.traffic.types.Load().(string)
	return map[string]any{
		"name": f.name, "expected": expected.length(), "events": f.seen.length(),
		"missed": missed, "repeated": repeated, "disordered": disordered, "first": first,
		"relists": f.traffic.lists.Load() - 1, "watches": f.traffic.watches.Load(),
		"refused": f.traffic.refused.Load(), "notHttp2": f.traffic.older.Load(),
		"mediaType": mediaType,
	}
}

// caughtUp waits until it was told everything, or the time is over.
func (f *follower) caughtUp(happened *history, until time.Time) {
	expected := f.expected(happened).length()
	for f.seen.length() < expected && time.Now().Before(until) {
		time.Sleep(20 * time.Millisecond)
	}
}
