/**
 * What the tests of streams/ share: a clock that stands still until told, sinks that stall on
 * demand, a client that replays what it receives, and a model that knows what it should have
 * received.
 */
import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { encodeObject } from '../../src/apimachinery/object-encoding.ts';
import { plainRecords } from '../../src/storage/encrypted-records.ts';
import { streamPorts } from '../../src/server/compose/stream-ports.ts';
import { seededPrng } from '../../src/stdx/prng.ts';
import { storeKey } from '../../src/storage/keys.ts';
import { createMemoryStorage } from '../../src/storage/memory/memory-storage.ts';
import { encodeRecord } from '../../src/storage/record-codec.ts';
import { revisionZero } from '../../src/storage/storage.ts';
import type { Mutation, Revision, Storage, StoreKey } from '../../src/storage/storage.ts';
import { createStreams } from '../../streams/watch-cache.ts';
import type { StreamsDeps } from '../../streams/watch-cache.ts';
import { defaultStreamLimits } from '../../streams/limits.ts';
import type { StreamLimits } from '../../streams/limits.ts';
import { jsonEvents } from '../support/data/json-events.ts';
import { manualTime } from '../support/doubles/manual-time.ts';
import type { ManualTime } from '../support/doubles/manual-time.ts';
import type {
  Entry,
  EventEncoder,
  EventType,
  Predicate,
  Streams,
  WatchRequest,
  WatchSink,
} from '../../streams/streams.ts';

export const pods = { group: '', resource: 'pods' };
export const services = { group: '', resource: 'services' };
export const encoder: EventEncoder = jsonEvents({
  apiVersion: 'v1',
  kind: 'Pod',
  domain: 'svc.io',
});
export const everything: Predicate = {
  id: '',
  matches: () => true,
  pins: new Map(),
  labelPins: new Map(),
};

export function fieldIs(field: string, value: string): Predicate {
  const read = (entry: Entry): string =>
    field === 'metadata.name'
      ? entry.name
      : field === 'metadata.namespace'
        ? entry.namespace
        : (entry.fields[field] ?? '');
  return {
    id: `${field}=${value}`,
    matches: (entry) => read(entry) === value,
    pins: new Map([[field, value]]),
    labelPins: new Map(),
  };
}

export function labelIs(label: string, value: string): Predicate {
  return {
    id: `label ${label}=${value}`,
    matches: (entry) => entry.labels[label] === value,
    pins: new Map(),
    labelPins: new Map([[label, value]]),
  };
}

export interface World {
  readonly storage: Storage;
  readonly streams: Streams;
  readonly time: ManualTime;
  readonly model: Model;
  readonly fatal: unknown[];
  put(object: TestObject): Promise<Revision>;
  remove(namespace: string, name: string, resource?: typeof pods): Promise<Revision | undefined>;
  /** Waits until everything written has been applied and delivered. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

export interface TestObject {
  readonly namespace: string;
  readonly name: string;
  readonly labels?: Record<string, string>;
  readonly node?: string;
  readonly payload?: string;
  readonly resource?: typeof pods;
}

export interface WorldOptions {
  readonly limits?: Partial<StreamLimits>;
  readonly storage?: Storage;
  readonly model?: Model;
  readonly seed?: number;
  readonly deps?: Partial<StreamsDeps>;
}

export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const time = manualTime();
  const storage = options.storage ?? createMemoryStorage({ clock: time.clock, revisionStep: 3n });
  const model = options.model ?? new Model();
  const fatal: unknown[] = [];
  const streams = createStreams({
    ...streamPorts(plainRecords),
    storage,
    clock: time.clock,
    timers: time.timers,
    prng: seededPrng(options.seed ?? 1),
    limits: { ...defaultStreamLimits, ...options.limits },
    onFollowerFailure: ({ error }) => {
      throw error;
    },
    onFatal: (error) => fatal.push(error),
    ...options.deps,
  });
  await streams.start();
  const commit = async (mutation: Mutation): Promise<Revision> => {
    const [outcome] = await storage.commit([mutation]);
    assert.equal(outcome?.kind, 'applied');
    return (outcome as { revision: Revision }).revision;
  };
  return {
    storage,
    streams,
    time,
    model,
    fatal,
    async put(object) {
      const { namespace, name } = object;
      const key = storeKey({ ...(object.resource ?? pods), namespace, name });
      const expect = expectation(await storage.read(key));
      const revision = await commit(podMutation(object, expect));
      if (object.resource === undefined) model.put(revision, object);
      return revision;
    },
    async remove(namespace, name, resource = pods) {
      const key = storeKey({ ...resource, namespace, name });
      const expect = expectation(await storage.read(key));
      if (expect.kind === 'absent') return undefined;
      const operation = { kind: 'delete' as const };
      const revision = await commit({ key, expect, conditions: [], operation });
      if (resource === pods) model.remove(revision, namespace, name);
      return revision;
    },
    async settle() {
      await streams.waitUntilCurrent();
      await turns(12);
    },
    stop: () => streams.stop(),
  };
}

/** An encoder whose large frames need some questions, each; it says no as long as `takesMore`. What
 * it found ready is so for the frame that comes next, and for no other. */
export function encoderInParts(
  largeEntryBytes: number,
  takesMore: () => boolean,
): EventEncoder & { readonly asked: () => number } {
  let ready = '';
  let asked = 0;
  const nameOf = (type: EventType, entry: Entry): string =>
    `${type === 'DELETED'} ${entry.namespace}/${entry.name} ${entry.revision}`;
  const check = (type: EventType, entry: Entry): void => {
    const isFound = entry.bytes.length <= largeEntryBytes || ready === nameOf(type, entry);
    assert.ok(isFound, 'the frame of a large entry is made when it is ready');
  };
  return {
    ...encoder,
    id: 'in parts',
    asked: () => asked,
    isReady(type, entry) {
      assert.ok(entry.bytes.length > largeEntryBytes, 'only large entries are asked about');
      asked += 1;
      if (takesMore()) return false;
      ready = nameOf(type, entry);
      return true;
    },
    event(type, entry) {
      check(type, entry);
      return encoder.event(type, entry);
    },
    eventInto(type, entry, target, at) {
      check(type, entry);
      return encoder.eventInto?.(type, entry, target, at) ?? 0;
    },
  };
}

/** p0, p1, ... in one namespace. */
export async function putMany(world: World, count: number, payload = 'x'): Promise<Revision[]> {
  const revisions: Revision[] = [];
  for (let i = 0; i < count; i += 1) {
    revisions.push(await world.put({ namespace: 'ns', name: `p${i}`, payload }));
  }
  return revisions;
}

export async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await nextTurn();
}

