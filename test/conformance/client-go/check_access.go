package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applyrbacv1 "k8s.io/client-go/applyconfigurations/rbac/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

var accessChecks = []check{
	{"one may ask what oneself and others may do", checkReviews},
	{"a role and its binding, and what comes of them", checkRoles},
	{"a request for a certificate is approved", checkCertificate},
	{"a lease keeps microseconds", checkLease},
	{"one may act as another", checkImpersonation},
}

func tokenRequest(seconds int64) *authenticationv1.TokenRequest {
	return &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds},
	}
}

// whoHas is who the server says the bearer of a token is, asked by the bearer.
func (b *bench) whoHas(ctx context.Context, token string) (string, error) {
	own := rest.AnonymousClientConfig(b.config)
	own.BearerToken = token
	own.ContentType, own.AcceptContentTypes = b.config.ContentType, b.config.AcceptContentTypes
	client, err := kubernetes.NewForConfig(own)
	if err != nil {
		return "", err
	}
	return whoIs(ctx, client)
}

func whoIs(ctx context.Context, client kubernetes.Interface) (string, error) {
	review, err := client.AuthenticationV1().SelfSubjectReviews().Create(ctx,
		&authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	return review.Status.UserInfo.Username, nil
}

func checkReviews(ctx context.Context, b *bench) error {
	attributes := &authorizationv1.ResourceAttributes{
		Namespace: b.namespace, Verb: "delete", Resource: "pods",
	}
	of := b.client.AuthorizationV1()
	own, err := of.SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{
		Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: attributes},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	spec := authorizationv1.SubjectAccessReviewSpec{
		ResourceAttributes: attributes, User: "nobody", Groups: []string{"g"},
		Extra: map[string]authorizationv1.ExtraValue{"scopes": {"a", "b"}},
	}
	other, err := of.SubjectAccessReviews().Create(ctx,
		&authorizationv1.SubjectAccessReview{Spec: spec}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	local, err := of.LocalSubjectAccessReviews(b.namespace).Create(ctx,
		&authorizationv1.LocalSubjectAccessReview{
			ObjectMeta: metav1.ObjectMeta{Namespace: b.namespace}, Spec: spec,
		}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	rules, err := of.SelfSubjectRulesReviews().Create(ctx,
		&authorizationv1.SelfSubjectRulesReview{
			Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: b.namespace},
		}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	return first(
		expect("whether I may", own.Status.Allowed, true),
		expect("whether nobody may", other.Status.Allowed, false),
		expect("whether nobody may here", local.Status.Allowed, false),
		expect("the extra fields", other.Spec.Extra["scopes"], []string{"a", "b"}),
		expect("whether I have rules", len(rules.Status.ResourceRules) > 0, true),
	)
}

func checkRoles(ctx context.Context, b *bench) error {
	role := &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Name: "reader"},
		Rules: []rbacv1.PolicyRule{{
			Verbs: []string{"get"}, APIGroups: []string{""}, Resources: []string{"configmaps"},
		}},
	}
	of := b.client.RbacV1()
	if _, err := of.Roles(b.namespace).Create(ctx, role, metav1.CreateOptions{}); err != nil {
		return err
	}
	_, err := of.RoleBindings(b.namespace).Apply(ctx, applyrbacv1.RoleBinding("reader", b.namespace).
		WithRoleRef(applyrbacv1.RoleRef().WithAPIGroup(rbacv1.GroupName).WithKind("Role").
			WithName("reader")).
		WithSubjects(applyrbacv1.Subject().WithKind("User").WithAPIGroup(rbacv1.GroupName).
			WithName("reading-user")),
		metav1.ApplyOptions{FieldManager: "binder"})
	if err != nil {
		return err
	}
	review := &authorizationv1.SubjectAccessReview{
		Spec: authorizationv1.SubjectAccessReviewSpec{
			User: "reading-user",
			ResourceAttributes: &authorizationv1.ResourceAttributes{
				Namespace: b.namespace, Verb: "get", Resource: "configmaps",
			},
		},
	}
	for {
		made, err := b.client.AuthorizationV1().SubjectAccessReviews().Create(ctx, review,
			metav1.CreateOptions{})
		if err != nil || made.Status.Allowed {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func checkCertificate(ctx context.Context, b *bench) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{
		Subject: pkix.Name{CommonName: "asker"},
	}, key)
	if err != nil {
		return err
	}
	of := b.client.CertificatesV1().CertificateSigningRequests()
	made, err := of.Create(ctx, &certificatesv1.CertificateSigningRequest{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "asker-"},
		Spec: certificatesv1.CertificateSigningRequestSpec{
			Request:    pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}),
			SignerName: certificatesv1.KubeAPIServerClientSignerName,
			Usages:     []certificatesv1.KeyUsage{certificatesv1.UsageClientAuth},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	made.Status.Conditions = []certificatesv1.CertificateSigningRequestCondition{{
		Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue, Reason: "Tried",
	}}
	approved, err := of.UpdateApproval(ctx, made.Name, made, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	return first(
		expect("the conditions", len(approved.Status.Conditions), 1),
		expect("whether it says who asked", approved.Spec.Username != "", true),
	)
}

func checkLease(ctx context.Context, b *bench) error {
	holder, seconds := "holder", int32(15)
	now := metav1.NewMicroTime(time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC))
	made, err := b.client.CoordinationV1().Leases(b.namespace).Create(ctx, &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: "kept"},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: &holder, LeaseDurationSeconds: &seconds, RenewTime: &now,
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	return first(
		expect("the time", made.Spec.RenewTime.UTC(), now.UTC()),
		expect("the holder", *made.Spec.HolderIdentity, holder),
	)
}

func checkImpersonation(ctx context.Context, b *bench) error {
	own := rest.CopyConfig(b.config)
	own.Impersonate = rest.ImpersonationConfig{
		UserName: "other", Groups: []string{"a", "b"},
		Extra: map[string][]string{"example.com/scope": {"x"}},
	}
	client, err := kubernetes.NewForConfig(own)
	if err != nil {
		return err
	}
	name, err := whoIs(ctx, client)
	if err != nil {
		return err
	}
	_, err = client.CoreV1().Secrets(b.namespace).List(ctx, metav1.ListOptions{})
	if err == nil {
		return fmt.Errorf("the other may list secrets")
	}
	return expect("the name", name, "other")
}
