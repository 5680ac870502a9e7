/** Fields whose features are off: taken out of what is written, unless the object has them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import type { KindInfo } from '../../src/apimachinery/scheme.ts';
import type { TypeSchema } from '../../src/apimachinery/typed/type-schema.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import { featureGates, parseFeatureGates } from '../../src/apis/feature-gates.ts';
import { gatedFields } from '../../src/apis/gated-fields.ts';
import { keyUnderIdentity } from '../../src/apis/kind-set.ts';
import { parseRuntimeConfig } from '../../src/apis/runtime-config.ts';
import { currentRelease } from '../../src/apis/served-versions.ts';
import { strategiesOf } from '../../src/apis/strategies.ts';
import { dropGated } from '../../src/apis/strategy/drop-gated.ts';

const identity = identityOf('kubernetes');
const config = parseRuntimeConfig('api/all=true');
assert(config.kind === 'ok');
const built = buildScheme({
  identity,
  runtimeConfig: config.value,
  featureGates: new Set(Object.keys(featureGates)),
});
assert(built.kind === 'ok');
const { kinds } = built.scheme;

/** Those whose form the rules know. */
function kindsOf(resource: string): readonly KindInfo[] {
  const key = keyUnderIdentity(resource, identity);
  return kinds.filter(
    (kind) =>
      `${kind.group}/${kind.resource}` === key &&
      (kind.rulesVersion === undefined || kind.rulesVersion.schema === kind.schema),
  );
}

function kindOf(resource: string): KindInfo {
  const [found] = kindsOf(resource);
  assert(found !== undefined, resource);
  return found;
}

interface Case {
  readonly resource: string;
  readonly gate: string;
  readonly paths: readonly string[];
  readonly usedBy: readonly string[];
}

const cases: readonly Case[] = Object.entries(gatedFields).flatMap(([resource, rows]) =>
  rows.map(({ fields, gate, usedBy = fields, within }) => {
    const whole = (path: string): string => (within === undefined ? path : `${within}.${path}`);
    return { resource, gate, paths: fields.map(whole), usedBy: usedBy.map(whole) };
  }),
);

const stepsOf = (path: string): readonly (readonly [name: string, inEach: boolean])[] =>
  path.split('.').map((step) => [step.replace(/\[\]|\?/, ''), step.endsWith('[]')]);

/** An object that has something at this path. */
function withValueAt(path: string): ApiObject {
  const content = stepsOf(path).reduceRight<JsonValue>(
    (value, [name, inEach]) => ({ [name]: inEach ? [value] : value }),
    'x',
  );
  const metadata = { name: 'x', creationTimestamp: '2024-01-01T00:00:00Z' };
  return { apiVersion: 'v1', kind: 'K', metadata, ...(content as JsonObject) };
}

function hasValueAt(object: JsonObject, path: string): boolean {
  const values = stepsOf(path).reduce<readonly (JsonValue | undefined)[]>(
    (held, [name, inEach]) => {
      const next = held.map((each) => (each as JsonObject | undefined)?.[name]);
      return inEach ? next.flatMap((list) => (list ?? []) as readonly JsonValue[]) : next;
    },
    [object],
  );
  return values.some((value) => value !== undefined);
}

function typeAt(type: TypeSchema | undefined, path: string): TypeSchema | undefined {
  return stepsOf(path).reduce<TypeSchema | undefined>((held, [name, inEach]) => {
    const member = held?.kind === 'object' ? held.members.get(name)?.type : undefined;
    if (!inEach) return member;
    return member?.kind === 'list' ? member.items : undefined;
  }, type);
}