/** Puts the object, of pods where it does not say of what. */
export function podMutation<E>(
  object: TestObject,
  expect: E,
): Omit<Mutation, 'expect'> & { readonly expect: E } {
  const { namespace, name, resource = pods } = object;
  const key = storeKey({ ...resource, namespace, name });
  const operation = { kind: 'put', state: 'live', value: recordValue(object, key) } as const;
  return { key, expect, conditions: [], operation };
}

export function expectation(read: Awaited<ReturnType<Storage['read']>>): Mutation['expect'] {
  assert.equal(read.kind, 'ok');
  return read.kind === 'ok' && read.value !== undefined
    ? { kind: 'revision', revision: read.value.revision }
    : { kind: 'absent' };
}

function recordValue(object: TestObject, key: StoreKey): Uint8Array {
  const { namespace, name, labels = {}, node = '', payload = '' } = object;
  const { bytes, metadataAt } = encodeObject({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, uid: `${namespace}/${name}`, labels },
    spec: { nodeName: node, payload },
  });
  const fields = { 'spec.nodeName': node };
  const record = { uid: `${namespace}/${name}`, labels, fields, metadataAt, object: bytes };
  return encodeRecord(record, { key, state: 'live' });
}

/** What happened to pods, and so what every watch has to see. */
export class Model {
  readonly changes: { revision: Revision; key: string; now: Entry | undefined }[] = [];

  put(revision: Revision, object: TestObject): void {
    const { namespace, name, labels = {}, node = '', payload = '' } = object;
    const fields = { 'spec.nodeName': node };
    const bytes = Buffer.from(payload);
    const now = { namespace, name, revision, labels, fields, bytes };
    this.changes.push({ revision, key: `${namespace}/${name}`, now });
  }

  remove(revision: Revision, namespace: string, name: string): void {
    this.changes.push({ revision, key: `${namespace}/${name}`, now: undefined });
  }

  stateAt(revision: Revision): Map<string, Entry> {
    const state = new Map<string, Entry>();
    for (const change of this.changes) {
      if (change.revision > revision) break;
      if (change.now === undefined) state.delete(change.key);
      else state.set(change.key, change.now);
    }
    return state;
  }

  /** One line per event: revision, type, key and payload. */
  eventsAfter(
    revision: Revision,
    request: Pick<WatchRequest, 'namespace' | 'predicate'>,
  ): string[] {
    const state = this.stateAt(revision);
    const lines: string[] = [];
    const selects = (entry: Entry | undefined): entry is Entry =>
      entry !== undefined &&
      (request.namespace === undefined || request.namespace === entry.namespace) &&
      request.predicate.matches(entry);
    for (const { revision: at, key, now } of this.changes) {
      if (at <= revision) continue;
      const before = state.get(key);
      if (now === undefined) state.delete(key);
      else state.set(key, now);
      if (selects(now)) lines.push(line(at, selects(before) ? 'MODIFIED' : 'ADDED', now));
      else if (selects(before)) lines.push(line(at, 'DELETED', before));
    }
    return lines;
  }
}

