/**
 * What servers behind this one say of their versions, asked for before anybody wants to know.
 *
 *     an APIService changes, every `refreshMs` ─▶ its server: /apis, in one document
 *                                                          ─▶ else each version's own list
 *                                            ─▶ /openapi/v3, if it has that
 *     answered ▶ Current          not available, no answer, no sense ▶ Stale, and nothing
 *
 * Each server keeps its own. Invariants: a server is asked once for all of its versions, by one
 * question at a time. One that did not answer the last time is asked among its like, so those that
 * hang do not keep others waiting. Nobody who asks this server waits for another one.
 * Bounds: `documentLimits`: bytes of one answer and of all that is kept, time, questions at a time.
 */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { jsonSteps } from '../apimachinery/codecs/json.ts';
import { part, text } from '../apimachinery/members.ts';
import type { Identity } from '../apimachinery/identity.ts';
import type { JsonObject } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import type { TimerHandle, Timers } from '../stdx/clock.ts';
import { createLimiter } from '../stdx/limiter.ts';
import { paced } from '../stdx/paced.ts';
import { runToEnd } from '../stdx/stepwise.ts';
import type { Turns } from '../stdx/turns.ts';
import type { RemoteDocuments, RemoteVersion } from './aggregation.ts';
import { isRemote, pathOf } from './api-service.ts';
import type { Backend, RemoteService } from './api-service.ts';
import type { ApiServices } from './api-services.ts';
import { aggregatorUser } from './availability.ts';
import type { BackendCall, Backends } from './backends.ts';
import { readGroups, readResources } from './discovery-answers.ts';
import { keepRemoteOpenApi, openApiUser } from './remote-openapi.ts';

const documentLimits = {
  answerBytesMax: 4 * 1024 * 1024,
  keptBytesMax: 64 * 1024 * 1024,
  timeoutMs: 5_000,
  refreshMs: 60_000,
  /** Between two questions to a server whose APIServices change all the time. */
  againMs: 250,
  atOnceMax: 16,
  failingAtOnceMax: 8,
} as const;

export interface RemoteDocumentsDeps {
  readonly services: ApiServices;
  readonly backends: Pick<Backends, 'call'>;
  readonly identity: Pick<Identity, 'groups'>;
  readonly timers: Timers;
  readonly turns: Pick<Turns, 'run' | 'pause'>;
  readonly onError: (service: string, error: unknown) => void;
}

export interface FollowedDocuments extends RemoteDocuments {
  stop(): void;
}

const stale: RemoteVersion = { resources: [], freshness: 'Stale' };

/** What is known of one server. */
interface Known {
  etag: string | undefined;
  /** Of its answers. */
  digest: string;
  bytes: number;
  hasFailed: boolean;
}

export function followRemoteDocuments(deps: RemoteDocumentsDeps): FollowedDocuments {
  const { services, timers, turns } = deps;
  const kept = createKept();
  let v2Generation = 0;
  const v2 = keepRemoteOpenApi(deps, () => (v2Generation += 1));
  const { look, stop } = asking(deps, kept, v2);
  let next: TimerHandle | undefined;
  let stopped = false;
  const repeat = (): void => {
    next = timers.after(documentLimits.refreshMs, () => {
      void lookAtAll().finally(() => stopped || repeat());
    });
  };
  const lookAtAll = async (): Promise<void> => {
    for await (const { backend } of paced(turns, [...services.remotes()])) look(backend);
  };
  /** Where each was the last time. */
  const places = new Map<string, Backend>();
  const changed = (name: string): void => {
    const service = services.find(name);
    const before = places.get(name);
    // Nothing of that server may be wanted any more.
    if (before !== undefined && before !== service?.backend) look(before);
    if (!isRemote(service)) {
      places.delete(name);
      return kept.forgetVersion(name);
    }
    places.set(name, service.backend);
    if (!service.isAvailable) kept.tell(name, stale);
    look(service.backend);
  };
  const forget = services.onChange(changed);
  for (const { name } of services.remotes()) changed(name);
  repeat();
  return {
    get generation() {
      return kept.generation;
    },
    discoveryOf: ({ name }) => kept.of(name) ?? stale,
    get openApiGeneration() {
      return kept.openApiGeneration;
    },
    openApiOf: ({ name }) => kept.urlOf(name),
    get openApiV2Generation() {
      return v2Generation;
    },
    openApiV2: () => v2.all(),
    stop() {
      stopped = true;
      stop();
      forget();
      next?.cancel();
    },
  };
}

type KeptDocuments = ReturnType<typeof createKept>;
type KeptOpenApi = ReturnType<typeof keepRemoteOpenApi>;

