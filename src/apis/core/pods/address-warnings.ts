/** Warnings about IP addresses in the spec and the status of a pod. */
import { objects, part, texts } from '../../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../../apimachinery/unstructured.ts';
import { ipWarnings, ipsOf } from '../../warnings/ip-addresses.ts';
import type { Warnings } from '../../warnings/kind-warnings.ts';
import { allWarnings, warningsOfEach } from '../../warnings/kind-warnings.ts';

/** Of the hosts and name servers that a pod brings along. */
export function podAddresses(spec: JsonObject, path: string): Warnings {
  return allWarnings(
    warningsOfEach(texts(part(spec, 'dnsConfig'), 'nameservers'), (server, at) =>
      ipWarnings(`${path}.dnsConfig.nameservers[${at}]`, server),
    ),
    ipsOf(objects(spec, 'hostAliases'), `${path}.hostAliases`),
  );
}

export const podStatusAddresses = (pod: ApiObject): Warnings => {
  const status = part(pod, 'status');
  return allWarnings(
    ipsOf(objects(status, 'podIPs'), 'status.podIPs'),
    ipsOf(objects(status, 'hostIPs'), 'status.hostIPs'),
  );
};
