/** The quotas that a server knows, by what they bound, and the epochs of namespaces: followed from
 * events that are made here. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  followQuotas,
  quotaNamesPerWriteMax,
  quotasPerWriteMax,
  readAtOnceMax,
} from '../../../src/admission/quota/known-quotas.ts';
import type { KnownQuotas } from '../../../src/admission/quota/known-quotas.ts';
import { encodeObject } from '../../../src/apimachinery/object-encoding.ts';
import type { GroupResource } from '../../../src/apimachinery/schema.ts';
import type { Step } from '../../../src/stdx/turns.ts';
import { revisionZero } from '../../../src/storage/storage.ts';
import type { ResourceEvent, Entry, Streams } from '../../../streams/streams.ts';

function quotaEntry(name: string, uid: string, ...bounds: readonly string[]): Entry {
  const hard = Object.fromEntries(bounds.map((bound) => [bound, '1']));
  const { bytes } = encodeObject({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name, namespace: 'n', uid },
    spec: { hard },
  });
  return { namespace: 'n', name, revision: revisionZero, labels: {}, fields: {}, bytes };
}

function epochEntry(name: string, word: string): Entry {
  const bytes = new Uint8Array();
  return { namespace: '', name, revision: revisionZero, labels: { word }, fields: {}, bytes };
}

function following() {
  const handlers = new Map<string, (event: ResourceEvent) => void>();
  const streams = {
    resourceEvents: ({ resource }: GroupResource) => resource,
    followers: {
      follow(_name: string, resource: string, handle: (event: ResourceEvent) => void) {
        handlers.set(resource, handle);
      },
    },
  };
  const marked: string[] = [];
  const steps: Step[] = [];
  const turns = { run: (step: Step) => void steps.push(step) };
  const known = followQuotas(
    streams as unknown as Streams,
    turns,
    () => undefined,
    (ns) => marked.push(ns),
  );
  /** What waits for its turn. */
  const lookInto = (): void => {
    for (const step of steps.splice(0)) while (step(() => true));
  };
  const send = (resource: string, event: object): void =>
    handlers.get(resource)?.({ resource, ...event } as unknown as ResourceEvent);
  const reset = (resource: string, ...entries: readonly Entry[]): void =>
    send(resource, { type: 'RESET', snapshot: { entries: () => entries } });
  const boundBy = (...names: readonly string[]) => shownAs(known.bounding('n', names));
  return { known, lookInto, marked, send, reset, boundBy };
}

function shownAs(found: ReturnType<KnownQuotas['bounding']>): readonly string[] | string {
  return typeof found === 'string' ? found : found.map(({ name, uid }) => `${name} ${uid}`);
}

