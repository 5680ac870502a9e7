/**
 * The phases of admission around the rules of a kind, in the actor of an object: what a plugin
 * makes of a write, what the rules then say, and what is validated in the end.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { AdmissionPlugin, Proposed, Review } from '../../src/admission/admission.ts';
import { decodeObject } from '../../src/apimachinery/object-encoding.ts';
import type { KindInfo } from '../../src/apimachinery/scheme.ts';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { applyObject } from '../../src/registry/apply.ts';
import { createObject } from '../../src/registry/create.ts';
import { deleteObject } from '../../src/registry/delete.ts';
import { patchObject } from '../../src/registry/patch.ts';
import type { RegistryDeps, Result, WriteResult } from '../../src/registry/registry.ts';
import { updateObject } from '../../src/registry/update.ts';
import { userNamed } from '../support/data/access-attributes.ts';
import { guardedRegistry } from '../support/servers/guarded-registry.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';

const options = { dryRun: false, manager: 'ann-tool', user: userNamed('ann') };
const wholePatch = { fieldValidation: 'Strict', noticed: [] } as const;

type Phase = readonly ['admit' | 'validate', Record<string, unknown>, Record<string, unknown>];

function dataOf(object: ApiObject | undefined): Record<string, unknown> {
  return { ...(object?.['data'] as JsonObject | undefined) };
}

describe('the phases of admission', () => {
  let server: TestServer;
  let registry: RegistryDeps;
  let kind: KindInfo;
  let plugins: AdmissionPlugin[] = [];
  const seen: Phase[] = [];

  /** Adds to the data of config maps, at once or later. */
  const adding = (name: string, more: JsonObject, when: 'now' | 'later'): AdmissionPlugin => ({
    name,
    concerns: (_user, { resource }) => resource.resource === 'configmaps',
    admits: ['CREATE', 'UPDATE'],
    admit({ current, next }: Proposed) {
      seen.push(['admit', dataOf(next), dataOf(current)]);
      const mutated = { ...next, data: { ...(next['data'] as JsonObject), ...more } };
      return when === 'now' ? mutated : Promise.resolve(mutated);
    },
  });
  const noting: AdmissionPlugin = {
    name: 'Noting',
    concerns: () => true,
    validate({ current, next }: Review) {
      seen.push(['validate', dataOf(next), dataOf(current)]);
      return dataOf(next)['forbidden'] === undefined ? undefined : 'it holds what is forbidden';
    },
  };

  before(async () => {
    server = await startTestServer();
    registry = guardedRegistry(server, () => plugins);
    kind = registry.scheme.findResource('', 'v1', 'configmaps') as KindInfo;
  });
  after(() => server.remove());
  beforeEach(() => {
    seen.length = 0;
    plugins = [adding('First', { first: '1' }, 'now'), adding('Second', { second: '2' }, 'later')];
    plugins.push(noting);
  });

  const target = (name: string) => ({ kind, namespace: 'default', name });
  const map = (name: string, data: JsonObject): ApiObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    data,
  });
  const stored = (result: Result<WriteResult>): ApiObject => {
    if (result.kind === 'refused') throw result.error;
    return decodeObject(result.value.bytes);
  };
  const make = async (name: string): Promise<ApiObject> => {
    const all = plugins;
    plugins = [];
    const made = stored(await createObject(registry, target(name), map(name, {}), options));
    plugins = all;
    return made;
  };
  const both = { first: '1', second: '2' };

  const writes: readonly (readonly [string, (name: string) => Promise<Result<WriteResult>>])[] = [
    [
      'update',
      (name) => updateObject(registry, target(name), map(name, { own: 'x' }), undefined, options),
    ],
    [
      'patch',
      (name) => {
        const patch = { kind: 'merge', patch: { data: { own: 'x' } } } as const;
        return patchObject(registry, target(name), patch, undefined, { ...options, ...wholePatch });
      },
    ],
    [
      'apply',
      (name) => {
        const applied = { ...options, force: false };
        return applyObject(registry, target(name), map(name, { own: 'x' }), undefined, applied);
      },
    ],
  ];

  for (const [verb, write] of writes) {
    it(`are the same for an object that ${verb} changes`, async () => {
      await make(verb);
      assert.deepEqual(dataOf(stored(await write(verb))), { own: 'x', ...both });
      assert.deepEqual(seen, [
        ['admit', { own: 'x' }, {}],
        ['admit', { own: 'x', first: '1' }, {}],
        ['validate', { own: 'x', ...both }, {}],
      ]);
    });
  }

  it('are the same for an object that is created, by POST or by an apply', async () => {
    const post = await createObject(registry, target('post'), map('post', { own: 'x' }), options);
    const applied = { ...options, force: false };
    const apply = map('applied', { own: 'x' });
    const made = await applyObject(registry, target('applied'), apply, undefined, applied);
    for (const result of [post, made]) {
      assert.deepEqual(dataOf(stored(result)), { own: 'x', ...both });
      assert.deepEqual(seen.splice(0, 3), [
        ['admit', { own: 'x' }, {}],
        ['admit', { own: 'x', first: '1' }, {}],
        ['validate', { own: 'x', ...both }, {}],
      ]);
    }
    assert.deepEqual(seen, []);
  });

  it('leave what a plugin adds to nobody, and to the writer what is its own', async () => {
    await make('owned');
    const data = { own: 'x' };
    const change = updateObject(registry, target('owned'), map('owned', data), undefined, options);
    const { managedFields } = stored(await change).metadata;
    const text = JSON.stringify(managedFields);
    assert.match(text, /"f:own"/);
    assert.doesNotMatch(text, /f:first|f:second/);
  });

  it('hold what a plugin adds to the rules of the kind', async () => {
    await make('ruled');
    plugins.unshift(adding('Bad', { 'not a key': 'x' }, 'now'));
    for (const [, write] of writes) {
      const result = await write('ruled');
      assert(result.kind === 'refused');
      assert.equal(result.error.code, 422);
      assert.match(result.error.message, /data\[not a key\]/);
    }
    assert.ok(
      seen.every(([phase]) => phase === 'admit'),
      'nothing is validated that the rules have refused',
    );
  });

  it('validate what the last plugin has left, and refuse it without a change', async () => {
    const before = await make('kept');
    plugins.unshift(adding('Bad', { forbidden: 'x' }, 'later'));
    for (const [, write] of writes) {
      const result = await write('kept');
      assert(result.kind === 'refused');
      assert.equal(result.error.code, 403);
    }
    plugins = [];
    const same = await updateObject(registry, target('kept'), before, undefined, options);
    assert.equal(stored(same).metadata.resourceVersion, before.metadata.resourceVersion);
  });

  it('mutate no deletion', async () => {
    await make('gone');
    const options = { dryRun: false };
    const result = await deleteObject(registry, target('gone'), options, {
      user: userNamed('ann'),
    });
    assert.equal(result.kind, 'ok');
    assert.deepEqual(seen, [['validate', {}, {}]]);
  });
});
