/**
 * Documents of OpenAPI 2.0 of other servers, as they were the last time: asked for when a server is
 * asked what it serves (remote-documents.ts), kept as they came, and read again by whoever puts the
 * document of everything together (src/endpoints/openapi).
 *
 * Invariants: what is kept can be read, and written in every encoding: a document that cannot be
 * counts as none, and is not looked at again until it is another one.
 * Bounds: `openApiLimits`.
 */
import { createHash } from 'node:crypto';
import { jsonSteps } from '../apimachinery/codecs/json.ts';
import { encodeOpenApiV2 } from '../apimachinery/openapi/protobuf-document.ts';
import type { JsonObject } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';
import { runToEnd } from '../stdx/stepwise.ts';
import type { Steps } from '../stdx/stepwise.ts';
import type { Turns } from '../stdx/turns.ts';
import type { RemoteOpenApi } from './aggregation.ts';
import { pathOf } from './api-service.ts';
import type { RemoteService } from './api-service.ts';
import type { Backends } from './backends.ts';
import { excerptOf } from './openapi-excerpt.ts';
import type { OpenApiExcerpt } from './openapi-excerpt.ts';

const openApiLimits = {
  answerBytesMax: 4 * 1024 * 1024,
  keptBytesMax: 32 * 1024 * 1024,
  valuesMax: 200_000,
  widthMax: 10_000,
  timeoutMs: 5_000,
} as const;

/** As the reference asks for these documents. */
export const openApiUser: UserInfo = { name: 'system:aggregator', uid: '', groups: [], extra: {} };

interface Known {
  readonly etag: string | undefined;
  /** Of its answer and of the versions that are wanted of it. */
  readonly digest: string;
  /** Undefined: it has none. */
  readonly document: RemoteOpenApi | undefined;
}

export function keepRemoteOpenApi(
  { backends, turns }: { readonly backends: Pick<Backends, 'call'>; readonly turns: Turning },
  onChange: () => void,
) {
  const servers = new Map<string, Known>();
  let bytesSum = 0;
  const set = (server: string, known: Known | undefined): void => {
    const before = servers.get(server)?.document;
    bytesSum += (known?.document?.body.byteLength ?? 0) - (before?.body.byteLength ?? 0);
    if (known === undefined) servers.delete(server);
    else servers.set(server, known);
    if (before !== known?.document) onChange();
  };
  return {
    all: (): readonly RemoteOpenApi[] =>
      [...servers.keys()].sort().flatMap((name) => servers.get(name)?.document ?? []),
    forget: (server: string): void => set(server, undefined),
    /** @throws Error. */
    async look(server: string, asked: readonly RemoteService[]): Promise<void> {
      const [{ backend }] = asked as [RemoteService];
      const { answerBytesMax, keptBytesMax, timeoutMs } = openApiLimits;
      const known = servers.get(server);
      const prefixes = asked.map((service) => `${pathOf(service)}/`).sort();
      const etag = known?.document === undefined ? undefined : known.etag;
      const headers = { Accept: 'application/json', ...(etag && { 'If-None-Match': etag }) };
      const call = { path: '/openapi/v2', user: openApiUser, headers, timeoutMs, answerBytesMax };
      const { body, headers: said, status } = await backends.call(backend, call);
      const isSame = String(known?.document?.prefixes) === String(prefixes);
      if (status === 304 && isSame) return;
      if (status !== 200) return set(server, { etag: undefined, digest: '', document: undefined });
      const digest = createHash('sha256').update(body).update(String(prefixes)).digest('hex');
      if (known?.digest === digest) return;
      const next = { etag: isSame || known === undefined ? said.etag : undefined, digest };
      set(server, { ...next, document: undefined });
      if (bytesSum + body.byteLength > keptBytesMax) throw new Error('too much OpenAPI is kept');
      const document = { body, digest, prefixes };
      await runToEnd(turns, checked(document));
      set(server, { ...next, document });
    },
  };
}

type Turning = Pick<Turns, 'run'>;

/** @throws Error. */
export function* readRemoteOpenApi({ body, prefixes }: RemoteOpenApi): Steps<OpenApiExcerpt> {
  const { valuesMax, widthMax } = openApiLimits;
  const options = { findDuplicates: false, valuesMax, widthMax };
  const decoded = yield* jsonSteps(body, options);
  if (decoded.kind === 'refused') throw new Error(`its OpenAPI: ${decoded.error.message}`);
  if (!isJsonObject(decoded.value)) throw new Error('its OpenAPI is not a JSON object');
  return yield* excerptOf(decoded.value, prefixes);
}

function* checked(document: RemoteOpenApi): Steps<void> {
  const excerpt = yield* readRemoteOpenApi(document);
  const whole: JsonObject = { ...excerpt };
  yield* encodeOpenApiV2(whole);
}
