package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// versionGetter is what the getter of a group's version is called.
var versionGetter = regexp.MustCompile(`^[A-Z]\w*V\d+((alpha|beta)\d+)?$`)

// checkKinds lists and watches every kind that the library has a client for: what the server does
// not serve is NotFound, anything else is read.
func (b *bench) checkKinds(ctx context.Context) {
	clients := reflect.ValueOf(b.client)
	for at := range clients.NumMethod() {
		version := clients.Type().Method(at).Name
		if !versionGetter.MatchString(version) {
			continue
		}
		of := clients.Method(at).Call(nil)[0]
		for getter := range of.NumMethod() {
			name := of.Type().Method(getter).Name
			client, is := clientFrom(of.Method(getter))
			if !is {
				continue
			}
			b.check(ctx, check{
				"all " + name + " of " + version + " are listed and watched",
				func(ctx context.Context, _ *bench) error { return listAndWatch(ctx, client) },
			})
		}
	}
}

// clientFrom is the client that a getter of a group's version gives, of all namespaces.
func clientFrom(getter reflect.Value) (reflect.Value, bool) {
	shape := getter.Type()
	if shape.NumOut() != 1 || shape.NumIn() > 1 {
		return reflect.Value{}, false
	}
	if shape.NumIn() == 1 && shape.In(0).Kind() != reflect.String {
		return reflect.Value{}, false
	}
	if _, is := shape.Out(0).MethodByName("Watch"); !is {
		return reflect.Value{}, false
	}
	if shape.NumIn() == 0 {
		return getter.Call(nil)[0], true
	}
	return getter.Call([]reflect.Value{reflect.ValueOf("")})[0], true
}

func listAndWatch(ctx context.Context, client reflect.Value) error {
	call := func(method string, options metav1.ListOptions) (any, error) {
		results := client.MethodByName(method).Call(
			[]reflect.Value{reflect.ValueOf(ctx), reflect.ValueOf(options)})
		err, _ := results[1].Interface().(error)
		return results[0].Interface(), err
	}
	list, err := call("List", metav1.ListOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list: %w", err)
	}
	items, err := meta.ExtractList(list.(runtime.Object))
	if err != nil {
		return err
	}
	watching, err := call("Watch", streamed())
	if apierrors.IsMethodNotSupported(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	watcher := watching.(watch.Interface)
	defer watcher.Stop()
	count := 0
	for event := range watcher.ResultChan() {
		switch event.Type {
		case watch.Added:
			count++
		case watch.Bookmark:
			// Something may have been made or collected in between.
			return expect("whether as many were watched as listed", count >= len(items)/2, true)
		default:
			return fmt.Errorf("%s: %v", event.Type, event.Object)
		}
	}
	return fmt.Errorf("the watch ended after %d", count)
}

type stub struct {
	Group    string          `json:"group"`
	Version  string          `json:"version"`
	Resource string          `json:"resource"`
	Kind     string          `json:"kind"`
	Object   json.RawMessage `json:"object"`
}

// checkStubs makes an object of every kind in the file, and reads it as an answer, as an event
// and in JSON: each is the same to the library.
func (b *bench) checkStubs(ctx context.Context) error {
	text, err := os.ReadFile(b.stubs)
	if err != nil {
		return err
	}
	var stubs []stub
	if err := json.Unmarshal(text, &stubs); err != nil {
		return err
	}
	for _, each := range stubs {
		version := schema.GroupVersion{Group: each.Group, Version: each.Version}
		if !scheme.Scheme.Recognizes(version.WithKind(each.Kind)) || !b.serves(version, each.Resource) {
			continue
		}
		b.check(ctx, check{
			fmt.Sprintf("a %s of %s is made, read and watched", each.Kind, version),
			func(ctx context.Context, b *bench) error { return b.tryStub(ctx, version, each) },
		})
	}
	return nil
}

func (b *bench) serves(version schema.GroupVersion, resource string) bool {
	list, err := b.discovery.ServerResourcesForGroupVersion(version.String())
	return err == nil && slices.ContainsFunc(list.APIResources,
		func(each metav1.APIResource) bool { return each.Name == resource })
}

func (b *bench) clientOf(version schema.GroupVersion, contentType string) (*rest.RESTClient, error) {
	own := rest.CopyConfig(b.config)
	own.GroupVersion, own.APIPath = &version, "/apis"
	if version.Group == "" {
		own.APIPath = "/api"
	}
	own.NegotiatedSerializer = rest.CodecFactoryForGeneratedClient(scheme.Scheme, scheme.Codecs).
		WithoutConversion()
	own.ContentType, own.AcceptContentTypes = contentType, contentType
	return rest.RESTClientFor(own)
}

func (b *bench) tryStub(ctx context.Context, version schema.GroupVersion, each stub) error {
	client, err := b.clientOf(version, b.config.ContentType)
	if err != nil {
		return err
	}
	plain, err := b.clientOf(version, "application/json")
	if err != nil {
		return err
	}
	kind := version.WithKind(each.Kind)
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode(each.Object, &kind, nil)
	if err != nil {
		return err
	}
	accessor, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	name, namespace := accessor.GetName(), accessor.GetNamespace()
	empty := func() runtime.Object { made, _ := scheme.Scheme.New(kind); return made }
	on := func(request *rest.Request) *rest.Request {
		return request.NamespaceIfScoped(namespace, namespace != "").Resource(each.Resource)
	}
	_ = on(client.Delete()).Name(name).Do(ctx)
	made, got, again := empty(), empty(), empty()
	if err := on(client.Post()).Body(object).Do(ctx).Into(made); err != nil {
		return fmt.Errorf("create: %w", err)
	}
	defer func() { _ = on(client.Delete()).Name(name).Do(context.Background()) }()
	if err := on(client.Get()).Name(name).Do(ctx).Into(got); err != nil {
		return fmt.Errorf("get: %w", err)
	}
	if err := on(plain.Get()).Name(name).Do(ctx).Into(again); err != nil {
		return fmt.Errorf("get in JSON: %w", err)
	}
	options := streamed()
	options.Watch = true
	options.FieldSelector = "metadata.name=" + name
	watcher, err := on(client.Get()).
		VersionedParams(&options, scheme.ParameterCodec).Watch(ctx)
	if err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	defer watcher.Stop()
	event, err := nextEvent(ctx, watcher)
	if err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	return first(alike("get", got, made), alike("JSON", again, made),
		alike("the event", event.Object, made))
}

// alike compares what two answers say, without their type, which lists and events carry or not.
func alike(what string, one, other runtime.Object) error {
	for _, each := range []runtime.Object{one, other} {
		each.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
	if equality.Semantic.DeepEqual(one, other) {
		return nil
	}
	left, _ := json.Marshal(one)
	right, _ := json.Marshal(other)
	if string(left) == string(right) {
		return nil
	}
	return fmt.Errorf("%s is not the same:\n%s\n%s", what,
		strings.TrimSpace(string(left)), strings.TrimSpace(string(right)))
}
