/** Aggregated discovery of more kinds than are shown in one turn (src/endpoints/discovery). */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { encodeProtobuf } from '../../src/apimachinery/codecs/protobuf.ts';
import { metaTypes } from '../../src/apimachinery/typed/meta-types.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { decodeYaml, encodeYamlSteps } from '../../src/apimachinery/codecs/yaml.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { KindInfo } from '../../src/apimachinery/scheme.ts';
import { serveScheme } from '../../src/apimachinery/served-scheme.ts';
import { versionOrderKey } from '../../src/apimachinery/version-order.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import { apiGroupDiscoveryList } from '../../src/endpoints/discovery/aggregated.ts';
import { apiGroup, apiGroupList, apiResourceList } from '../../src/endpoints/discovery/plain.ts';
import { hashedJson, jsonInSteps } from '../../src/endpoints/openapi/hashed-json.ts';
import { finished } from '../../src/stdx/stepwise.ts';
import type { Steps } from '../../src/stdx/stepwise.ts';
import { makeDiscovery } from '../../src/endpoints/discovery/discovery.ts';
import type { DiscoveryDocument } from '../../src/endpoints/discovery/discovery.ts';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import type { Awaitable } from '../../src/stdx/awaitable.ts';
import type { DiscoveryResult } from '../../src/endpoints/discovery/discovery.ts';
import { createTurns } from '../../src/stdx/turns.ts';
import { noAggregation } from '../support/doubles/no-aggregation.ts';

const kindsCount = 1_000;
const aggregated = 'g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const asJson = `application/json;${aggregated}`;

const like = ((): KindInfo => {
  const built = buildScheme({ identity: identityOf('kubernetes'), featureGates: new Set() });
  assert.ok(built.kind === 'ok');
  const found = built.scheme.findResource('apps', 'v1', 'deployments');
  assert.ok(found !== undefined);
  return found;
})();

function served() {
  const identity = identityOf('kubernetes');
  const built = buildScheme({ identity, featureGates: new Set() });
  assert.ok(built.kind === 'ok');
  const scheme = serveScheme(built.scheme.groups, versionOrderKey);
  const define = (at: number, group: string): void => {
    const [resource, kind] = [`k${at}s`, `K${at}`];
    const storage = { group, resource };
    const own: KindInfo = { ...like, group, version: 'v1', resource, kind, storage };
    scheme.define(`${resource}.${group}`, [own], own);
  };
  for (let at = 0; at < kindsCount; at += 1) define(at, at % 2 === 0 ? 'many' : `g${at}`);
  let turnsCount = 0;
  const pauses: (number | undefined)[] = [];
  const turns = createTurns({ clock: systemClock, timers: systemTimers });
  const discovery = makeDiscovery({
    scheme,
    identity,
    serverAddress: '127.0.0.1:8080',
    aggregation: noAggregation,
    turns: {
      run: (step) => turns.run((isOver) => ((turnsCount += 1), step(isOver))),
      pause: (costMs) => (pauses.push(costMs), turns.pause(costMs)),
    },
  });
  return { define, discovery, pauses, turnsCount: () => turnsCount };
}

async function documentOf(found: Awaitable<DiscoveryResult>): Promise<DiscoveryDocument> {
  const result = await found;
  assert.ok(result.kind === 'document');
  return result.document;
}

function textOf({ body }: DiscoveryDocument): string {
  return new TextDecoder().decode(body);
}

interface Shown {
  readonly items: readonly {
    readonly versions: readonly { readonly resources: readonly { resource: string }[] }[];
  }[];
}

function defined({ items }: Shown): readonly string[] {
  return items
    .flatMap(({ versions }) => versions.flatMap(({ resources }) => resources))
    .map(({ resource }) => resource)
    .filter((name) => /^k\d+s$/.test(name));
}

describe('aggregated discovery of a thousand kinds', () => {
  it('is made in several steps, once for all who ask, and is what one text of it would be', async () => {
    const { discovery, turnsCount } = served();
    const first = discovery.find('/apis', asJson);
    assert.ok(first instanceof Promise);
    const [one, other] = await Promise.all(
      [first, discovery.find('/apis', asJson)].map(documentOf),
    );
    assert.ok(one !== undefined && one === other);
    assert.ok(turnsCount() >= 1);
    const text = textOf(one);
    const value = JSON.parse(text) as Shown;
    assert.equal(`${JSON.stringify(value)}\n`, text);
    assert.equal(new Set(defined(value)).size, kindsCount);
    const digest = createHash('sha512').update(text.slice(0, -1)).digest('hex').toUpperCase();
    assert.equal(one.etag, `"${digest}"`);
    assert.equal(await documentOf(discovery.find('/apis', asJson)), one);
  });

  it('has a turn for each who waits for it or asks for all of it, by what it weighs', async () => {
    const { discovery, pauses } = served();
    const weights: number[] = [];
    const rows = [
      ['/apis', asJson],
      ['/apis', asJson],
      ['/apis/apps/v1', 'application/json'],
    ] as const;
    for (const [path, accept] of rows) {
      const asked = Array.from({ length: 5 }, () => discovery.find(path, accept));
      for (const { body } of await Promise.all(asked.map(documentOf))) {
        if (path === '/apis') weights.push(body.byteLength / 1_000_000);
      }
    }
    assert.equal(weights.length, 10);
    assert.deepEqual(pauses, weights, 'and none for what is small');
  });

  it('is of one moment: what is defined meanwhile is in the next', async () => {
    const { define, discovery } = served();
    const before = discovery.find('/apis', asJson);
    define(kindsCount, 'many');
    const after = await documentOf(discovery.find('/apis', asJson));
    const shown = defined(JSON.parse(textOf(await documentOf(before))) as Shown);
    assert.equal(shown.length, kindsCount);
    assert.equal(defined(JSON.parse(textOf(after)) as Shown).length, kindsCount + 1);
    // The older one has not taken the place of the newer one.
    assert.equal(await documentOf(discovery.find('/apis', asJson)), after);
  });

  it('is written in steps in Protobuf, too, one document a level, and reads back as it is', async () => {
    const { discovery } = served();
    const protobuf = 'application/vnd.kubernetes.protobuf';
    for (const path of ['/apis', '/apis/many/v1', '/apis/apps', '/api']) {
      const json = textOf(await documentOf(discovery.find(path, 'application/json')));
      const value = JSON.parse(json) as JsonObject;
      const { body } = await documentOf(discovery.find(path, protobuf));
      const schema = metaTypes.object(`meta/v1.${String(value['kind'])}`);
      const whole = encodeProtobuf(schema, { apiVersion: 'v1', ...value });
      assert.deepEqual(Buffer.from(body), Buffer.from(whole), path);
    }
  });

  it('says the same in YAML', async () => {
    const { discovery } = served();
    const json = await documentOf(discovery.find('/apis', asJson));
    const yaml = await documentOf(discovery.find('/apis', `application/yaml;${aggregated}`));
    const read = decodeYaml(yaml.body, { findDuplicates: false, valuesMax: 1_000_000 });
    assert.ok(read.kind === 'value');
    assert.deepEqual(read.value, JSON.parse(textOf(json)));
    const digest = createHash('sha512').update(yaml.body).digest('hex').toUpperCase();
    assert.equal(yaml.etag, `"${digest}"`);
  });
});

