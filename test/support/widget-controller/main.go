// A controller as people write them, on the reference's client library: informers, a queue that
// limits its rate, and leader election. Of each Widget it keeps a Deployment with as many replicas
// and a ConfigMap, both owned by the Widget, and writes what it did into the Widget's status.
//
// It says what it does in lines of JSON, and ends when its standard input does.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	appslisters "k8s.io/client-go/listers/apps/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/util/workqueue"
)

const (
	workers   = 4
	namespace = "default"
)

var widgets = schema.GroupVersionResource{Group: "shop.example", Version: "v1", Resource: "widgets"}

var speaking sync.Mutex

func say(what string, more map[string]any) {
	line := map[string]any{"what": what}
	for name, value := range more {
		line[name] = value
	}
	text, _ := json.Marshal(line)
	speaking.Lock()
	defer speaking.Unlock()
	fmt.Println(string(text))
}

type controller struct {
	client      kubernetes.Interface
	custom      dynamic.Interface
	widgets     cache.GenericLister
	deployments appslisters.DeploymentLister
	configMaps  corelisters.ConfigMapLister
	queue       workqueue.TypedRateLimitingInterface[string]
}

// enqueue takes a Widget, or what is left of one.
func (c *controller) enqueue(object any) {
	if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object); err == nil {
		c.queue.Add(key)
	}
}

// enqueueOwner takes something that a Widget may own.
func (c *controller) enqueueOwner(object any) {
	if gone, is := object.(cache.DeletedFinalStateUnknown); is {
		object = gone.Obj
	}
	owned, is := object.(metav1.Object)
	if !is {
		return
	}
	if owner := metav1.GetControllerOf(owned); owner != nil && owner.Kind == "Widget" {
		c.queue.Add(owned.GetNamespace() + "/" + owner.Name)
	}
}

func handle(of func(any)) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    of,
		UpdateFunc: func(_, next any) { of(next) },
		DeleteFunc: of,
	}
}

func (c *controller) work(ctx context.Context) {
	for {
		key, stopped := c.queue.Get()
		if stopped {
			return
		}
		if err := c.reconcile(ctx, key); err != nil {
			c.queue.AddRateLimited(key)
		} else {
			c.queue.Forget(key)
		}
		c.queue.Done(key)
	}
}

func (c *controller) reconcile(ctx context.Context, key string) error {
	space, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return nil
	}
	found, err := c.widgets.ByNamespace(space).Get(name)
	if errors.IsNotFound(err) {
		say("gone", map[string]any{"name": name})
		return nil
	}
	if err != nil {
		return err
	}
	widget := found.(*unstructured.Unstructured)
	if widget.GetDeletionTimestamp() != nil {
		return nil
	}
	replicas, _, err := unstructured.NestedInt64(widget.Object, "spec", "replicas")
	if err != nil {
		return nil
	}
	if err := c.keepConfigMap(ctx, widget); err != nil {
		return err
	}
	deployment, err := c.keepDeployment(ctx, widget, int32(replicas))
	if err != nil {
		return err
	}
	return c.keepStatus(ctx, widget, *deployment.Spec.Replicas)
}

func ownedBy(widget *unstructured.Unstructured) metav1.ObjectMeta {
	kind := schema.GroupVersionKind{Group: widgets.Group, Version: widgets.Version, Kind: "Widget"}
	return metav1.ObjectMeta{
		Name:            widget.GetName(),
		Namespace:       widget.GetNamespace(),
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(widget, kind)},
	}
}

func (c *controller) keepConfigMap(ctx context.Context, widget *unstructured.Unstructured) error {
	_, err := c.configMaps.ConfigMaps(widget.GetNamespace()).Get(widget.GetName())
	if !errors.IsNotFound(err) {
		return err
	}
	made := &corev1.ConfigMap{ObjectMeta: ownedBy(widget), Data: map[string]string{"of": widget.GetName()}}
	_, err = c.client.CoreV1().ConfigMaps(made.Namespace).Create(ctx, made, metav1.CreateOptions{})
	if errors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

func deploymentOf(widget *unstructured.Unstructured, replicas int32) *appsv1.Deployment {
	labels := map[string]string{"widget": widget.GetName()}
	container := corev1.Container{Name: "app", Image: "app:1"}
	return &appsv1.Deployment{
		ObjectMeta: ownedBy(widget),
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{container}},
			},
		},
	}
}

func (c *controller) keepDeployment(
	ctx context.Context, widget *unstructured.Unstructured, replicas int32,
) (*appsv1.Deployment, error) {
	api := c.client.AppsV1().Deployments(widget.GetNamespace())
	known, err := c.deployments.Deployments(widget.GetNamespace()).Get(widget.GetName())
	if errors.IsNotFound(err) {
		return api.Create(ctx, deploymentOf(widget, replicas), metav1.CreateOptions{})
	}
	if err != nil || *known.Spec.Replicas == replicas {
		return known, err
	}
	changed := known.DeepCopy()
	changed.Spec.Replicas = &replicas
	return api.Update(ctx, changed, metav1.UpdateOptions{})
}

func (c *controller) keepStatus(
	ctx context.Context, widget *unstructured.Unstructured, replicas int32,
) error {
	status := map[string]any{
		"replicas":           int64(replicas),
		"observedGeneration": widget.GetGeneration(),
	}
	if !equality.Semantic.DeepEqual(widget.Object["status"], any(status)) {
		changed := widget.DeepCopy()
		changed.Object["status"] = status
		api := c.custom.Resource(widgets).Namespace(widget.GetNamespace())
		if _, err := api.UpdateStatus(ctx, changed, metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	say("kept", map[string]any{"name": widget.GetName(), "replicas": replicas})
	return nil
}

func (c *controller) run(ctx context.Context, own informers.SharedInformerFactory,
	custom dynamicinformer.DynamicSharedInformerFactory) {
	informer := custom.ForResource(widgets)
	deployments := own.Apps().V1().Deployments()
	configMaps := own.Core().V1().ConfigMaps()
	c.widgets, c.deployments, c.configMaps = informer.Lister(), deployments.Lister(), configMaps.Lister()
	informer.Informer().AddEventHandler(handle(c.enqueue))
	deployments.Informer().AddEventHandler(handle(c.enqueueOwner))
	configMaps.Informer().AddEventHandler(handle(c.enqueueOwner))
	own.Start(ctx.Done())
	custom.Start(ctx.Done())
	own.WaitForCacheSync(ctx.Done())
	custom.WaitForCacheSync(ctx.Done())
	say("synced", nil)
	for range workers {
		go c.work(ctx)
	}
	<-ctx.Done()
	c.queue.ShutDown()
}

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	config := &rest.Config{Host: os.Args[1], QPS: 200, Burst: 400}
	client := kubernetes.NewForConfigOrDie(config)
	custom := dynamic.NewForConfigOrDie(config)
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[string](5*time.Millisecond, time.Second)
	one := &controller{
		client: client,
		custom: custom,
		queue:  workqueue.NewTypedRateLimitingQueue[string](limiter),
	}
	lock := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Name: "widget-controller", Namespace: namespace},
		Client:     client.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: os.Args[2]},
	}
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock:            lock,
		ReleaseOnCancel: true,
		LeaseDuration:   5 * time.Minute,
		RenewDeadline:   4 * time.Minute,
		RetryPeriod:     time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				say("leading", nil)
				one.run(ctx, informers.NewSharedInformerFactory(client, 0),
					dynamicinformer.NewDynamicSharedInformerFactory(custom, 0))
			},
			OnStoppedLeading: func() { say("stopped", nil) },
		},
	})
}
