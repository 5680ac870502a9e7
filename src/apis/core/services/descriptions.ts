/** What the fields of services and endpoints are for, as `kubectl explain` shows it. */

export const serviceDescriptions = `
core.Service A name and address for a set of pods that answer the same requests.
core.ServiceSpec The desired state of a Service.
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
  nodePort The port of each node, for NodePort and LoadBalancer; chosen by default.
core.SessionAffinityConfig How a client is sent to the same pod again.
  clientIP By its address.
core.ClientIPConfig How long an address is remembered.
  timeoutSeconds Seconds, up to a day; 10800 by default.
core.ServiceStatus The observed state of a Service.
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
`;
