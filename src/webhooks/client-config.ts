/**
 * Where a `clientConfig` of a stored configuration leads: a URL, or a service of the cluster.
 *
 * What it is not: the call, or who may be called.
 *
 * Invariants: a service is called by its cluster address under its own name in DNS, or by that name
 * where it has no address; the name is what its certificate is for.
 */
import { part, text } from '../apimachinery/members.ts';
import type { JsonObject } from '../apimachinery/unstructured.ts';
import type { WebhookTarget } from './kubeconfig-target.ts';
import { WebhookError } from './webhook-poster.ts';

/** A Service as it is stored; undefined: there is none. */
export type FindService = (namespace: string, name: string) => JsonObject | undefined;

export interface ClientTarget {
  readonly target: WebhookTarget;
  /** As who called it says it: a service by its name. */
  readonly shownUrl: URL;
}

/** @throws WebhookError. */
export function clientTarget(clientConfig: JsonObject, findService: FindService): ClientTarget {
  const bundle = text(clientConfig, 'caBundle');
  const common = {
    ca: bundle === '' ? undefined : Buffer.from(bundle, 'base64').toString('utf8'),
    insecureSkipVerify: false,
    certificate: undefined,
    authorization: () => undefined,
  };
  const address = text(clientConfig, 'url');
  if (address !== '') {
    if (!URL.canParse(address)) throw new WebhookError('its url cannot be read', false);
    const url = new URL(address);
    return { target: { ...common, url, serverName: undefined }, shownUrl: url };
  }
  const service = part(clientConfig, 'service');
  const [name, namespace] = [text(service, 'name'), text(service, 'namespace')];
  const found = findService(namespace, name);
  if (found === undefined) throw new WebhookError(`service "${name}" not found`, false);
  const serverName = `${name}.${namespace}.svc`;
  const host = addressOf(found) ?? serverName;
  const url = new URL(`https://${host.includes(':') ? `[${host}]` : host}`);
  url.port = String(service['port'] ?? 443);
  const [path = '', query] = text(service, 'path').split('?', 2);
  url.pathname = path;
  if (query !== undefined) url.search = query;
  const shownUrl = new URL(url);
  shownUrl.hostname = serverName;
  return { target: { ...common, url, serverName }, shownUrl };
}

function addressOf(service: JsonObject): string | undefined {
  const address = text(part(service, 'spec'), 'clusterIP');
  return address === '' || address === 'None' ? undefined : address;
}
