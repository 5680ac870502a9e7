package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	applyappsv1 "k8s.io/client-go/applyconfigurations/apps/v1"
	applyautoscalingv1 "k8s.io/client-go/applyconfigurations/autoscaling/v1"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/scale"
)

var workloadChecks = []check{
	{"a pod is made, bound, given a status and evicted", checkPod},
	{"a deployment's scale is read, updated, patched and applied", checkScale},
	{"the scale client finds the scale of every kind", checkScaleClient},
	{"a status is updated and applied without the spec", checkStatus},
	{"a service and its ports, with numbers and names", checkService},
	{"ephemeral containers and a resize of a pod", checkPodParts},
	{"a token of a service account is asked for", checkToken},
}

func podSpec() corev1.PodSpec {
	return corev1.PodSpec{Containers: []corev1.Container{{
		Name: "web", Image: "nginx",
		Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}},
		Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
			corev1.ResourceCPU:    resource.MustParse("250m"),
			corev1.ResourceMemory: resource.MustParse("64Mi"),
		}},
		LivenessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{
			HTTPGet: &corev1.HTTPGetAction{Path: "/", Port: intstr.FromString("http")},
		}},
	}}}
}

func (b *bench) makePod(ctx context.Context, name string) (*corev1.Pod, error) {
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	_, err := b.client.CoreV1().ServiceAccounts(b.namespace).Create(ctx, account,
		metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return nil, err
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: podSpec()}
	return b.client.CoreV1().Pods(b.namespace).Create(ctx, pod, metav1.CreateOptions{})
}

func checkPod(ctx context.Context, b *bench) error {
	of := b.client.CoreV1().Pods(b.namespace)
	made, err := b.makePod(ctx, "evicted")
	if err != nil {
		return err
	}
	cpu := made.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU]
	port := made.Spec.Containers[0].LivenessProbe.HTTPGet.Port
	binding := &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Name: "evicted"},
		Target:     corev1.ObjectReference{Kind: "Node", Name: "node-1"},
	}
	if err := of.Bind(ctx, binding, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("bind: %w", err)
	}
	bound, err := of.Get(ctx, "evicted", metav1.GetOptions{})
	if err != nil {
		return err
	}
	bound.Status.Phase = corev1.PodRunning
	running, err := of.UpdateStatus(ctx, bound, metav1.UpdateOptions{})
	if err != nil {
		return fmt.Errorf("status: %w", err)
	}
	zero := int64(0)
	err = of.EvictV1(ctx, &policyv1.Eviction{
		ObjectMeta:    metav1.ObjectMeta{Name: "evicted"},
		DeleteOptions: &metav1.DeleteOptions{GracePeriodSeconds: &zero},
	})
	if err != nil {
		return fmt.Errorf("evict: %w", err)
	}
	_, err = of.Get(ctx, "evicted", metav1.GetOptions{})
	return first(
		expect("the quantity", cpu.String(), "250m"),
		expect("the port", port.String(), "http"),
		expect("the default", made.Spec.RestartPolicy, corev1.RestartPolicyAlways),
		expect("the node", bound.Spec.NodeName, "node-1"),
		expect("the phase", running.Status.Phase, corev1.PodRunning),
		expect("whether it is gone", apierrors.IsNotFound(err), true),
	)
}

func (b *bench) makeDeployment(ctx context.Context, name string) (*appsv1.Deployment, error) {
	labels := map[string]string{"app": name}
	replicas := int32(2)
	return b.client.AppsV1().Deployments(b.namespace).Create(ctx, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: podSpec(),
			},
		},
	}, metav1.CreateOptions{})
}

func checkScale(ctx context.Context, b *bench) error {
	if _, err := b.makeDeployment(ctx, "scaled"); err != nil {
		return err
	}
	of := b.client.AppsV1().Deployments(b.namespace)
	got, err := of.GetScale(ctx, "scaled", metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("get: %w", err)
	}
	if err := first(expect("the replicas", got.Spec.Replicas, 2),
		expect("the selector", got.Status.Selector, "app=scaled")); err != nil {
		return err
	}
	got.Spec.Replicas = 3
	if got, err = of.UpdateScale(ctx, "scaled", got, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("update: %w", err)
	}
	if err := expect("the replicas after the update", got.Spec.Replicas, 3); err != nil {
		return err
	}
	applied, err := of.ApplyScale(ctx, "scaled",
		applyautoscalingv1.Scale().WithName("scaled").WithNamespace(b.namespace).
			WithSpec(applyautoscalingv1.ScaleSpec().WithReplicas(4)),
		metav1.ApplyOptions{FieldManager: "scaler", Force: true})
	if err != nil {
		return fmt.Errorf("apply: %w", err)
	}
	return expect("the replicas after the apply", applied.Spec.Replicas, 4)
}

