package main

import (
	"context"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/openapi"
	"k8s.io/client-go/restmapper"
)

var discoveryChecks = []check{
	{"the version is one that clients can compare", checkVersion},
	{"groups and resources are discovered whole", checkResources},
	{"a mapper finds kinds by resource, short name and group", checkMapper},
	{"both OpenAPI documents are read", checkOpenAPI},
	{"health is text", checkHealth},
}

func checkVersion(_ context.Context, b *bench) error {
	version, err := b.discovery.ServerVersion()
	if err != nil {
		return err
	}
	return first(
		expect("the major version", version.Major, "1"),
		expect("how it begins", strings.HasPrefix(version.GitVersion, "v1."), true),
	)
}

func checkResources(_ context.Context, b *bench) error {
	groups, resources, err := b.discovery.ServerGroupsAndResources()
	if err != nil {
		return err
	}
	preferred, err := b.discovery.ServerPreferredNamespacedResources()
	if err != nil {
		return err
	}
	found := map[string]bool{}
	for _, list := range resources {
		for _, each := range list.APIResources {
			found[list.GroupVersion+"/"+each.Name] = true
		}
	}
	for _, name := range []string{"v1/pods", "v1/pods/eviction", "apps/v1/deployments/scale",
		"coordination.k8s.io/v1/leases", "v1/serviceaccounts/token"} {
		if !found[name] {
			return fmt.Errorf("there is no %s", name)
		}
	}
	return first(
		expect("whether there are groups", len(groups) > 10, true),
		expect("whether some are preferred", len(preferred) > 10, true),
	)
}

func checkMapper(_ context.Context, b *bench) error {
	cached := memory.NewMemCacheClient(b.discovery)
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(cached)
	short := restmapper.NewShortcutExpander(mapper, cached, nil)
	mapping, err := mapper.RESTMapping(schema.GroupKind{Group: "apps", Kind: "Deployment"})
	if err != nil {
		return err
	}
	kind, err := short.KindFor(schema.GroupVersionResource{Resource: "cm"})
	if err != nil {
		return err
	}
	resource, err := short.ResourceFor(schema.GroupVersionResource{Resource: "deploy"})
	if err != nil {
		return err
	}
	return first(
		expect("the resource", mapping.Resource, appsv1.SchemeGroupVersion.WithResource("deployments")),
		expect("the scope", mapping.Scope.Name(), "namespace"),
		expect("the kind", kind, corev1.SchemeGroupVersion.WithKind("ConfigMap")),
		expect("the short name", resource, appsv1.SchemeGroupVersion.WithResource("deployments")),
	)
}

func checkOpenAPI(_ context.Context, b *bench) error {
	// Asked for and sent in Protobuf.
	document, err := b.discovery.OpenAPISchema()
	if err != nil {
		return err
	}
	definitions := len(document.GetDefinitions().GetAdditionalProperties())
	if definitions < 100 {
		return fmt.Errorf("version 2 has %d definitions", definitions)
	}
	paths, err := b.discovery.OpenAPIV3().Paths()
	if err != nil {
		return err
	}
	var apps openapi.GroupVersion = paths["apis/apps/v1"]
	if apps == nil {
		return fmt.Errorf("version 3 has no apps/v1")
	}
	text, err := apps.Schema("application/json")
	if err != nil {
		return err
	}
	return expect("whether it says what a Deployment is",
		strings.Contains(string(text), "io.k8s.api.apps.v1.Deployment"), true)
}

func checkHealth(ctx context.Context, b *bench) error {
	for _, path := range []string{"/livez", "/readyz", "/healthz"} {
		text, err := b.discovery.RESTClient().Get().AbsPath(path).DoRaw(ctx)
		if err != nil {
			return err
		}
		if err := expect(path, string(text), "ok"); err != nil {
			return err
		}
	}
	return nil
}
