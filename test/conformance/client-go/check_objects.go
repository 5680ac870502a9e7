package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/util/retry"
)

var objectChecks = []check{
	{"create answers with the object, and get with the same", checkCreate},
	{"an update with an old version is a conflict that a retry gets over", checkConflict},
	{"all patch types change what they say", checkPatches},
	{"an apply by another manager is a conflict with its cause, and force takes over", checkApply},
	{"delete heeds preconditions and propagation, and says NotFound the second time", checkDelete},
	{"a dry run changes nothing", checkDryRun},
	{"a wrong object is Invalid, with the field in the causes", checkInvalid},
	{"a name that is taken is AlreadyExists; generateName makes one", checkNames},
	{"bytes, times and quantities come back as they went", checkValues},
	{"finalizers hold a deletion until they are gone", checkFinalizers},
}

func (b *bench) configMap(name string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: data}
}

func checkCreate(ctx context.Context, b *bench) error {
	of := b.client.CoreV1().ConfigMaps(b.namespace)
	made, err := of.Create(ctx, b.configMap("created", map[string]string{"a": "b"}),
		metav1.CreateOptions{FieldManager: "creator"})
	if err != nil {
		return err
	}
	got, err := of.Get(ctx, "created", metav1.GetOptions{})
	if err != nil {
		return err
	}
	return first(
		expect("what get shows", got, made),
		expect("the data", got.Data, map[string]string{"a": "b"}),
		expect("the manager", got.ManagedFields[0].Manager, "creator"),
		expect("whether it has a uid", got.UID != "", true),
		expect("whether it has a time", got.CreationTimestamp.IsZero(), false),
	)
}

func checkConflict(ctx context.Context, b *bench) error {
	of := b.client.CoreV1().ConfigMaps(b.namespace)
	old, err := of.Create(ctx, b.configMap("contended", nil), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	fresh := old.DeepCopy()
	fresh.Data = map[string]string{"by": "one"}
	if _, err := of.Update(ctx, fresh, metav1.UpdateOptions{}); err != nil {
		return err
	}
	old.Data = map[string]string{"by": "other"}
	if _, err := of.Update(ctx, old, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		return fmt.Errorf("no conflict but %v", err)
	}
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		got, err := of.Get(ctx, "contended", metav1.GetOptions{})
		if err != nil {
			return err
		}
		got.Data["by"] = "other"
		_, err = of.Update(ctx, got, metav1.UpdateOptions{})
		return err
	})
}

func checkPatches(ctx context.Context, b *bench) error {
	of := b.client.CoreV1().ConfigMaps(b.namespace)
	if _, err := of.Create(ctx, b.configMap("patched", map[string]string{"a": "0"}),
		metav1.CreateOptions{}); err != nil {
		return err
	}
	for kind, patch := range map[types.PatchType]string{
		types.JSONPatchType:           `[{"op":"add","path":"/data/json","value":"1"}]`,
		types.MergePatchType:          `{"data":{"merge":"1"}}`,
		types.StrategicMergePatchType: `{"data":{"strategic":"1"}}`,
		types.ApplyYAMLPatchType: `{"apiVersion":"v1","kind":"ConfigMap",` +
			`"metadata":{"name":"patched"},"data":{"apply":"1"}}`,
	} {
		options := metav1.PatchOptions{FieldManager: "patcher"}
		if _, err := of.Patch(ctx, "patched", kind, []byte(patch), options); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	got, err := of.Get(ctx, "patched", metav1.GetOptions{})
	if err != nil {
		return err
	}
	expected := map[string]string{
		"a": "0", "json": "1", "merge": "1", "strategic": "1", "apply": "1",
	}
	return expect("the data", got.Data, expected)
}

func checkApply(ctx context.Context, b *bench) error {
	of := b.client.CoreV1().ConfigMaps(b.namespace)
	of1 := applycorev1.ConfigMap("applied", b.namespace).WithData(map[string]string{"a": "1"})
	of2 := applycorev1.ConfigMap("applied", b.namespace).WithData(map[string]string{"a": "2"})
	if _, err := of.Apply(ctx, of1, metav1.ApplyOptions{FieldManager: "one"}); err != nil {
		return err
	}
	_, err := of.Apply(ctx, of2, metav1.ApplyOptions{FieldManager: "two"})
	var status apierrors.APIStatus
	if !apierrors.IsConflict(err) || !errors.As(err, &status) {
		return fmt.Errorf("no conflict but %v", err)
	}
	causes := status.Status().Details.Causes
	if len(causes) != 1 || causes[0].Type != metav1.CauseTypeFieldManagerConflict ||
		causes[0].Field != ".data.a" {
		return fmt.Errorf("the causes are %v", causes)
	}
	forced, err := of.Apply(ctx, of2, metav1.ApplyOptions{FieldManager: "two", Force: true})
	if err != nil {
		return err
	}
	extracted, err := applycorev1.ExtractConfigMap(forced, "two")
	if err != nil {
		return err
	}
	return expect("what two owns", extracted.Data, map[string]string{"a": "2"})
}

func checkDelete(ctx context.Context, b *bench) error {
	of := b.client.CoreV1().ConfigMaps(b.namespace)
	made, err := of.Create(ctx, b.configMap("deleted", nil), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	other := types.UID("other")
	err = of.Delete(ctx, made.Name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &other},
	})
	if !apierrors.IsConflict(err) {
		return fmt.Errorf("another uid is no conflict but %v", err)
	}
	background, grace := metav1.DeletePropagationBackground, int64(0)
	err = of.Delete(ctx, made.Name, metav1.DeleteOptions{
		Preconditions:      &metav1.Preconditions{UID: &made.UID, ResourceVersion: &made.ResourceVersion},
		PropagationPolicy:  &background,
		GracePeriodSeconds: &grace,
	})
	if err != nil {
		return err
	}
	if err := of.Delete(ctx, made.Name, metav1.DeleteOptions{}); !apierrors.IsNotFound(err) {
		return fmt.Errorf("no NotFound but %v", err)
	}
	return nil
}

