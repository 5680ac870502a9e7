/** Warnings about addresses and ranges that are not in their canonical form. */
import {
  ipText,
  isFormattedIpv6,
  parseCidr,
  parseIp,
  rangeText,
} from '../../apimachinery/ip-address.ts';
import type { IpAddress } from '../../apimachinery/ip-address.ts';
import { objects, part, text } from '../../apimachinery/members.ts';
import { quote } from '../../apimachinery/quote.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import type { Warnings } from './kind-warnings.ts';
import { noWarnings, warningsOfEach } from './kind-warnings.ts';

const leaving = 'will be considered invalid in a future Kubernetes release: use';

const canonical = 'should be in RFC 5952 canonical format';

export function ipWarnings(field: string, value: string): Warnings {
  const ip = parseIp(value);
  if (ip === undefined) return noWarnings;
  if (!ip.standard) {
    return [`${field}: non-standard IP address ${quote(value)} ${leaving} ${quote(ipText(ip))}`];
  }
  if (isCanonical(ip, value)) return noWarnings;
  return [`${field}: IPv6 address ${quote(value)} ${canonical} (${quote(ipText(ip))})`];
}

/** Whether `written`, which all readers take for this address, is its canonical form. */
function isCanonical({ bytes, family }: IpAddress, written: string): boolean {
  return family === 4 || isFormattedIpv6(bytes, written);
}

export function cidrWarnings(field: string, value: string): Warnings {
  const range = parseCidr(value);
  if (range === undefined) return noWarnings;
  const { address, aligned, standard } = range;
  const written = value.slice(0, value.indexOf('/'));
  if (aligned && standard && isCanonical(address, written)) return noWarnings;
  const shown = rangeText(range);
  const found: string[] = [];
  if (!aligned) {
    const single = `${ipText(address)}/${address.bytes.length * 8}`;
    const either = `(should be ${quote(shown)} or ${quote(single)}?)`;
    found.push(`${field}: CIDR value ${quote(value)} is ambiguous in this context ${either}`);
  }
  if (!standard) {
    found.push(`${field}: non-standard CIDR value ${quote(value)} ${leaving} ${quote(shown)}`);
  }
  if (found.length === 0 && address.family === 6 && shown !== value) {
    found.push(`${field}: IPv6 CIDR value ${quote(value)} ${canonical} (${quote(shown)})`);
  }
  return found;
}

export function ipsOf(
  list: readonly JsonObject[],
  path: string,
  member = 'ip',
  shown = '.ip',
): Warnings {
  return warningsOfEach(list, (item, at) =>
    ipWarnings(`${path}[${at}]${shown}`, text(item, member)),
  );
}

/** Of load balancers, under the status. The reference names the entry, not its member. */
export function balancerWarnings(object: ApiObject): Warnings {
  const ingress = objects(part(part(object, 'status'), 'loadBalancer'), 'ingress');
  return ipsOf(ingress, 'status.loadBalancer.ingress', 'ip', '');
}

/** What its own controllers write is in order, and there is much of it. */
export function writtenBy(
  object: ApiObject,
  label: string,
  controllers: readonly string[],
): boolean {
  return controllers.includes(object.metadata.labels?.[label] ?? '');
}
