// An admission webhook over TLS on the reference's own types: it injects a sidecar into pods, and
// denies config maps that hold a forbidden key, with a warning. It says its port in its first line,
// and what it is asked in each that follows.
package main

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type judge func(*admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error)

func inject(request *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error) {
	var pod corev1.Pod
	if err := json.Unmarshal(request.Object.Raw, &pod); err != nil {
		return nil, err
	}
	sidecar := corev1.Container{Name: "sidecar", Image: "sidecar:1"}
	operations := []map[string]any{{"op": "add", "path": "/spec/containers/-", "value": sidecar}}
	patch, err := json.Marshal(operations)
	kind := admissionv1.PatchTypeJSONPatch
	return &admissionv1.AdmissionResponse{Allowed: true, Patch: patch, PatchType: &kind}, err
}

func deny(request *admissionv1.AdmissionRequest) (*admissionv1.AdmissionResponse, error) {
	var held corev1.ConfigMap
	if err := json.Unmarshal(request.Object.Raw, &held); err != nil {
		return nil, err
	}
	warnings := []string{"config maps are looked at"}
	if _, found := held.Data["forbidden"]; !found {
		return &admissionv1.AdmissionResponse{Allowed: true, Warnings: warnings}, nil
	}
	result := &metav1.Status{Reason: metav1.StatusReasonForbidden, Code: 403, Message: "no such key here"}
	return &admissionv1.AdmissionResponse{Result: result, Warnings: warnings}, nil
}

func serve(judged judge) http.HandlerFunc {
	return func(writer http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		var review admissionv1.AdmissionReview
		if err == nil {
			err = json.Unmarshal(body, &review)
		}
		if err == nil && review.Request == nil {
			err = fmt.Errorf("no request")
		}
		if err != nil {
			http.Error(writer, err.Error(), http.StatusBadRequest)
			return
		}
		response, err := judged(review.Request)
		if err != nil {
			http.Error(writer, err.Error(), http.StatusBadRequest)
			return
		}
		asked, _ := json.Marshal(review.Request)
		fmt.Println(string(asked))
		response.UID = review.Request.UID
		review.Request, review.Response = nil, response
		writer.Header().Set("Content-Type", "application/json")
		json.NewEncoder(writer).Encode(review)
	}
}

func main() {
	pair, err := tls.LoadX509KeyPair(os.Args[1], os.Args[2])
	if err != nil {
		panic(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	http.HandleFunc("/inject", serve(inject))
	http.HandleFunc("/deny", serve(deny))
	config := &tls.Config{Certificates: []tls.Certificate{pair}}
	panic(http.Serve(tls.NewListener(listener, config), nil))
}