/** Each kind counts when its verbs are read, which is once for each document. */
function counted(groupsCount: number, kindsOfGroup: number) {
  const count = { shown: 0 };
  const kindOf = (group: string, at: number): KindInfo => {
    const [resource, kind] = [`k${at}s`, `K${at}`];
    const storage = { group, resource };
    const own = { ...like, group, version: 'v1', resource, kind, storage, subresources: [] };
    Object.defineProperty(own, 'verbs', {
      get: () => {
        count.shown += 1;
        return like.verbs;
      },
    });
    return own;
  };
  const groups = Array.from({ length: groupsCount }, (_, at) => {
    const group = `g${at}`;
    const kinds = Array.from({ length: kindsOfGroup }, (__, each) => kindOf(group, each));
    return { group, versions: [{ version: 'v1', kinds }] };
  });
  return { count, groups };
}

/** The most kinds that one step has shown, and what came of all. */
function shownAtOnce<T>(count: { shown: number }, work: Steps<T>): { most: number; made: T } {
  let most = 0;
  for (;;) {
    const before = count.shown;
    const step = work.next();
    most = Math.max(most, count.shown - before);
    if (step.done === true) return { most, made: step.value };
  }
}

describe('one step of discovery', () => {
  const atOnceMax = 200;
  const rows: readonly (readonly [string, number, number])[] = [
    ['in groups that are small', 60, 100],
    ['in groups of one', 2_000, 1],
    ['in one group', 1, 4_000],
  ];
  for (const [where, groupsCount, kindsOfGroup] of rows) {
    it(`shows few kinds, however many there are ${where}`, () => {
      const { count, groups } = counted(groupsCount, kindsOfGroup);
      const { made, most } = shownAtOnce(
        count,
        apiGroupDiscoveryList(groups, noAggregation.documents.discoveryOf, 'd', 'v2'),
      );
      assert.equal(count.shown, groupsCount * kindsOfGroup);
      assert.ok(most <= atOnceMax, `${most}`);
      assert.equal(defined(made as unknown as Shown).length, groupsCount * kindsOfGroup);
    });
  }

  it('shows few kinds of a resource list', () => {
    const { count, groups } = counted(1, 4_000);
    const [version] = groups[0]?.versions ?? [];
    assert.ok(version !== undefined);
    const { made, most } = shownAtOnce(count, apiResourceList('g0', version));
    assert.ok(most <= atOnceMax, `${most}`);
    assert.equal((made['resources'] as readonly unknown[]).length, 4_000);
  });

  it('shows few versions of a group', () => {
    const versions = Array.from({ length: 4_000 }, (_, at) => ({ version: `v${at}`, kinds: [] }));
    const groups = [{ group: 'g', versions }];
    for (const work of [apiGroup({ group: 'g', versions }), apiGroupList(groups)]) {
      assert.ok([...work].length >= versions.length / 200);
    }
    const group = finished(apiGroup({ group: 'g', versions }));
    const { kind: _kind, apiVersion: _apiVersion, ...body } = group;
    const list = finished(apiGroupList(groups));
    assert.deepEqual(list['groups'], [body]);
    assert.deepEqual(group['preferredVersion'], { groupVersion: 'g/v0', version: 'v0' });
    const writing = jsonInSteps(list, 4);
    assert.ok([...writing].length >= 3);
    assert.equal(Buffer.from(finished(jsonInSteps(list, 4))).toString(), JSON.stringify(list));
  });

  it('writes a part of a large document', () => {
    const { groups } = counted(1, 4_000);
    const [version] = groups[0]?.versions ?? [];
    assert.ok(version !== undefined);
    const list = finished(apiResourceList('g0', version));
    for (const work of [jsonInSteps(list, 2), hashedJson(list, 2), encodeYamlSteps(list)]) {
      assert.ok([...work].length > 2);
    }
    assert.equal(Buffer.from(finished(jsonInSteps(list, 2))).toString(), JSON.stringify(list));
  });
});