function createKept() {
  const versions = new Map<string, RemoteVersion>();
  const urls = new Map<string, string>();
  const servers = new Map<string, Known>();
  let generation = 0;
  let openApiGeneration = 0;
  let bytesSum = 0;
  const tellUrl = (name: string, url: string | undefined): void => {
    if (urls.get(name) === url) return;
    if (url === undefined) urls.delete(name);
    else urls.set(name, url);
    openApiGeneration += 1;
  };
  return {
    get generation() {
      return generation;
    },
    get isTooMuch() {
      return bytesSum > documentLimits.keptBytesMax;
    },
    of: (name: string) => versions.get(name),
    get openApiGeneration() {
      return openApiGeneration;
    },
    urlOf: (name: string) => urls.get(name),
    tellUrl,
    tell(name: string, version: RemoteVersion): void {
      if (versions.get(name) === version) return;
      versions.set(name, version);
      generation += 1;
    },
    forgetVersion(name: string): void {
      if (versions.delete(name)) generation += 1;
      tellUrl(name, undefined);
    },
    hasFailed: (id: string): boolean => servers.get(id)?.hasFailed === true,
    server(id: string): Known {
      const known = servers.get(id) ?? { ...nothing, hasFailed: false };
      servers.set(id, known);
      return known;
    },
    take(known: Known, { bytes, digest, etag }: Kept): void {
      bytesSum += bytes - known.bytes;
      Object.assign(known, { bytes, digest, etag });
    },
    forget(id: string): void {
      bytesSum -= servers.get(id)?.bytes ?? 0;
      servers.delete(id);
    },
  };
}

/** One question at a time to each server. */
function asking(deps: RemoteDocumentsDeps, kept: KeptDocuments, v2: KeptOpenApi) {
  const underWay = new Map<string, { again: boolean }>();
  const line = createLimiter(documentLimits.atOnceMax);
  const failingLine = createLimiter(documentLimits.failingAtOnceMax);
  let stopped = false;
  const resting = new Set<TimerHandle>();
  const rest = (then: () => void): void => {
    const handle = deps.timers.after(documentLimits.againMs, () => {
      resting.delete(handle);
      then();
    });
    resting.add(handle);
  };
  const look = (backend: Backend): void => {
    const id = idOf(backend);
    const running = underWay.get(id);
    if (running !== undefined) running.again = true;
    if (running !== undefined || stopped) return;
    const state = { again: false };
    underWay.set(id, state);
    const inLine = kept.hasFailed(id) ? failingLine : line;
    const end = (): void => {
      underWay.delete(id);
      if (state.again) look(backend);
    };
    void inLine(() => (stopped ? Promise.resolve() : ask(deps, kept, v2, backend))).finally(() => {
      if (state.again && !stopped) rest(end);
      else end();
    });
  };
  return {
    look,
    stop() {
      stopped = true;
      for (const each of resting) each.cancel();
    },
  };
}

/** Never rejects. */
async function ask(
  deps: RemoteDocumentsDeps,
  kept: KeptDocuments,
  v2: KeptOpenApi,
  backend: Backend,
): Promise<void> {
  const id = idOf(backend);
  const behind = servicesAt(deps.services, backend);
  for (const { name } of behind.filter((each) => !each.isAvailable)) kept.tell(name, stale);
  const asked = behind.filter((each) => each.isAvailable);
  if (asked.length === 0) {
    v2.forget(id);
    return kept.forget(id);
  }
  const known = kept.server(id);
  const isCurrent = asked.every(({ name }) => kept.of(name)?.freshness === 'Current');
  try {
    const read = await readServer(deps, asked, isCurrent ? known.etag : undefined);
    known.hasFailed = false;
    if (read !== 'same' && !(isCurrent && read.digest === known.digest)) {
      kept.take(known, read);
      if (kept.isTooMuch) throw new Error(tooMuch);
      for (const { name } of asked) kept.tell(name, read.versions.get(name) ?? stale);
    }
    await askIndex(deps, kept, asked);
    await askV2(deps, v2, asked, id);
  } catch (error) {
    kept.take(known, nothing);
    known.hasFailed = true;
    for (const { name } of asked) kept.tell(name, stale);
    deps.onError(id, error);
  }
}

type Kept = Pick<Known, 'bytes' | 'digest' | 'etag'>;

const nothing: Kept = { etag: undefined, digest: '', bytes: 0 };

const tooMuch = 'what servers say of their versions is too long together';

function idOf({ name, namespace, port }: Backend): string {
  return `${namespace}/${name}:${port}`;
}

