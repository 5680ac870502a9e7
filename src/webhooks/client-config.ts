/**
 * Resolves the `clientConfig` of a stored configuration: a URL, or a service of the cluster.
 *
 * It does not make the call, and service-resolver.ts says where a service is.
 *
 * Invariants: a service is called at its address but under its DNS name, because its certificate is
 * for that name. Paths are normalized as in the reference: no empty segments, no slash at the end.
 */
import path from 'node:path';
import { part, text } from '../apimachinery/members.ts';
import type { JsonObject } from '../apimachinery/unstructured.ts';
import type { WebhookTarget } from './kubeconfig-target.ts';
import type { ResolveService } from './service-resolver.ts';
import { WebhookError } from './webhook-poster.ts';
import { bracketed } from '../stdx/url-host.ts';

export interface ClientEndpoint {
  /** As who configured it says it: a service by its name in DNS. */
  readonly host: string;
  readonly port: number;
  /** The URL in these words, for messages. */
  readonly shown: string;
  /** @throws WebhookError: it is nowhere now. */
  target(resolve: ResolveService): WebhookTarget;
}

const standardPort = 443;

/** @throws WebhookError: it cannot be read. */
export function clientEndpoint(clientConfig: JsonObject): ClientEndpoint {
  const bundle = text(clientConfig, 'caBundle');
  const common = {
    ca: bundle === '' ? undefined : Buffer.from(bundle, 'base64').toString('utf8'),
    insecureSkipVerify: false,
    certificate: undefined,
    authorization: () => undefined,
  };
  const address = text(clientConfig, 'url');
  if (address !== '') return endpointOfUrl(address, common);
  return endpointOfService(part(clientConfig, 'service'), common);
}

type Common = Omit<WebhookTarget, 'serverName' | 'url'>;

function endpointOfUrl(address: string, common: Common): ClientEndpoint {
  if (!URL.canParse(address)) throw new WebhookError('its url cannot be read', false);
  const url = new URL(address);
  url.pathname = cleanPath(url.pathname);
  const [authority = url.host] = /(?<=^https?:\/\/)[^/?#]*/i.exec(address) ?? [];
  return {
    host: url.hostname,
    port: Number(url.port || standardPort),
    shown: `${url.protocol}//${authority}${url.pathname}`,
    target: () => ({ ...common, url, serverName: undefined }),
  };
}

function endpointOfService(service: JsonObject, common: Common): ClientEndpoint {
  const [name, namespace] = [text(service, 'name'), text(service, 'namespace')];
  const port = Number(service['port'] ?? standardPort);
  const host = `${name}.${namespace}.svc`;
  const pathname = cleanPath(text(service, 'path'));
  return {
    host,
    port,
    shown: `https://${host}:${port}${pathname}`,
    target(resolve) {
      const found = resolve(namespace, name, port);
      const url = new URL(`https://${bracketed(found.host)}:${found.port}`);
      url.pathname = pathname;
      return { ...common, url, serverName: host };
    },
  };
}

function cleanPath(given: string): string {
  const clean = path.posix.join('/', given);
  return clean.length > 1 && clean.endsWith('/') ? clean.slice(0, -1) : clean;
}
