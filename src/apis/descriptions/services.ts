/** What services, endpoints, ingresses and policies of networks hold. See descriptions.ts. */
export const serviceDescriptions = `
core.Service A name and address for a set of pods that answer the same requests.
core.ServiceSpec What is wanted of a Service.
  ports The ports it answers on.
  selector Labels of the pods behind it. Empty: somebody else writes its endpoints.
  clusterIP Its address inside of the cluster; None for no address (headless). It cannot change.
  clusterIPs Its addresses, one of each family at most; the first one is clusterIP.
  type ClusterIP, NodePort (a port of every node, too), LoadBalancer (an address outside, too) or
    ExternalName (an alias only).
  externalIPs Addresses at which nodes take traffic for it; whoever gives them looks after them.
  sessionAffinity ClientIP sends a client to the same pod again; None, the default, does not.
  loadBalancerIP An address to ask a load balancer for. Not every one can; better use its own
    settings.
  loadBalancerSourceRanges Networks that may use the load balancer, where it can tell.
  externalName The name that this is an alias of; for ExternalName.
  externalTrafficPolicy Traffic from outside goes to pods of any node (Cluster), or of the node that
    it came to (Local), which keeps the client's address.
  healthCheckNodePort A port at which nodes say whether they have pods; for Local traffic.
  publishNotReadyAddresses Pods that are not ready have endpoints, too.
  sessionAffinityConfig More of sessionAffinity.
  ipFamilies Families of its addresses, IPv4 and IPv6; the first is the main one.
  ipFamilyPolicy One family or two: SingleStack, PreferDualStack or RequireDualStack.
  allocateLoadBalancerNodePorts Whether a load balancer needs ports of nodes; true if it is not
    said.
  loadBalancerClass Which kind of load balancer; empty for that of the cloud. It cannot change.
  internalTrafficPolicy Traffic from inside goes to pods of any node (Cluster) or of the own
    (Local).
  trafficDistribution Whether pods nearby are preferred, such as PreferClose.
core.ServicePort A port of a Service.
  name Its name, unique in the Service; needed if there are several ports.
  protocol TCP, the default, UDP or SCTP.
  appProtocol What is spoken over it, as a hint for those between.
  port Its number.
  targetPort The port of the pods: a number, or the name of a port of a container. By default port.
  nodePort The port of each node, for NodePort and LoadBalancer; chosen if it is not said.
core.SessionAffinityConfig How a client is sent to the same pod again.
  clientIP By its address.
core.ClientIPConfig How long an address is remembered.
  timeoutSeconds Seconds, up to a day; 10800 by default.
core.ServiceStatus What has become of a Service.
  loadBalancer What the load balancer has.
  conditions The latest observations of its state.
core.LoadBalancerStatus What a load balancer has.
  ingress Points at which it takes traffic.
core.LoadBalancerIngress A point at which a load balancer takes traffic.
  ip Its address.
  hostname Its name, if it has one instead.
  ipMode VIP: traffic keeps the address as destination; Proxy: it does not.
  ports Its ports, and what is wrong with them.
core.PortStatus A port, and what is wrong with it.
  port The number.
  protocol TCP, UDP or SCTP.
  error What is wrong, in one word; empty if nothing is.
core.Endpoints The addresses behind a Service, in one object. EndpointSlices hold more of them.
  subsets Sets of addresses, each with the ports that all of them have.
core.EndpointSubset Addresses that have the same ports.
  addresses Those that are ready.
  notReadyAddresses Those that are not: they start, or have failed a check.
  ports The ports.
core.EndpointAddress One address.
  ip The address.
  hostname The host name of the endpoint.
  nodeName The node it is on.
  targetRef What stands behind it, mostly a pod.
core.EndpointPort A port of endpoints.
  name Its name, as the Service has it.
  port Its number.
  protocol TCP, UDP or SCTP.
  appProtocol What is spoken over it.
discovery.EndpointSlice A part of the endpoints of a Service; all slices with its label are the
    whole.
  addressType What addresses are: IPv4, IPv6 or FQDN. It cannot change.
  endpoints The endpoints, up to 1000.
  ports The ports that each of them has.
discovery.Endpoint One endpoint.
  addresses Its addresses; all lead to the same thing, and clients take the first.
  conditions Its state.
  hostname Its host name, a DNS label.
  targetRef What stands behind it, mostly a pod.
  deprecatedTopology Where it is, as older versions wrote it; only read here.
  nodeName The node it is on.
  zone The zone it is in.
  hints For whom it is meant.
discovery.EndpointConditions The state of an endpoint.
  ready It takes traffic. Unknown counts as true.
  serving The same, but also while it is ending.
  terminating It is ending.
discovery.EndpointHints For whom an endpoint is meant.
  forZones Zones that should use it.
  forNodes Nodes that should use it.
discovery.ForZone A zone.
  name Its name.
discovery.ForNode A node.
  name Its name.
discovery.EndpointPort A port of endpoints.
  name Its name, unique in the slice; it may be empty.
  protocol TCP, the default, UDP or SCTP.
  port Its number; empty means any.
  appProtocol What is spoken over it.
networking.Ingress Rules by which requests from outside reach Services, by host and path.
networking.IngressSpec What is wanted of an Ingress.
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
networking.IngressStatus What has become of an Ingress.
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
networking.IngressClassSpec What is wanted of an IngressClass.
  controller The controller, as a path below a domain. It cannot change.
  parameters An object with more settings for the controller.
networking.IngressClassParametersReference An object with settings.
  apiGroup Its group; empty for the core one.
  kind Its kind.
  name Its name.
  scope Cluster, the default, or Namespace.
  namespace Its namespace, where scope is Namespace.
networking.NetworkPolicy Which traffic pods may have. Pods that no policy selects may have any.
networking.NetworkPolicySpec What is wanted of a NetworkPolicy.
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
