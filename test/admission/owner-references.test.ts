/** OwnerReferencesPermissionEnforcement: who may name owners, by the rights that authorizers give. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Ask, Review, ValidatePass } from '../../src/admission/admission.ts';
import { ownerReferences } from '../../src/admission/owner-references.ts';
import type { KindInfo } from '../../src/apimachinery/scheme.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { userNamed } from '../support/data/access-attributes.ts';

const kinds: Readonly<Record<string, Pick<KindInfo, 'resource' | 'namespaced'>>> = {
  'apps/v1/ReplicaSet': { resource: 'replicasets', namespaced: true },
  '/v1/Node': { resource: 'nodes', namespaced: false },
};
const findKind = (group: string, version: string, kind: string): KindInfo | undefined =>
  kinds[`${group}/${version}/${kind}`] as KindInfo | undefined;
const plugin = ownerReferences(findKind, { pause: () => assert.fail('few need no turn') });
const owner = (kind: string, apiVersion: string, more: JsonObject = {}): JsonObject => ({
  apiVersion,
  kind,
  name: 'o',
  uid: `${kind}-uid`,
  ...more,
});
const set = owner('ReplicaSet', 'apps/v1');
const blocking = { ...set, blockOwnerDeletion: true };

const recorder = { warn: assert.fail, annotate: assert.fail };

function reviewOf(
  before: readonly JsonObject[] | undefined,
  after: readonly JsonObject[],
  more: Partial<Review> = {},
): Review {
  const object = (ownerReferences: readonly JsonObject[]) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'm', ownerReferences },
  });
  return {
    user: userNamed('ann'),
    operation: before === undefined ? 'CREATE' : 'UPDATE',
    resource: { group: '', resource: 'configmaps' },
    subresource: '',
    namespace: 'n',
    name: 'm',
    next: object(after),
    current: before && object(before),
    ...more,
  } as unknown as Review;
}

/** What is asked, and what is answered with these rights. */
function reviewed(
  before: readonly JsonObject[] | undefined,
  after: readonly JsonObject[],
  rights: readonly string[],
): readonly [readonly string[], unknown] {
  const asked: string[] = [];
  const ask: Ask = ({ name, namespace, resource, subresource, verb }) => {
    const right = `${verb} ${namespace}/${resource}${subresource && `/${subresource}`} ${name}`;
    asked.push(right);
    return rights.includes(right);
  };
  const review = reviewOf(before, after);
  return [asked, plugin.validate?.(review, { ask, decide: decideBy(ask), recorder })];
}

function decideBy(ask: Ask): ValidatePass['decide'] {
  return (attributes) => ask(attributes) === true;
}

const mayAll = 'update /*/finalizers *';
const mayDelete = 'delete n/configmaps m';
const mayFinalize = 'update n/replicasets/finalizers o';
const noDeletion = "cannot set an ownerRef on a resource you can't delete: , <nil>";
const noFinalizers =
  "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set " +
  'finalizers on: , <nil>';

describe('naming owners', () => {
  const rows: readonly (readonly [
    string,
    readonly JsonObject[] | undefined,
    readonly JsonObject[],
    readonly string[],
    readonly string[],
    string | undefined,
  ])[] = [
    ['asks nothing where there are none', undefined, [], [], [], undefined],
    ['asks nothing where they stay', [blocking], [blocking], [], [], undefined],
    ['of an object that is created is allowed', undefined, [set], [], [], undefined],
    ['needs the right to delete', [], [set], [], [mayDelete], noDeletion],
    ['is allowed with it', [], [set], [mayDelete], [mayDelete], undefined],
    [
      'of an object that is created needs the right to their finalizers',
      undefined,
      [blocking],
      [],
      [mayAll, mayFinalize],
      noFinalizers,
    ],
    [
      'of any kind is allowed with the right to all finalizers',
      undefined,
      [owner('Thing', 'example.com/v1', { blockOwnerDeletion: true })],
      [mayAll],
      [mayAll],
      undefined,
    ],
    ['needs it to take them away', [set], [], [], [mayDelete], noDeletion],
    [
      'that holds an owner back needs the right to its finalizers',
      [],
      [blocking],
      [mayDelete],
      [mayDelete, mayAll, mayFinalize],
      noFinalizers,
    ],
    [
      'is allowed with both',
      [],
      [blocking],
      [mayDelete, mayFinalize],
      [mayDelete, mayAll, mayFinalize],
      undefined,
    ],
    [
      'asks no more about one that has been held back before',
      [blocking],
      [blocking, owner('Node', 'v1')],
      [mayDelete],
      [mayDelete],
      undefined,
    ],
    [
      'asks about an owner that has no namespace without one',
      [],
      [owner('Node', 'v1', { blockOwnerDeletion: true })],
      [mayDelete, 'update /nodes/finalizers o'],
      [mayDelete, mayAll, 'update /nodes/finalizers o'],
      undefined,
    ],
    [
      'of a kind that nobody serves is refused',
      [],
      [owner('Thing', 'example.com/v1', { blockOwnerDeletion: true })],
      [mayDelete],
      [mayDelete, mayAll],
      'cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ' +
        'example.com/v1 Kind Thing: no matches for kind "Thing" in version "example.com/v1"',
    ],
  ];
  for (const [title, before, after, rights, asked, why] of rows) {
    it(title, () => assert.deepEqual(reviewed(before, after, rights), [asked, why]));
  }
});

describe('naming a thousand owners', () => {
  const names = Array.from({ length: 1_000 }, (_, at) => `o${at}`);
  const owners = names.map((name) => ({ ...blocking, name, uid: name }));
  /** Each is answered later. */
  const named = (allows: (name: string) => boolean, requester: { closed: boolean }) => {
    const asked: string[] = [];
    let paused = 0;
    const pause = (): Promise<void> => {
      paused += 1;
      return Promise.resolve();
    };
    const decide: ValidatePass['decide'] = ({ name }) => {
      asked.push(name);
      return Promise.resolve(allows(name));
    };
    const review = reviewOf(undefined, owners, { requester } as Partial<Review>);
    const pass = { ask: () => false, decide, recorder };
    const refusal = ownerReferences(findKind, { pause }).validate?.(review, pass);
    return { asked, paused: () => paused, refusal };
  };
  const stays = { closed: false };

  it('asks about each of them, one after the other, in turns with others', async () => {
    const { asked, paused, refusal } = named(() => true, stays);
    assert.equal(asked.length, 1);
    assert.equal(await refusal, undefined);
    assert.deepEqual(asked, names);
    assert.equal(paused(), 62);
  });

  it('ends at the first one that may not be held back', async () => {
    const { asked, refusal } = named((name) => name !== 'o40', stays);
    assert.equal(await refusal, noFinalizers);
    assert.equal(asked.length, 41);
  });

  it('asks no more when the client has gone', async () => {
    const requester = { closed: false };
    const leaves = (name: string): boolean => {
      requester.closed = name === 'o20';
      return true;
    };
    const { asked, refusal } = named(leaves, requester);
    await refusal;
    assert.equal(asked.length, 21);
  });
});
