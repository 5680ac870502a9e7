/** What the types of the group are for, as `kubectl explain` shows it. */

export const networkingDescriptions = `
networking.Ingress Rules by which requests from outside reach Services, by host and path.
networking.IngressSpec The desired state of an Ingress.
  ingressClassName The IngressClass whose controller serves it.
  defaultBackend Where requests go that no rule matches.
  tls Hosts with TLS, and their certificates.
  rules Rules by host.
networking.IngressRule Rules for the requests to one host.
  host The host, or a wildcard as first label such as *.example.org; empty for all hosts.
  http Rules by path.
networking.HTTPIngressRuleValue Paths and where they lead.
  paths The paths.
networking.HTTPIngressPath A path and where it leads.
  path The path; it begins with a slash.
  pathType Exact, Prefix (element by element), or ImplementationSpecific.
  backend Where it leads.
networking.IngressBackend Where requests go: to a service or to something else.
  service A Service in the namespace of the Ingress.
  resource Another object in the namespace. Not together with service.
networking.IngressServiceBackend A port of a Service.
  name Name of the Service.
  port Its port.
networking.ServiceBackendPort A port, by name or by number.
  name The name.
  number The number.
networking.IngressTLS A certificate for some hosts.
  hosts The hosts; they should be in the certificate.
  secretName The Secret with the certificate and its key.
networking.IngressStatus The observed state of an Ingress.
  loadBalancer What the load balancer has.
networking.IngressLoadBalancerStatus What a load balancer has.
  ingress Points at which it takes traffic.
networking.IngressLoadBalancerIngress A point at which a load balancer takes traffic.
  ip Its address.
  hostname Its name, if it has one instead.
  ports Its ports, and what is wrong with them.
networking.IngressPortStatus A port, and what is wrong with it.
  port The number.
  protocol TCP, UDP or SCTP.
  error What is wrong, in one word; empty if nothing is.
networking.IngressClass A kind of Ingress: which controller serves it.
networking.IngressClassSpec The desired state of an IngressClass.
  controller The controller, as a path below a domain. It cannot change.
  parameters An object with more settings for the controller.
networking.IngressClassParametersReference An object with settings.
  apiGroup Its group; empty for the core one.
  kind Its kind.
  name Its name.
  scope Cluster, the default, or Namespace.
  namespace Its namespace, where scope is Namespace.
networking.NetworkPolicy Which traffic pods may have. Pods that no policy selects may have any.
networking.NetworkPolicySpec The desired state of a NetworkPolicy.
  podSelector The pods it is about; empty for all of the namespace.
  ingress Traffic that may come to them. An empty list allows none.
  egress Traffic that may go from them. An empty list allows none.
  policyTypes Directions it speaks of: Ingress, Egress or both.
networking.NetworkPolicyIngressRule Traffic that may come: from one of these, to one of these ports.
  ports To which ports; empty for all.
  from From whom; empty for all.
networking.NetworkPolicyEgressRule Traffic that may go: to one of these, at one of these ports.
  ports To which ports; empty for all.
  to To whom; empty for all.
networking.NetworkPolicyPort Ports.
  protocol TCP, the default, UDP or SCTP.
  port A number, or the name of a port of a pod; empty for all.
  endPort The last of a range of ports that begins with port.
networking.NetworkPolicyPeer Who is on the other side.
  podSelector Pods of the own namespace, or of those that namespaceSelector selects.
  namespaceSelector Namespaces whose pods are meant; empty for all namespaces.
  ipBlock A network. It stands alone.
networking.IPBlock A network, less parts of it.
  cidr The network, such as 192.0.2.0/24.
  except Networks within it that are not meant.
`;