func checkDryRun(ctx context.Context, b *bench) error {
	of := b.client.CoreV1().ConfigMaps(b.namespace)
	all := []string{metav1.DryRunAll}
	if _, err := of.Create(ctx, b.configMap("dry", nil),
		metav1.CreateOptions{DryRun: all}); err != nil {
		return err
	}
	if _, err := of.Get(ctx, "dry", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		return fmt.Errorf("it is there: %v", err)
	}
	if err := of.Delete(ctx, "created", metav1.DeleteOptions{DryRun: all}); err != nil {
		return err
	}
	_, err := of.Get(ctx, "created", metav1.GetOptions{})
	return err
}

func checkInvalid(ctx context.Context, b *bench) error {
	of := b.client.CoreV1().ConfigMaps(b.namespace)
	_, err := of.Create(ctx, b.configMap("valid", map[string]string{"not a key": ""}),
		metav1.CreateOptions{})
	if !apierrors.IsInvalid(err) {
		return fmt.Errorf("no Invalid but %v", err)
	}
	if !apierrors.HasStatusCause(err, metav1.CauseTypeFieldValueInvalid) {
		return fmt.Errorf("no cause in %v", err)
	}
	return nil
}

func checkNames(ctx context.Context, b *bench) error {
	of := b.client.CoreV1().ConfigMaps(b.namespace)
	_, err := of.Create(ctx, b.configMap("created", nil), metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("no AlreadyExists but %v", err)
	}
	unnamed := b.configMap("", nil)
	unnamed.GenerateName = "generated-"
	made, err := of.Create(ctx, unnamed, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if !strings.HasPrefix(made.Name, "generated-") || len(made.Name) != len("generated-")+5 {
		return fmt.Errorf("it is called %q", made.Name)
	}
	return nil
}

func checkValues(ctx context.Context, b *bench) error {
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "bytes"},
		Data:       map[string][]byte{"all": {0, 1, 0x7f, 0x80, 0xff}, "none": {}},
		StringData: map[string]string{"text": "\u00e4\U0001f600"},
	}
	made, err := b.client.CoreV1().Secrets(b.namespace).Create(ctx, secret, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	unknown, err := b.dynamic.Resource(corev1.SchemeGroupVersion.WithResource("secrets")).
		Namespace(b.namespace).Get(ctx, "bytes", metav1.GetOptions{})
	if err != nil {
		return err
	}
	text, _, _ := unstructured.NestedString(unknown.Object, "data", "all")
	return first(
		expect("the bytes", made.Data["all"], secret.Data["all"]),
		expect("the text", string(made.Data["text"]), secret.StringData["text"]),
		expect("the number of keys", len(made.Data), 3),
		expect("the bytes in JSON", text, "AAF/gP8="),
		expect("the time in JSON", unknown.GetCreationTimestamp().UTC(), made.CreationTimestamp.UTC()),
	)
}

func checkFinalizers(ctx context.Context, b *bench) error {
	of := b.client.CoreV1().ConfigMaps(b.namespace)
	held := b.configMap("held", nil)
	held.Finalizers = []string{"example.com/hold"}
	if _, err := of.Create(ctx, held, metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := of.Delete(ctx, "held", metav1.DeleteOptions{}); err != nil {
		return err
	}
	got, err := of.Get(ctx, "held", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if got.DeletionTimestamp == nil {
		return errors.New("it is not being deleted")
	}
	got.Finalizers = nil
	if _, err := of.Update(ctx, got, metav1.UpdateOptions{}); err != nil {
		return err
	}
	if _, err := of.Get(ctx, "held", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		return fmt.Errorf("it is still there: %v", err)
	}
	return nil
}
