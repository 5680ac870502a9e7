/** Warnings of addresses that are read today and may not be tomorrow, wherever a kind has them. */
import { parseCidr, parseIp } from '../../apimachinery/ip-address.ts';
import { objects, part, text, texts } from '../../apimachinery/members.ts';
import { quote } from '../../apimachinery/quote.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { each, noWarnings, onWrite, together } from './kind-warnings.ts';
import type { KindWarnings, Warnings } from './kind-warnings.ts';

const leaving = 'will be considered invalid in a future Kubernetes release: use';
const canonical = 'should be in RFC 5952 canonical format';

export function ipWarnings(field: string, value: string): Warnings {
  const ip = parseIp(value);
  if (ip === undefined) return noWarnings;
  if (!ip.standard) {
    return [`${field}: non-standard IP address ${quote(value)} ${leaving} ${quote(ip.text)}`];
  }
  return ip.family === 6 && ip.text !== value
    ? [`${field}: IPv6 address ${quote(value)} ${canonical} (${quote(ip.text)})`]
    : noWarnings;
}

export function cidrWarnings(field: string, value: string): Warnings {
  const range = parseCidr(value);
  if (range === undefined) return noWarnings;
  const { address } = range;
  const single = `${address.text}/${address.bytes.length * 8}`;
  const found: string[] = [];
  if (!range.aligned) {
    const either = `(should be ${quote(range.text)} or ${quote(single)}?)`;
    found.push(`${field}: CIDR value ${quote(value)} is ambiguous in this context ${either}`);
  }
  if (!range.standard) {
    found.push(`${field}: non-standard CIDR value ${quote(value)} ${leaving} ${quote(range.text)}`);
  }
  if (found.length === 0 && address.family === 6 && range.text !== value) {
    found.push(`${field}: IPv6 CIDR value ${quote(value)} ${canonical} (${quote(range.text)})`);
  }
  return found;
}

function ipsOf(list: readonly JsonObject[], path: string, member = 'ip', shown = '.ip'): Warnings {
  return each(list, (item, at) => ipWarnings(`${path}[${at}]${shown}`, text(item, member)));
}

/** Of the hosts and name servers that a pod brings along. */
export function podAddresses(spec: JsonObject, path: string): Warnings {
  return together(
    each(texts(part(spec, 'dnsConfig'), 'nameservers'), (server, at) =>
      ipWarnings(`${path}.dnsConfig.nameservers[${at}]`, server),
    ),
    ipsOf(objects(spec, 'hostAliases'), `${path}.hostAliases`),
  );
}

/** Of load balancers, under the status. The reference names the entry, not its member. */
export function balancerWarnings(object: ApiObject): Warnings {
  const ingress = objects(part(part(object, 'status'), 'loadBalancer'), 'ingress');
  return ipsOf(ingress, 'status.loadBalancer.ingress', 'ip', '');
}

export const podStatusAddresses = (pod: ApiObject): Warnings => {
  const status = part(pod, 'status');
  return together(
    ipsOf(objects(status, 'podIPs'), 'status.podIPs'),
    ipsOf(objects(status, 'hostIPs'), 'status.hostIPs'),
  );
};

/** What its own controllers write is in order, and there is much of it. */
function writtenBy(object: ApiObject, label: string, controllers: readonly string[]): boolean {
  return controllers.includes(object.metadata.labels?.[label] ?? '');
}

export function endpointsWarnings(managedBy: string): KindWarnings {
  return onWrite((object) => {
    if (writtenBy(object, managedBy, ['endpoint-controller'])) return noWarnings;
    return each(objects(object, 'subsets'), (subset, at) =>
      each(['addresses', 'notReadyAddresses'], (list) =>
        ipsOf(objects(subset, list), `subsets[${at}].${list}`),
      ),
    );
  });
}

const sliceControllers = [
  'endpointslice-controller.{domain}',
  'endpointslicemirroring-controller.{domain}',
];

export function endpointSliceWarnings(
  managedBy: string,
  fill: (template: string) => string,
): KindWarnings {
  const controllers = sliceControllers.map(fill);
  const addresses = (slice: ApiObject): Warnings =>
    writtenBy(slice, managedBy, controllers)
      ? noWarnings
      : each(objects(slice, 'endpoints'), (endpoint, at) =>
          each(texts(endpoint, 'addresses'), (address, which) =>
            ipWarnings(`endpoints[${at}].addresses[${which}]`, address),
          ),
        );
  return {
    onCreate: (slice) =>
      together(
        slice['addressType'] === 'FQDN'
          ? ['spec.addressType: FQDN endpoints are deprecated']
          : noWarnings,
        addresses(slice),
      ),
    onUpdate: addresses,
  };
}

export const networkPolicyWarnings: KindWarnings = onWrite((policy) => {
  const spec = part(policy, 'spec');
  const sides = [
    ['ingress', 'from'],
    ['egress', 'to'],
  ] as const;
  return each(sides, ([side, peers]) =>
    each(objects(spec, side), (rule, at) =>
      each(objects(rule, peers), (peer, which) => {
        const path = `spec.${side}[${at}].${peers}[${which}].ipBlock`;
        const block = part(peer, 'ipBlock');
        return together(
          cidrWarnings(`${path}.cidr`, text(block, 'cidr')),
          each(texts(block, 'except'), (range, here) =>
            cidrWarnings(`${path}.except[${here}]`, range),
          ),
        );
      }),
    ),
  );
});
