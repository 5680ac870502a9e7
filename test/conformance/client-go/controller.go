package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	listerscorev1 "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

const (
	copyPrefix  = "copy-of-"
	workerCount = 2
)

// controller keeps a copy of every source in a namespace of its own, as controllers do: by a
// queue of names, an informer's cache, and another try after every failure.
type controller struct {
	client  kubernetes.Interface
	from    string
	to      string
	sources listerscorev1.ConfigMapNamespaceLister
	copies  listerscorev1.ConfigMapNamespaceLister
	queue   workqueue.TypedRateLimitingInterface[string]
	traffic traffic
	// judge asks the server itself; it is not the controller's, and not counted.
	judge kubernetes.Interface
}

func startController(ctx context.Context, with setting, to string) (*controller, error) {
	c := &controller{from: with.namespace, to: to}
	client, err := kubernetes.NewForConfig(c.traffic.counted(with.config))
	if err != nil {
		return nil, err
	}
	c.client = client
	c.judge, err = kubernetes.NewForConfig(with.config)
	if err != nil {
		return nil, err
	}
	c.queue = workqueue.NewTypedRateLimitingQueue(
		workqueue.NewTypedItemExponentialFailureRateLimiter[string](
			10*time.Millisecond, 2*time.Second))
	c.sources, err = c.listen(ctx, c.from, "")
	if err != nil {
		return nil, err
	}
	c.copies, err = c.listen(ctx, c.to, copyPrefix)
	if err != nil {
		return nil, err
	}
	for range workerCount {
		go wait.UntilWithContext(ctx, c.work, 10*time.Millisecond)
	}
	go func() {
		<-ctx.Done()
		c.queue.ShutDown()
	}()
	return c, nil
}

// listen queues the source of everything that changes in a namespace.
func (c *controller) listen(ctx context.Context, namespace, prefix string,
) (listerscorev1.ConfigMapNamespaceLister, error) {
	factory := informers.NewSharedInformerFactoryWithOptions(c.client, 0,
		informers.WithNamespace(namespace))
	of := factory.Core().V1().ConfigMaps()
	enqueue := func(object any) {
		key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object)
		if err != nil {
			return
		}
		_, name, _ := cache.SplitMetaNamespaceKey(key)
		c.queue.Add(strings.TrimPrefix(name, prefix))
	}
	_, err := of.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    enqueue,
		UpdateFunc: func(_, after any) { enqueue(after) },
		DeleteFunc: enqueue,
	})
	if err != nil {
		return nil, err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return of.Lister().ConfigMaps(namespace), nil
}

func (c *controller) work(ctx context.Context) {
	for {
		name, down := c.queue.Get()
		if down {
			return
		}
		if err := c.reconcile(ctx, name); err != nil {
			c.queue.AddRateLimited(name)
		} else {
			c.queue.Forget(name)
		}
		c.queue.Done(name)
	}
}

func (c *controller) reconcile(ctx context.Context, name string) error {
	own := c.client.CoreV1().ConfigMaps(c.to)
	source, err := c.sources.Get(name)
	if apierrors.IsNotFound(err) {
		if _, err := c.copies.Get(copyPrefix + name); apierrors.IsNotFound(err) {
			return nil
		}
		err := own.Delete(ctx, copyPrefix+name, metav1.DeleteOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	}
	if err != nil {
		return err
	}
	// By ownership: what the source does not say any more is taken away.
	copied := applycorev1.ConfigMap(copyPrefix+name, c.to).WithData(source.Data)
	_, err = own.Apply(ctx, copied, metav1.ApplyOptions{FieldManager: "copier", Force: true})
	return err
}

// converged waits until the copies are the sources, and says what is wrong when time is over.
func (c *controller) converged(until time.Time) string {
	for {
		problem := c.compare()
		if problem == "" || time.Now().After(until) {
			return problem
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// compare asks the server, not the caches.
func (c *controller) compare() string {
	ctx, cancel := context.WithTimeout(context.Background(), writeTimeout)
	defer cancel()
	everything := metav1.ListOptions{LabelSelector: labels.Everything().String()}
	sources, err := c.judge.CoreV1().ConfigMaps(c.from).List(ctx, everything)
	if err != nil {
		return err.Error()
	}
	copies, err := c.judge.CoreV1().ConfigMaps(c.to).List(ctx, everything)
	if err != nil {
		return err.Error()
	}
	found := map[string]string{}
	for _, each := range copies.Items {
		if name, is := strings.CutPrefix(each.Name, copyPrefix); is {
			found[name] = each.Data["sequence"]
		}
	}
	for _, each := range sources.Items {
		if !strings.HasPrefix(each.Name, "source-") {
			continue
		}
		copied, is := found[each.Name]
		if !is || copied != each.Data["sequence"] {
			return fmt.Sprintf("%s is %s, its copy %q", each.Name, each.Data["sequence"], copied)
		}
		delete(found, each.Name)
	}
	for name := range found {
		return fmt.Sprintf("%s has a copy and is gone", name)
	}
	return ""
}
