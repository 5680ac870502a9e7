/**
 * What admission is told of a request, and what it tells: operations, options, dry runs, the second
 * pass, warnings and audit annotations, deadlines.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { AdmissionPlugin, Review, AdmissionRecorder } from '../../src/admission/admission.ts';
import type { AuditAnnotation } from '../../src/apimachinery/admission-data.ts';
import type { KindInfo } from '../../src/apimachinery/scheme.ts';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { applyObject } from '../../src/registry/apply.ts';
import { createObject } from '../../src/registry/create.ts';
import { deleteEntries } from '../../src/registry/delete-collection.ts';
import { deleteObject } from '../../src/registry/delete.ts';
import { patchObject } from '../../src/registry/patch.ts';
import { admitPosted } from '../../src/registry/posted-object.ts';
import type { RegistryDeps } from '../../src/registry/registry.ts';
import { updateScale } from '../../src/registry/scale.ts';
import { updateObject } from '../../src/registry/update.ts';
import { operations } from '../../src/registry/write-guard.ts';
import { userNamed } from '../support/data/access-attributes.ts';
import { guardedRegistry } from '../support/servers/guarded-registry.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';

const user = userNamed('ann');

/** Operation, phase, name, dry run, which objects there are, and the options. */
type Seen = readonly [string, string, string, boolean, string, JsonObject | undefined];

