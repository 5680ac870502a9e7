/** What the types of the group are for, as `kubectl explain` shows it. */

export const discoveryDescriptions = `
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
`;
