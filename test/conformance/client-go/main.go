// Command client-go is a client of the reference's own library, tried against a server under test.
//
//	client-go survive   informers, watchers, a controller and an election, while the server dies
//	client-go calls     typed calls of many kinds, one after the other
//
// It says what it finds as JSON, one object a line, on standard output. What it is not: a judge.
// The test that runs it decides what may be.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// setting is what every part of the program works with.
type setting struct {
	// config speaks to the server; followers copy it.
	config    *rest.Config
	namespace string
	// stubs is a file of valid objects of many kinds, or "".
	stubs string
}

func main() {
	if len(os.Args) < 2 {
		fail("say what to do: survive or calls")
	}
	flags := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	kubeconfig := flags.String("kubeconfig", "", "where the server is and who we are")
	contentType := flags.String("content-type", "application/json", "of bodies, both ways")
	namespace := flags.String("namespace", "client-go", "where to work; made if need be")
	stubs := flags.String("stubs", "", "file of valid objects of many kinds")
	if err := flags.Parse(os.Args[2:]); err != nil {
		fail(err.Error())
	}
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		fail(err.Error())
	}
	config.ContentType = *contentType
	if *contentType != "application/json" {
		config.AcceptContentTypes = *contentType + ",application/json"
	}
	// Of the client's own making, not the server's: it would only slow the writer down.
	config.QPS, config.Burst = 1000, 1000
	with := setting{config: config, namespace: *namespace, stubs: *stubs}
	switch os.Args[1] {
	case "survive":
		err = survive(context.Background(), with)
	case "calls":
		err = calls(context.Background(), with)
	default:
		err = fmt.Errorf("%q is neither survive nor calls", os.Args[1])
	}
	if err != nil {
		fail(err.Error())
	}
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(1)
}