func checkScaleClient(ctx context.Context, b *bench) error {
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(b.discovery))
	kinds := scale.NewDiscoveryScaleKindResolver(b.discovery)
	own := rest.CopyConfig(b.config)
	if own.ContentType == "application/cbor" {
		// That client knows JSON and Protobuf alone.
		own.ContentType, own.AcceptContentTypes = "application/json", ""
	}
	scales, err := scale.NewForConfig(own, mapper, dynamic.LegacyAPIPathResolverFunc, kinds)
	if err != nil {
		return err
	}
	of := scales.Scales(b.namespace)
	deployments := appsv1.Resource("deployments")
	got, err := of.Get(ctx, deployments, "scaled", metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("get: %w", err)
	}
	got.Spec.Replicas++
	updated, err := of.Update(ctx, deployments, got, metav1.UpdateOptions{})
	if err != nil {
		return fmt.Errorf("update: %w", err)
	}
	if err := expect("the replicas", updated.Spec.Replicas, got.Spec.Replicas); err != nil {
		return err
	}
	controller := &corev1.ReplicationController{
		ObjectMeta: metav1.ObjectMeta{Name: "scaled"},
		Spec: corev1.ReplicationControllerSpec{
			Selector: map[string]string{"app": "scaled"},
			Template: &corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "scaled"}},
				Spec:       podSpec(),
			},
		},
	}
	_, err = b.client.CoreV1().ReplicationControllers(b.namespace).Create(ctx, controller,
		metav1.CreateOptions{})
	if err != nil {
		return err
	}
	older, err := of.Get(ctx, corev1.Resource("replicationcontrollers"), "scaled",
		metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("replication controller: %w", err)
	}
	return expect("the replicas of the controller", older.Spec.Replicas, 1)
}

func checkStatus(ctx context.Context, b *bench) error {
	made, err := b.makeDeployment(ctx, "reported")
	if err != nil {
		return err
	}
	of := b.client.AppsV1().Deployments(b.namespace)
	seven := int32(7)
	made.Spec.Replicas, made.Status.Replicas = &seven, 2
	updated, err := of.UpdateStatus(ctx, made, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	applied, err := of.ApplyStatus(ctx, applyappsv1.Deployment("reported", b.namespace).
		WithStatus(applyappsv1.DeploymentStatus().WithReadyReplicas(1).WithConditions(
			applyappsv1.DeploymentCondition().WithType(appsv1.DeploymentAvailable).
				WithStatus(corev1.ConditionTrue).WithReason("Tried").
				WithLastUpdateTime(metav1.Now()).WithLastTransitionTime(metav1.Now()))),
		metav1.ApplyOptions{FieldManager: "reporter"})
	if err != nil {
		return err
	}
	return first(
		expect("the spec", *updated.Spec.Replicas, 2),
		expect("the status", updated.Status.Replicas, 2),
		expect("the applied status", applied.Status.ReadyReplicas, 1),
		expect("the conditions", len(applied.Status.Conditions), 1),
		expect("the generation", applied.Generation, 1),
	)
}

func checkService(ctx context.Context, b *bench) error {
	of := b.client.CoreV1().Services(b.namespace)
	applied, err := of.Apply(ctx, applycorev1.Service("web", b.namespace).WithSpec(
		applycorev1.ServiceSpec().WithSelector(map[string]string{"app": "web"}).WithPorts(
			applycorev1.ServicePort().WithName("http").WithPort(80).
				WithTargetPort(intstr.FromInt32(8080)),
			applycorev1.ServicePort().WithName("named").WithPort(81).
				WithTargetPort(intstr.FromString("http")))),
		metav1.ApplyOptions{FieldManager: "applier"})
	if err != nil {
		return err
	}
	return first(
		expect("the port", applied.Spec.Ports[0].TargetPort.String(), "8080"),
		expect("the named port", applied.Spec.Ports[1].TargetPort.String(), "http"),
		expect("the protocol", applied.Spec.Ports[0].Protocol, corev1.ProtocolTCP),
		of.Delete(ctx, "web", metav1.DeleteOptions{}),
	)
}

func checkPodParts(ctx context.Context, b *bench) error {
	of := b.client.CoreV1().Pods(b.namespace)
	made, err := b.makePod(ctx, "parts")
	if err != nil {
		return err
	}
	made.Spec.EphemeralContainers = []corev1.EphemeralContainer{{
		EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "debug", Image: "busybox"},
	}}
	with, err := of.UpdateEphemeralContainers(ctx, "parts", made, metav1.UpdateOptions{})
	if err != nil {
		return fmt.Errorf("ephemeral containers: %w", err)
	}
	with.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("300m")
	resized, err := of.UpdateResize(ctx, "parts", with, metav1.UpdateOptions{})
	if err != nil {
		return fmt.Errorf("resize: %w", err)
	}
	cpu := resized.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU]
	return first(
		expect("the ephemeral containers", len(resized.Spec.EphemeralContainers), 1),
		expect("the request", cpu.String(), "300m"),
	)
}

func checkToken(ctx context.Context, b *bench) error {
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot"}}
	of := b.client.CoreV1().ServiceAccounts(b.namespace)
	if _, err := of.Create(ctx, account, metav1.CreateOptions{}); err != nil {
		return err
	}
	seconds := int64(600)
	made, err := of.CreateToken(ctx, "robot", tokenRequest(seconds), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	user, err := b.whoHas(ctx, made.Status.Token)
	if err != nil {
		return err
	}
	return first(
		expect("the user", user, "system:serviceaccount:"+b.namespace+":robot"),
		expect("whether it expires", made.Status.ExpirationTimestamp.IsZero(), false),
	)
}