/** Where documents of OpenAPI 3 are. A server that has none says 404. */
async function askIndex(
  deps: RemoteDocumentsDeps,
  kept: KeptDocuments,
  asked: readonly RemoteService[],
): Promise<void> {
  const [{ backend }] = asked as [RemoteService];
  const path = '/openapi/v3';
  const headers = { Accept: 'application/json' };
  const call = { ...callOf(path), user: openApiUser, headers };
  const answer = await deps.backends.call(backend, call);
  if (answer.status !== 200 && answer.status !== 404) {
    throw new Error(`${path}: answered with status ${answer.status}`);
  }
  const isThere = answer.status === 200;
  const paths = isThere ? part(await objectOf(deps, answer.body), 'paths') : {};
  for (const service of asked) {
    const url = text(part(paths, pathOf(service).slice(1)), 'serverRelativeURL');
    const isOwn = url.startsWith(`${path}${pathOf(service)}`) && url.length <= urlCharsMax;
    kept.tellUrl(service.name, isOwn ? url : undefined);
  }
}

/** A document that cannot be had makes nothing stale. */
async function askV2(
  { onError }: RemoteDocumentsDeps,
  v2: KeptOpenApi,
  asked: readonly RemoteService[],
  id: string,
): Promise<void> {
  try {
    await v2.look(id, asked);
  } catch (error) {
    onError(id, error);
  }
}

const urlCharsMax = 1024;

function servicesAt(services: ApiServices, backend: Backend): readonly RemoteService[] {
  const found = [...services.behind(backend.namespace, backend.name)].map((name) =>
    services.find(name),
  );
  return found.filter(isRemote).filter((each) => each.backend.port === backend.port);
}

interface ReadServer extends Kept {
  /** By the name of the APIService. */
  readonly versions: ReadonlyMap<string, RemoteVersion>;
}

/** `etag`: of what is known, which may be the same. @throws Error. */
async function readServer(
  deps: RemoteDocumentsDeps,
  asked: readonly RemoteService[],
  etag: string | undefined,
): Promise<ReadServer | 'same'> {
  const { backends, identity } = deps;
  const [{ backend }] = asked as [RemoteService];
  const form = (version: string): string =>
    `application/json;g=${identity.groups.discovery};v=${version};as=APIGroupDiscoveryList`;
  const answer = await backends.call(backend, {
    ...callOf('/apis'),
    headers: {
      Accept: `${form('v2')},${form('v2beta1')}`,
      ...(etag === undefined ? {} : { 'If-None-Match': etag }),
    },
  });
  if (answer.status === 304 && etag !== undefined) return 'same';
  if (answer.status === 503) throw new Error('/apis: answered with status 503');
  if (answer.status !== 200 || !isAggregated(answer.headers)) return readLists(deps, asked);
  const wanted = new Set(asked.map(({ group, version }) => `${group}/${version}`));
  const document = await objectOf(deps, answer.body);
  const found = await runToEnd(
    deps.turns,
    readGroups(document, (name) => wanted.has(name)),
  );
  const versions = asked.map(({ group, name, version }): [string, RemoteVersion] => {
    const resources = found.get(`${group}/${version}`) ?? [];
    return [name, { resources, freshness: 'Current' }];
  });
  const bytes = answer.body.byteLength;
  const digest = createHash('sha256').update(answer.body).digest('hex');
  return { etag: answer.headers.etag, digest, bytes, versions: new Map(versions) };
}

/** One after the other. One that cannot be read makes no other stale. */
async function readLists(
  deps: RemoteDocumentsDeps,
  asked: readonly RemoteService[],
): Promise<ReadServer> {
  const versions = new Map<string, RemoteVersion>();
  const hash = createHash('sha256');
  let bytes = 0;
  let failure: unknown;
  for (const service of asked) {
    const path = pathOf(service);
    try {
      const headers = { Accept: 'application/json' };
      const answer = await deps.backends.call(service.backend, { ...callOf(path), headers });
      if (answer.status !== 200) throw new Error(`${path}: answered with status ${answer.status}`);
      const document = await objectOf(deps, answer.body);
      const resources = await runToEnd(deps.turns, readResources(document));
      bytes += answer.body.byteLength;
      hash.update(answer.body);
      versions.set(service.name, { resources, freshness: 'Current' });
    } catch (error) {
      failure = error;
    }
  }
  if (versions.size === 0) throw failure;
  return { etag: undefined, digest: hash.digest('hex'), bytes, versions };
}

function callOf(path: string): Omit<BackendCall, 'headers'> {
  const { answerBytesMax, timeoutMs } = documentLimits;
  return { path, user: aggregatorUser, timeoutMs, answerBytesMax };
}

function isAggregated(headers: IncomingHttpHeaders): boolean {
  return headers['content-type']?.includes('as=APIGroupDiscoveryList') ?? false;
}

async function objectOf(
  { turns }: Pick<RemoteDocumentsDeps, 'turns'>,
  body: Uint8Array,
): Promise<JsonObject> {
  const decoded = await runToEnd(turns, jsonSteps(body));
  if (decoded.kind === 'refused') throw new Error(`its answer: ${decoded.error.message}`);
  if (!isJsonObject(decoded.value)) throw new Error('its answer is not a JSON object');
  return decoded.value;
}