describe('known quotas', () => {
  it('are found before they have been looked into, and what has changed since is not undone', () => {
    const { boundBy, known, lookInto, reset, send } = following();
    const old = ['a', 'b', 'c'].map((name) => quotaEntry(name, '1', 'cpu'));
    reset('resourcequotas', ...old);
    assert.equal(known.isFree('n'), false);
    send('resourcequotas', { type: 'MODIFIED', entry: quotaEntry('a', '1', 'memory') });
    send('resourcequotas', { type: 'DELETED', entry: quotaEntry('b', '1', 'cpu') });
    lookInto();
    assert.deepEqual([boundBy('cpu'), boundBy('memory')], [['c 1'], ['a 1']]);
    reset('resourcequotas', ...old);
    reset('resourcequotas', quotaEntry('d', '1', 'cpu'));
    lookInto();
    assert.deepEqual(boundBy('cpu'), ['d 1']);
    reset('resourcequotas', quotaEntry('e', '1', 'cpu'));
    send('resourcequotas', { type: 'DELETED', entry: quotaEntry('e', '1', 'cpu') });
    assert.equal(known.isFree('n'), true);
  });

  it('are those that bound what a write takes, each once, by name', () => {
    const { boundBy, known, reset, send } = following();
    reset('resourcequotas', quotaEntry('b', '1', 'pods', 'cpu'), quotaEntry('a', '2', 'cpu'));
    assert.deepEqual(boundBy('cpu', 'pods'), ['a 2', 'b 1']);
    assert.deepEqual(boundBy('memory'), []);
    assert.deepEqual(known.bounding('other', ['cpu']), []);
    assert.equal(known.isFree('n'), false);
    assert.equal(known.isFree('other'), true);
    send('resourcequotas', { type: 'MODIFIED', entry: quotaEntry('b', '1', 'memory') });
    assert.deepEqual(boundBy('cpu', 'pods'), ['a 2']);
    assert.deepEqual(boundBy('memory'), ['b 1']);
    send('resourcequotas', { type: 'ADDED', entry: quotaEntry('a', '3', 'cpu') });
    assert.deepEqual(boundBy('cpu'), ['a 3']);
    send('resourcequotas', { type: 'DELETED', entry: quotaEntry('a', '3', 'cpu') });
    send('resourcequotas', { type: 'DELETED', entry: quotaEntry('b', '1', 'memory') });
    assert.equal(known.isFree('n'), true);
  });

  it('have the selectors of their scopes, each once, until the last quota with it has gone', () => {
    const { known, reset, send } = following();
    const scoped = (name: string, values: readonly string[], ...scopes: string[]): Entry => {
      const matchExpressions = [{ scopeName: 'PriorityClass', operator: 'In', values }];
      const { bytes } = encodeObject({
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name, namespace: 'n', uid: '1' },
        spec: { hard: { pods: '1' }, scopes, scopeSelector: { matchExpressions } },
      });
      return { ...quotaEntry(name, '1'), bytes };
    };
    const selectors = (scope: string) =>
      [...known.selectors('n', scope)].map(({ operator, values }) => ({ operator, values }));
    reset('resourcequotas', scoped('a', ['x'], 'Terminating'), scoped('b', ['x']));
    known.bounding('n', []);
    assert.deepEqual(selectors('PriorityClass'), [{ operator: 'In', values: ['x'] }]);
    assert.deepEqual(selectors('Terminating'), [{ operator: 'Exists', values: undefined }]);
    assert.deepEqual(selectors('BestEffort'), []);
    send('resourcequotas', { type: 'MODIFIED', entry: scoped('a', ['y']) });
    assert.deepEqual(selectors('Terminating'), []);
    assert.deepEqual(
      selectors('PriorityClass').map(({ values }) => values),
      [['x'], ['y']],
    );
    send('resourcequotas', { type: 'DELETED', entry: scoped('b', ['x']) });
    send('resourcequotas', { type: 'DELETED', entry: scoped('a', ['y']) });
    assert.deepEqual(selectors('PriorityClass'), []);
  });

  it('are too many where a transaction would have to write them all', () => {
    const { boundBy, reset } = following();
    const many = Array.from({ length: quotasPerWriteMax + 1 }, (_, at) =>
      quotaEntry(`q${at}`, 'u', 'pods'),
    );
    reset('resourcequotas', ...many.slice(1));
    assert.equal(boundBy('pods')?.length, quotasPerWriteMax);
    reset('resourcequotas', ...many);
    assert.equal(boundBy('pods'), 'too many');
    assert.deepEqual(boundBy('cpu'), []);
  });

  it('are too many where several have more names than a turn reads and writes', () => {
    const { boundBy, reset } = following();
    const named = (name: string, count: number): Entry =>
      quotaEntry(name, 'u', 'pods', ...Array.from({ length: count - 1 }, (_, at) => `count/${at}`));
    reset('resourcequotas', named('a', quotaNamesPerWriteMax + 1));
    assert.deepEqual(boundBy('pods'), ['a u'], 'one alone is always charged');
    reset('resourcequotas', named('a', quotaNamesPerWriteMax - 10), named('b', 10));
    assert.deepEqual(boundBy('pods', 'count/0'), ['a u', 'b u'], 'each is counted once');
    reset('resourcequotas', named('a', quotaNamesPerWriteMax - 10), named('b', 11));
    assert.equal(boundBy('pods'), 'too many');
  });

  it('are waited for where many of a namespace are new, but not where they cannot be read', async () => {
    const { boundBy, known, lookInto, reset } = following();
    const many = Array.from({ length: readAtOnceMax + 1 }, (_, at) =>
      quotaEntry(`q${at}`, 'u', at === 7 ? 'cpu' : `count/things${at}.x`),
    );
    reset('resourcequotas', ...many);
    assert.equal(boundBy('cpu'), 'unread');
    const waiting = known.whenRead();
    lookInto();
    await waiting;
    assert.deepEqual(boundBy('cpu'), ['q7 u']);
    const broken = many.map((entry) => ({ ...entry, bytes: Buffer.from('{') }));
    reset('resourcequotas', ...broken);
    assert.equal(boundBy('cpu'), 'unread');
    lookInto();
    await known.whenRead();
    assert.throws(() => boundBy('cpu'));
  });

  it('are forgotten, and every epoch is another one, when following begins anew', () => {
    const { boundBy, known, marked, reset, send } = following();
    reset('resourcequotas', quotaEntry('a', '1', 'pods'));
    reset('quotaepochs', epochEntry('n', 'first'));
    assert.deepEqual(marked.splice(0), ['n']);
    send('quotaepochs', { type: 'MODIFIED', entry: epochEntry('n', 'second') });
    assert.deepEqual(marked.splice(0), ['n']);
    assert.equal(known.epoch('n'), 'second');
    reset('resourcequotas');
    reset('quotaepochs', epochEntry('m', 'third'));
    assert.deepEqual(boundBy('pods'), []);
    assert.deepEqual(new Set(marked.splice(0)), new Set(['n', 'm']));
    assert.equal(known.epoch('n'), undefined);
    assert.equal(known.epoch('m'), 'third');
    send('quotaepochs', { type: 'DELETED', entry: epochEntry('m', 'third') });
    assert.equal(known.epoch('m'), undefined);
    assert.deepEqual(marked, ['m']);
  });
});