describe('admission of a request', () => {
  let server: TestServer;
  let registry: RegistryDeps;
  let kind: KindInfo;
  let meta = '';
  let plugins: AdmissionPlugin[] = [];
  const seen: Seen[] = [];

  const objectsOf = ({ current, next }: Review): string =>
    [...(next === undefined ? [] : ['next']), ...(current === undefined ? [] : ['current'])].join();
  const note = (phase: string, review: Review): void => {
    const { dryRun, name, operation, options } = review;
    seen.push([phase, operation, name, dryRun, objectsOf(review), options]);
  };
  const looking: AdmissionPlugin = {
    name: 'Looking',
    concerns: () => true,
    admits: ['CREATE', 'UPDATE', 'CONNECT'],
    admit(proposed) {
      note('admit', proposed);
      return proposed.next;
    },
    admitDeletion: (review) => void note('admit', review),
    validate: (review) => void note('validate', review),
  };

  before(async () => {
    server = await startTestServer();
    registry = guardedRegistry(server, () => plugins);
    kind = registry.scheme.findResource('', 'v1', 'configmaps') as KindInfo;
    meta = `${registry.identity.groups.meta}/v1`;
  });
  after(() => server.remove());
  beforeEach(() => {
    seen.length = 0;
    plugins = [looking];
  });

  const target = (name: string) => ({ kind, namespace: 'default', name });
  const map = (name: string, data: JsonObject = {}): ApiObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    data,
  });
  const requestOf = (query: readonly (readonly [string, string])[] = [], auditsBody = false) => ({
    query: new Map(query.map(([name, value]) => [name, [value]])),
    warnings: [] as string[],
    auditAnnotations: new Map<string, string>(),
    auditsBody,
    startMs: 0,
    receivedMs: 0,
  });
  const optionsOf = (name: string, members: JsonObject = {}): JsonObject => ({
    kind: name,
    apiVersion: meta,
    ...members,
  });
  const bothPhases = (
    operation: string,
    name: string,
    dryRun: boolean,
    objects: string,
    options: JsonObject | undefined,
  ): Seen[] =>
    ['admit', 'validate'].map((phase) => [phase, operation, name, dryRun, objects, options]);

  it('has the operation, the objects, the dry run and the options as they were given', async () => {
    const request = requestOf([
      ['fieldManager', 'tool'],
      ['fieldValidation', 'Strict'],
    ]);
    const given = { fieldManager: 'tool', fieldValidation: 'Strict' };
    const how = { dryRun: false, user, manager: 'tool', request };
    const dry = { ...how, dryRun: true };
    await createObject(registry, target('x'), map('x'), how);
    assert.deepEqual(
      seen.splice(0),
      bothPhases('CREATE', 'x', false, 'next', optionsOf('CreateOptions', given)),
    );
    await updateObject(registry, target('x'), map('x', { a: '1' }), undefined, dry);
    const dryGiven = { dryRun: ['All'], ...given };
    const updates = bothPhases(
      'UPDATE',
      'x',
      true,
      'next,current',
      optionsOf('UpdateOptions', dryGiven),
    );
    assert.deepEqual(seen.splice(0), updates);
    const patch = { kind: 'merge', patch: { data: { a: '1' } } } as const;
    const reading = { fieldValidation: 'Strict', noticed: [] } as const;
    await patchObject(registry, target('x'), patch, undefined, { ...dry, ...reading });
    assert.deepEqual(seen.splice(0), updates, 'a patch is an update');
    const forced = { ...dry, force: true };
    await applyObject(registry, target('x'), map('x', { a: '1' }), undefined, forced);
    assert.deepEqual(seen.splice(0), updates, 'so is an apply');
    await applyObject(registry, target('new'), map('new'), undefined, { ...how, force: false });
    assert.deepEqual(
      seen.splice(0),
      bothPhases('CREATE', 'new', false, 'next', optionsOf('CreateOptions', given)),
      'unless it makes the object',
    );
  });

  it('of a deletion has the object as it was, once for each object of a collection', async () => {
    for (const name of ['d1', 'd2']) {
      await createObject(registry, target(name), map(name), { dryRun: false });
    }
    const request = requestOf();
    const deletion = { dryRun: false, gracePeriodSeconds: 3, whom: { user, request } };
    const entries = ['d1', 'd2'].map((name) => ({ namespace: 'default', name }));
    const deleted = await deleteEntries(
      registry,
      { kind, namespace: 'default' },
      entries,
      deletion,
    );
    assert.deepEqual(deleted, { kind: 'ok', value: 2 });
    const options = optionsOf('DeleteOptions', { gracePeriodSeconds: 3 });
    const expected = ['d1', 'd2'].flatMap((name) =>
      bothPhases('DELETE', name, false, 'current', options),
    );
    const inOrder = (rows: readonly Seen[]): Seen[] =>
      [...rows].sort(([a, , x], [b, , y]) => `${x}${a}`.localeCompare(`${y}${b}`));
    assert.deepEqual(inOrder(seen), inOrder(expected));
  });

  it('of a subresource has the kind that was sent, and of a connection no options', async () => {
    const bodies: unknown[] = [];
    plugins = [
      {
        name: 'Kinds',
        concerns: () => true,
        validate({ bodyKind, kind: of, operation, options, subresource }) {
          bodies.push([of.resource, subresource, bodyKind.kind, operation, options?.['kind']]);
          return undefined;
        },
      },
    ];
    const sets = registry.scheme.findResource('apps', 'v1', 'replicasets') as KindInfo;
    const pods = registry.scheme.findResource('', 'v1', 'pods') as KindInfo;
    const scaled = { kind: sets, namespace: 'default', name: 'rs' };
    const selector = { matchLabels: { a: 'b' } };
    const container = { name: 'c', image: 'i' };
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } };
    const set: ApiObject = {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'rs' },
      spec: { replicas: 1, selector, template },
    };
    const how = { dryRun: false, user, manager: 'tool', request: requestOf() };
    await createObject(registry, scaled, set, { dryRun: false });
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'rs' } };
    await updateScale(registry, scaled, { ...scale, spec: { replicas: 2 } }, how);
    const posted = { apiVersion: 'v1', kind: 'PodExecOptions', metadata: {} };
    const write = { kind: pods, namespace: 'default', name: 'p', subresource: 'exec' };
    await admitPosted(registry, write, operations.connect, posted, how);
    assert.deepEqual(bodies, [
      ['replicasets', 'scale', 'Scale', 'UPDATE', 'UpdateOptions'],
      ['pods', 'exec', 'PodExecOptions', 'CONNECT', undefined],
    ]);
  });

  it('goes through all plugins once more when one asks for it, and no third time', async () => {
    const rounds: string[] = [];
    const adding = (name: string): AdmissionPlugin => ({
      name,
      concerns: () => true,
      admits: ['CREATE'],
      admit({ next }, { askAgain, notes, round }) {
        rounds.push(`${name}${round}${String(notes.get('before') ?? '')}`);
        notes.set('before', `(${name} was here)`);
        askAgain();
        const data = next['data'] as JsonObject;
        return { ...next, data: { ...data, [`${name}${round}`]: 'x' } };
      },
    });
    plugins = [adding('a'), adding('b')];
    const how = { dryRun: false, user, request: requestOf() };
    const made = await createObject(registry, target('twice'), map('twice'), how);
    assert.equal(made.kind, 'ok');
    assert.deepEqual(rounds, ['a0', 'b0', 'a1(a was here)', 'b1(b was here)']);
  });

  describe('what a plugin tells', () => {
    const telling = (refusal?: string): AdmissionPlugin => {
      const tell = (phase: string, { operation }: Review, recorder: AdmissionRecorder): void => {
        recorder.warn(`${phase} of ${operation}`);
        recorder.warn('said twice');
        recorder.annotate(`${phase}.example.com/op`, operation);
        recorder.annotate(`${phase}.example.com/body`, operation, 'Request');
      };
      return {
        name: 'Telling',
        concerns: () => true,
        admits: ['CREATE', 'UPDATE'],
        admit(proposed, { recorder }) {
          tell('admit', proposed, recorder);
          return proposed.next;
        },
        admitDeletion: (review, { recorder }) => void tell('admit', review, recorder),
        validate(review, { recorder }) {
          tell('validate', review, recorder);
          return refusal;
        },
      };
    };
    const hears = (request: ReturnType<typeof requestOf>) => ({
      warnings: request.warnings,
      annotations: [...request.auditAnnotations].map(([key, value]) => ({ key, value })),
    });
    const expected = (
      operation: string,
      withBody: boolean,
    ): { warnings: string[]; annotations: AuditAnnotation[] } => ({
      warnings: [`admit of ${operation}`, 'said twice', `validate of ${operation}`],
      annotations: ['admit', 'validate'].flatMap((phase) => [
        { key: `${phase}.example.com/op`, value: operation },
        ...(withBody ? [{ key: `${phase}.example.com/body`, value: operation }] : []),
      ]),
    });

    for (const refusal of [undefined, 'no']) {
      const outcome = refusal === undefined ? 'done' : 'refused';
      it(`reaches the request once, of every kind of write that is ${outcome}`, async () => {
        const name = `told-${outcome}`;
        plugins = [];
        await createObject(registry, target(name), map(name), { dryRun: false });
        plugins = [telling(refusal)];
        const dry = { dryRun: true, user, manager: 'tool' };
        const other = `${name}-new`;
        const created = requestOf();
        await createObject(registry, target(other), map(other), { ...dry, request: created });
        assert.deepEqual(hears(created), expected('CREATE', false));
        const updated = requestOf([], true);
        const next = map(name, { a: '1' });
        await updateObject(registry, target(name), next, undefined, { ...dry, request: updated });
        assert.deepEqual(hears(updated), expected('UPDATE', true));
        const deleted = requestOf();
        const whom = { user, request: deleted };
        const result = await deleteObject(registry, target(name), { dryRun: true }, whom);
        assert.equal(result.kind, refusal === undefined ? 'ok' : 'refused');
        assert.deepEqual(hears(deleted), expected('DELETE', false));
      });
    }

    it('is kept as far as an answer and an event can say it', async () => {
      const telling = (recorder: AdmissionRecorder): undefined => {
        for (let at = 0; at < 5_000; at += 1) {
          recorder.warn(`warning ${at}`);
          recorder.annotate('a.example.com/op', `${at}`);
        }
      };
      const validate: AdmissionPlugin['validate'] = (_, { recorder }) => telling(recorder);
      plugins = [{ name: 'Telling', concerns: () => true, validate }];
      const request = requestOf();
      const options = { dryRun: true, user, manager: 'tool', request };
      await createObject(registry, target('much'), map('much'), options);
      const { annotations, warnings } = hears(request);
      assert.equal(warnings.length, 256);
      assert.equal(warnings.at(-1), 'warning 255');
      assert.deepEqual(annotations, [{ key: 'a.example.com/op', value: '4999' }]);
    });

    it('is forgotten where it has to look again', async () => {
      plugins = [
        {
          name: 'Waiting',
          concerns: () => true,
          admits: ['CREATE'],
          admit({ next }, { recorder, waitFor }) {
            recorder.warn('looked');
            waitFor('something', () => Promise.resolve());
            return next;
          },
        },
      ];
      const request = requestOf();
      await createObject(registry, target('again'), map('again'), {
        dryRun: true,
        user,
        request,
      });
      assert.deepEqual(request.warnings, ['looked']);
    });
  });

  it('that nobody answers in time is refused with 504', async () => {
    const never = new Promise<undefined>(() => undefined);
    plugins = [{ name: 'Silent', concerns: () => true, validate: () => never }];
    const request = requestOf([['timeout', '1ms']]);
    const how = { dryRun: false, user, request };
    const made = await createObject(registry, target('late'), map('late'), how);
    const changed = await applyObject(registry, target('late'), map('late'), undefined, {
      ...how,
      manager: 'tool',
      force: false,
    });
    for (const result of [made, changed]) {
      assert(result.kind === 'refused');
      assert.equal(result.error.code, 504);
      const text = 'Timeout: request did not complete within requested timeout';
      assert.equal(result.error.message, text);
    }
  });

  it('of a write that concerns nobody makes nothing', () => {
    plugins = [{ ...looking, concerns: () => false }];
    const write = { kind, namespace: 'default', name: 'x' };
    assert.equal(registry.guardOf?.(user, write, operations.update), undefined);
  });
});
