package main

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
)

const checkTimeout = 30 * time.Second

// bench is what a check works with.
type bench struct {
	setting
	client    kubernetes.Interface
	dynamic   dynamic.Interface
	metadata  metadata.Interface
	discovery discovery.DiscoveryInterface
}

type check struct {
	name string
	run  func(context.Context, *bench) error
}

// calls runs every check, one after the other, and says how each went.
func calls(ctx context.Context, with setting) error {
	b := &bench{setting: with}
	var err error
	if b.client, err = kubernetes.NewForConfig(with.config); err != nil {
		return err
	}
	if b.dynamic, err = dynamic.NewForConfig(with.config); err != nil {
		return err
	}
	if b.metadata, err = metadata.NewForConfig(with.config); err != nil {
		return err
	}
	b.discovery = b.client.Discovery()
	if err := makeNamespace(ctx, b.client, with.namespace); err != nil {
		return err
	}
	for _, group := range [][]check{
		objectChecks, listChecks, workloadChecks, accessChecks, discoveryChecks, eventChecks,
	} {
		for _, each := range group {
			b.check(ctx, each)
		}
	}
	b.checkKinds(ctx)
	if with.stubs != "" {
		return b.checkStubs(ctx)
	}
	return nil
}

func (b *bench) check(ctx context.Context, each check) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	problem := ""
	func() {
		defer func() {
			if recovered := recover(); recovered != nil {
				problem = fmt.Sprintf("it panicked: %v", recovered)
			}
		}()
		if err := each.run(ctx, b); err != nil {
			problem = err.Error()
		}
	}()
	report("check", map[string]any{"name": each.name, "problem": problem})
}

// expect is an error unless the two print alike.
func expect(what string, actual, expected any) error {
	one, other := fmt.Sprintf("%v", actual), fmt.Sprintf("%v", expected)
	if one == other {
		return nil
	}
	return fmt.Errorf("%s is %s, not %s", what, one, other)
}

// first is the first error there is.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
