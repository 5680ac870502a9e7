/**
 * Calls conversion webhooks: where a `clientConfig` leads, with connections that are kept.
 *
 * What it is not: what is asked, or what is made of the answer (src/apiextensions/conversion).
 *
 * Invariants: a call ends within `timeoutMs` and is not tried again. A service is called by its
 * cluster address under its own name in DNS, or by that name where it has no address.
 * Bounds: `postersMax` webhooks have connections; the one called longest ago loses its own.
 */
import { decodeJson } from '../../apimachinery/codecs/json.ts';
import { stringifyJson } from '../../apimachinery/codecs/lossless.ts';
import { part, text } from '../../apimachinery/members.ts';
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { Timers } from '../../stdx/clock.ts';
import type { Streams } from '../../../streams/streams.ts';
import type { WebhookTarget } from '../../webhooks/kubeconfig-target.ts';
import { createWebhookPoster, WebhookError } from '../../webhooks/webhook-poster.ts';
import type { WebhookPoster } from '../../webhooks/webhook-poster.ts';

const limits = {
  timeoutMs: 30_000,
  /** As many objects as are sent at a time may come back, each as large as objects are. */
  answerBytesMax: 64 * 1024 * 1024,
  postersMax: 64,
} as const;

export type CallWebhook = (clientConfig: JsonObject, review: JsonObject) => Promise<JsonObject>;

export function conversionWebhooks(
  streams: Pick<Streams, 'snapshot'>,
  timers: Timers,
): CallWebhook {
  const posters = new Map<string, WebhookPoster>();
  const posterOf = (target: WebhookTarget): WebhookPoster => {
    const { ca = '', serverName = '', url } = target;
    const id = `${url.href} ${serverName} ${ca}`;
    const { answerBytesMax, postersMax } = limits;
    const poster = posters.get(id) ?? createWebhookPoster(target, timers, answerBytesMax);
    posters.delete(id);
    posters.set(id, poster);
    for (const [oldest, each] of posters) {
      if (posters.size <= postersMax) break;
      posters.delete(oldest);
      each.close();
    }
    return poster;
  };
  return async (clientConfig, review) => {
    const poster = posterOf(targetOf(clientConfig, streams));
    const answer = await poster.post(stringifyJson(review), limits.timeoutMs);
    const decoded = decodeJson(answer, { findDuplicates: false });
    if (decoded.kind === 'refused' || !isJsonObject(decoded.value)) {
      throw new WebhookError('the answer is not a JSON object', false);
    }
    return decoded.value;
  };
}

/** @throws WebhookError. */
function targetOf(clientConfig: JsonObject, streams: Pick<Streams, 'snapshot'>): WebhookTarget {
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
    return { ...common, url: new URL(address), serverName: undefined };
  }
  const service = part(clientConfig, 'service');
  const [name, namespace] = [text(service, 'name'), text(service, 'namespace')];
  const entry = streams.snapshot({ group: '', resource: 'services' }).get(namespace, name);
  if (entry === undefined) throw new WebhookError(`service "${name}" not found`, false);
  const serverName = `${name}.${namespace}.svc`;
  const host = addressOf(decodeObject(entry.bytes)) ?? serverName;
  const url = new URL(`https://${host.includes(':') ? `[${host}]` : host}`);
  url.port = String(service['port'] ?? 443);
  const [path = '', query] = text(service, 'path').split('?', 2);
  url.pathname = path;
  if (query !== undefined) url.search = query;
  return { ...common, url, serverName };
}

function addressOf(service: JsonObject): string | undefined {
  const address = text(part(service, 'spec'), 'clusterIP');
  return address === '' || address === 'None' ? undefined : address;
}
