/** Aggregated discovery of more kinds than are shown in one turn (src/endpoints/discovery). */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { decodeYaml } from '../../src/apimachinery/codecs/yaml.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { KindInfo } from '../../src/apimachinery/scheme.ts';
import { serveScheme } from '../../src/apimachinery/served-scheme.ts';
import { compareVersionNames } from '../../src/apimachinery/version-order.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import { makeDiscovery } from '../../src/endpoints/discovery/discovery.ts';
import type { DiscoveryDocument } from '../../src/endpoints/discovery/discovery.ts';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import type { Awaitable } from '../../src/stdx/awaitable.ts';
import type { DiscoveryResult } from '../../src/endpoints/discovery/discovery.ts';
import { createTurns } from '../../src/stdx/turns.ts';

const kindsCount = 1_000;
const aggregated = 'g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const asJson = `application/json;${aggregated}`;

function served() {
  const identity = identityOf('kubernetes');
  const built = buildScheme({ identity, featureGates: new Set() });
  assert.ok(built.kind === 'ok');
  const scheme = serveScheme(built.scheme.groups, compareVersionNames);
  const like = scheme.findResource('apps', 'v1', 'deployments');
  assert.ok(like !== undefined);
  const define = (at: number, group: string): void => {
    const [resource, kind] = [`k${at}s`, `K${at}`];
    const storage = { group, resource };
    const own: KindInfo = { ...like, group, version: 'v1', resource, kind, storage };
    scheme.define(`${resource}.${group}`, [own], own);
  };
  for (let at = 0; at < kindsCount; at += 1) define(at, at % 2 === 0 ? 'many' : `g${at}`);
  let turnsCount = 0;
  const turns = createTurns({ clock: systemClock, timers: systemTimers });
  const discovery = makeDiscovery({
    scheme,
    identity,
    serverAddress: '127.0.0.1:8080',
    turns: { run: (step) => turns.run((isOver) => ((turnsCount += 1), step(isOver))) },
  });
  return { define, discovery, turnsCount: () => turnsCount };
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
    assert.equal(JSON.stringify(value), text);
    assert.equal(new Set(defined(value)).size, kindsCount);
    const digest = createHash('sha512').update(text).digest('hex').toUpperCase();
    assert.equal(one.etag, `"${digest}"`);
    assert.equal(await documentOf(discovery.find('/apis', asJson)), one);
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
