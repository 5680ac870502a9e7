/**
 * Where the kubelet of a node is reached: at one of the addresses that the node has, of the first
 * kind that the operator prefers.
 */
import { objects, part, text } from '../apimachinery/members.ts';
import { newUnknownError } from '../apimachinery/status-error.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import type { ApiObject } from '../apimachinery/unstructured.ts';
import { bracketed } from '../stdx/url-host.ts';

export const addressTypes = [
  'Hostname',
  'InternalDNS',
  'InternalIP',
  'ExternalDNS',
  'ExternalIP',
] as const;

export type AddressType = (typeof addressTypes)[number];

export interface KubeletAddress {
  readonly host: string;
  readonly port: string;
}

const defaultPort = 10250;

export function kubeletAddress(
  node: ApiObject,
  preferred: readonly AddressType[],
): KubeletAddress | StatusError {
  const status = part(node, 'status');
  const known = objects(status, 'addresses');
  const { Port: port } = part(part(status, 'daemonEndpoints'), 'kubeletEndpoint');
  for (const type of preferred) {
    const found = known.find((each) => text(each, 'type') === type);
    if (found === undefined) continue;
    const number = typeof port === 'number' && port > 0 ? port : defaultPort;
    return { host: text(found, 'address'), port: String(number) };
  }
  const list = known.map((each) => `${text(each, 'type')}: ${text(each, 'address')}`).join(', ');
  return newUnknownError(`no preferred addresses found; known addresses: [${list}]`);
}

/** With the brackets that an address of IPv6 needs in a URL. */
export function hostOf(host: string, port: string): string {
  const name = bracketed(host);
  return port === '' ? name : `${name}:${port}`;
}