describe('fields whose features are off', () => {
  const off = parseFeatureGates('', currentRelease);
  assert(off.kind === 'ok');

  for (const { gate, paths, resource, usedBy } of cases) {
    const known = kindsOf(resource);
    for (const path of paths) {
      it(`are fields of their kind, and go: ${resource} ${path}`, () => {
        assert(known.some(({ schema }) => typeAt(schema, path) !== undefined));
        assert(featureGates[gate] !== undefined);
        assert.equal(off.values.get(gate), false);
        const next = withValueAt(path);
        const drop = dropGated(gatedFields[resource] ?? [], (each) => each !== gate);
        assert(drop !== undefined);
        assert.equal(hasValueAt(drop(next), path), false);
        assert.equal(hasValueAt(drop(next, withValueAt('metadata.labels')), path), false);
        for (const used of usedBy) {
          assert(hasValueAt(drop(next, withValueAt(used)), path), `used by ${used}`);
        }
        assert.equal(
          dropGated(gatedFields[resource] ?? [], () => true),
          undefined,
        );
      });
    }
  }

  it('cost nothing where there are none', () => {
    const drop = dropGated(gatedFields['/pods'] ?? [], () => false);
    const pod = withValueAt('spec.containers[].image');
    assert.equal(drop?.(pod), pod);
  });
});

describe('the writes of a kind', () => {
  const strategy = strategiesOf(identity)(kindOf('/pods'));
  const on = strategiesOf(
    identity,
    undefined,
    undefined,
    undefined,
    (gate) => gate === 'ImageVolume',
  );
  const metadata = { name: 'x', creationTimestamp: '2024-01-01T00:00:00Z' };
  const podOf = (spec: JsonObject, more: JsonObject = {}): ApiObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec,
    ...more,
  });
  const mounts = (...names: readonly string[]): JsonObject => ({
    volumeMounts: names.map((name) => ({ name, mountPath: `/${name}` })),
  });
  const image = { name: 'i', image: { reference: 'r' } };
  const other = { name: 'o', emptyDir: {} };

  it('take an image volume out with what mounts it', () => {
    const made = strategy.prepareForCreate(
      podOf({
        containers: [
          { name: 'a', ...mounts('i', 'o') },
          { name: 'b', ...mounts('i') },
        ],
        volumes: [image, other],
      }),
    );
    assert.deepEqual(made['spec'], {
      containers: [{ name: 'a', ...mounts('o') }, { name: 'b' }],
      volumes: [other],
    });
    const alone = podOf({ containers: [{ name: 'a' }], volumes: [image] });
    assert.deepEqual(strategy.prepareForCreate(alone)['spec'], { containers: [{ name: 'a' }] });
    const kept = on(kindOf('/pods')).prepareForCreate(alone);
    assert.deepEqual(kept['spec'], alone['spec']);
  });

  it('leave a lifecycle that says more', () => {
    const preStop = { sleep: { seconds: 1 } };
    const containers = [
      { name: 'a', lifecycle: { stopSignal: 'SIGTERM', preStop } },
      { name: 'b', lifecycle: { stopSignal: 'SIGTERM' } },
      { name: 'c', lifecycle: {} },
    ];
    assert.deepEqual(strategy.prepareForCreate(podOf({ containers }))['spec'], {
      containers: [{ name: 'a', lifecycle: { preStop } }, { name: 'b' }, containers[2]],
    });
  });

  it('let an object change what it has, in all of its places', () => {
    const [first, second] = ['SIGTERM', 'SIGINT'].map((stopSignal) => ({ stopSignal }));
    const current = podOf({ containers: [{ name: 'a', lifecycle: first ?? {} }] });
    const spec = {
      containers: [
        { name: 'a', lifecycle: second ?? {} },
        { name: 'b', lifecycle: second ?? {} },
      ],
    };
    assert.deepEqual(strategy.prepareForUpdate(podOf(spec), current, 0)['spec'], spec);
  });

  it('drop them from its subresources, too', () => {
    const current = podOf({ containers: [{ name: 'a' }] });
    const status = { observedGeneration: 2, conditions: [{ type: 'T', observedGeneration: 1 }] };
    const made = strategy.prepareForStatusUpdate({ ...current, status }, current, 0);
    assert.deepEqual(made['status'], { conditions: [{ type: 'T' }] });
    const debug = { name: 'd', lifecycle: { stopSignal: 'SIGTERM' } };
    const next = podOf({ containers: [{ name: 'a' }], ephemeralContainers: [debug] });
    const debugged = strategy.subresources['ephemeralcontainers']?.prepare(next, current, 0);
    assert.deepEqual((debugged?.['spec'] as JsonObject)['ephemeralContainers'], [{ name: 'd' }]);
  });
});