function line(revision: Revision, type: EventType, entry: Entry): string {
  const payload = Buffer.from(entry.bytes).toString();
  return `${revision} ${type} ${entry.namespace}/${entry.name} ${payload}`;
}

interface ReceivedObject {
  readonly metadata: {
    readonly name?: string;
    readonly namespace?: string;
    readonly resourceVersion?: string;
    readonly annotations?: Record<string, string>;
  };
  readonly spec?: { readonly payload: string };
  readonly code?: number;
  readonly message?: string;
}

/** A sink that checks how it is used, and a client that replays what it gets. */
export class TestSink implements WatchSink {
  closed = false;
  settlesLater = false;
  ended = false;
  blocked = false;
  writes = 0;
  bytes = 0;
  /** Whether the next write is to be answered with false. */
  stall: () => boolean;
  readonly frames: string[] = [];
  /** Kept, not thrown: a watch survives a sink that throws. */
  readonly #wrong: string[] = [];
  #rest = '';
  #drain: (() => void) | undefined;

  constructor(stall: () => boolean = () => false) {
    this.stall = stall;
  }

  write(chunk: Uint8Array): boolean {
    if (this.ended) this.#wrong.push('it was written to after the end');
    if (this.blocked) this.#wrong.push('it was written to before the drain');
    if (chunk.length === 0) this.#wrong.push('an empty write');
    this.writes += 1;
    this.bytes += chunk.length;
    const lines = (this.#rest + Buffer.from(chunk).toString()).split('\n');
    this.#rest = lines.pop() as string;
    this.frames.push(...lines);
    this.blocked = this.stall();
    return !this.blocked;
  }

  onDrain(callback: () => void): void {
    this.#drain = callback;
  }

  drain(): void {
    if (!this.blocked) return;
    this.blocked = false;
    const callback = this.#drain;
    this.#drain = undefined;
    assert.ok(callback, 'a blocked sink has somebody to tell');
    callback();
  }

  end(): void {
    if (this.ended) this.#wrong.push('it was ended twice');
    this.ended = true;
  }

  /** `marked`: the stream began with initial events, which the mark ends. */
  replay(marked = false): Replay {
    assert.deepEqual(this.#wrong, []);
    assert.equal(this.#rest, '', 'frames are whole');
    return replay(this.frames, marked);
  }
}

export interface Replay {
  /** Events behind the initial ones, as in Model.eventsAfter. */
  readonly events: string[];
  /** Key to payload, after the last event. */
  readonly state: Map<string, string>;
  readonly initial: string[];
  /** Revision of the initial-events-end bookmark. */
  readonly marked: Revision | undefined;
  readonly bookmarks: Revision[];
  /** Revision of the newest event or bookmark. */
  readonly last: Revision;
  readonly errors: ReceivedObject[];
}

function replay(frames: readonly string[], marked: boolean): Replay {
  const parsed = frames.map((text) => JSON.parse(text) as { type: string; object: ReceivedObject });
  const isMark = ({ object }: { object: ReceivedObject }): boolean =>
    object.metadata.annotations !== undefined;
  const markAt = parsed.findIndex((frame) => frame.type === 'BOOKMARK' && isMark(frame));
  const result = {
    events: [] as string[],
    state: new Map<string, string>(),
    initial: [] as string[],
    marked: undefined as Revision | undefined,
    bookmarks: [] as Revision[],
    last: revisionZero,
    errors: [] as ReceivedObject[],
  };
  for (const [at, { type, object }] of parsed.entries()) {
    const { name, namespace, resourceVersion } = object.metadata;
    const key = `${namespace}/${name}`;
    const payload = object.spec?.payload ?? '';
    if (type === 'ERROR') {
      result.errors.push(object);
      continue;
    }
    const revision = BigInt(resourceVersion as string) as Revision;
    if (type === 'BOOKMARK') {
      assert.ok(revision >= result.last, 'a bookmark is not older than an event before it');
      if (at === markAt) result.marked = revision;
      else result.bookmarks.push(revision);
      result.last = revision;
      continue;
    }
    if (marked && (at < markAt || markAt < 0)) {
      assert.equal(type, 'ADDED', 'initial events are ADDED');
      assert.ok(!result.state.has(key), 'initial events show each object once');
      result.initial.push(key);
    } else {
      assert.ok(revision > result.last, 'events come in revision order, above what was bookmarked');
      result.last = revision;
      result.events.push(`${revision} ${type} ${key} ${payload}`);
    }
    if (type === 'DELETED') result.state.delete(key);
    else result.state.set(key, payload);
  }
  return result;
}

export function watchRequest(request: Partial<WatchRequest> = {}): WatchRequest {
  return {
    resource: pods,
    namespace: undefined,
    predicate: everything,
    start: { kind: 'now' },
    bookmarks: false,
    timeoutMs: 3_600_000,
    encoder,
    ...request,
  };
}
