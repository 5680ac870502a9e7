/**
 * Conversions between versions: every pair of versions of every kind, on random objects, and what
 * survives a version that cannot hold it.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stringifyJson } from '../../src/apimachinery/codecs/lossless.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { formatGroupVersion } from '../../src/apimachinery/schema.ts';
import { conform } from '../../src/apimachinery/typed/conform.ts';
import type { TypeSchema } from '../../src/apimachinery/typed/type-schema.ts';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { catalogue } from '../../src/apis/catalogue.ts';
import { residuePartsMax } from '../../src/apis/conversion/residue.ts';
import { builtInKinds } from '../../src/apis/kind-set.ts';
import { fieldTypes } from '../../src/apis/field-types.ts';
import { conversionsOf, familyOf, hubOf } from '../../src/apis/version-families.ts';
import { toVersion } from '../../src/registry/versions.ts';
import { seededPrng } from '../../src/stdx/prng.ts';
import { assertLinear } from '../support/checks/processor-growth.ts';
import { randomObject } from '../support/data/random-objects.ts';
import { convert, kindOf, kubernetes, versioned } from '../support/data/versioned-kinds.ts';

const types = fieldTypes(kubernetes);

/** Names and forms of the fields, through the whole type. */
function shapeOf(name: string): string {
  const seen = new Set<string>();
  const lines: string[] = [];
  const walk = (schema: TypeSchema, path: string): void => {
    switch (schema.kind) {
      case 'scalar':
        lines.push(`${path}:${schema.scalar}`);
        return;
      case 'list':
        return walk(schema.items, `${path}[]`);
      case 'map':
        return walk(schema.values, `${path}{}`);
      case 'union':
        for (const form of schema.alternatives) walk(form.type, `${path}|`);
        return;
      case 'object': {
        const key = `${path.replace(/^[^.[{|]*/, '')} ${schema.name}`;
        if (path.length > 400 || seen.has(key) || (path.match(/\./g)?.length ?? 0) > 14) return;
        seen.add(key);
        lines.push(path);
        for (const field of schema.members.values()) walk(field.type, `${path}.${field.name}`);
      }
    }
  };
  walk(types.object(name), '');
  return lines.sort().join('\n');
}

const convertedTypes = catalogue
  .filter(
    ({ group, resource, version }) =>
      builtInKinds.definitionOf(`${group}/${resource}`).versions?.[version]?.conversion !==
      undefined,
  )
  .map(({ type }) => type);

const rounds = Number(process.env['CONVERSION_ROUNDS'] ?? 12);
const several = catalogue.filter((kind) => familyOf(kind).length > 1);

/** The most parts of what one of its annotations keeps for another version. */
function partsKept({ metadata }: ApiObject): number {
  const kept = Object.entries(metadata.annotations ?? {}).filter(([name]) =>
    name.startsWith('conversion.kubernetes.io/'),
  );
  const counts = kept.map(([, text]) => (JSON.parse(text) as readonly unknown[]).length);
  return Math.max(0, ...counts);
}

describe('versions of one resource', () => {
  for (const kind of several) {
    const hub = hubOf(kind);
    if (kind === hub || /JSONSchemaProps/.test(kind.type)) continue;
    const title = `${kind.type} has the fields of ${hub.type}, or maps of its own`;
    it(title, () => {
      if (convertedTypes.includes(kind.type)) return;
      assert.equal(shapeOf(kind.type), shapeOf(hub.type));
    });
  }

  it('have maps only where there is such a type, and none for a hub', () => {
    for (const type of convertedTypes) {
      const kind = catalogue.find((row) => row.type === type);
      assert.ok(kind, type);
      assert.notEqual(hubOf(kind), kind, type);
    }
  });

  for (const from of several) {
    it(`${from.type}: random objects come back from every other version`, () => {
      const source = versioned(from);
      const labels = { apiVersion: formatGroupVersion(source), kind: from.kind };
      const schema = types.object(from.type);
      for (const to of familyOf(from)) {
        if (to === from) continue;
        for (let round = 0; round < rounds; round += 1) {
          const prng = seededPrng(round * 7919 + 1);
          const density = [0.15, 0.5, 0.9][round % 3] as number;
          const object = randomObject(schema, labels, { prng, density });
          const there = toVersion(object, source, versioned(to));
          assert.equal(there.apiVersion, formatGroupVersion(versioned(to)));
          assert.ok(partsKept(there) <= residuePartsMax / 4, 'far below what is read');
          const back = toVersion(there, versioned(to), source);
          assert.deepEqual(back, object, `${to.type}, round ${round}: ${stringifyJson(there)}`);
          // Once more by way of every third version: what is kept for one passes through others.
          for (const third of familyOf(from)) {
            const via = toVersion(there, versioned(to), versioned(third));
            const home = toVersion(via, versioned(third), source);
            assert.deepEqual(home, object, `${to.type}, ${third.type}, round ${round}`);
          }
        }
      }
    });
  }
});

describe('what a conversion makes', () => {
  for (const to of several) {
    it(`is an object of ${to.type}, whichever version it comes from`, () => {
      const target = versioned(to);
      for (const from of familyOf(to)) {
        if (from === to) continue;
        const labels = { apiVersion: formatGroupVersion(versioned(from)), kind: from.kind };
        for (let round = 0; round < rounds; round += 1) {
          const prng = seededPrng(round * 104729 + 3);
          const density = [0.15, 0.5, 0.9][round % 3] as number;
          const object = randomObject(types.object(from.type), labels, { prng, density });
          const held = conform(types.object(to.type), toVersion(object, versioned(from), target));
          const { problem, unknownFields } = { problem: '', unknownFields: [], ...held };
          assert.deepEqual([problem, unknownFields], ['', []], `${from.type}, round ${round}`);
        }
      }
    });
  }
});

describe('a count of no replicas', () => {
  const object = (apiVersion: string, status: JsonObject): ApiObject => ({
    kind: 'HorizontalPodAutoscaler',
    apiVersion,
    metadata: { name: 'x' },
    status,
  });

  for (const version of ['v1', 'v2beta1', 'v2beta2']) {
    it(`is written in ${version} and left out in v2`, () => {
      const [older, newer] = [{ currentReplicas: 0, desiredReplicas: 2 }, { desiredReplicas: 2 }];
      const shown = convert(object('autoscaling/v2', newer), `autoscaling/${version}`);
      assert.deepEqual(shown['status'], older);
      const stored = convert(object(`autoscaling/${version}`, older), 'autoscaling/v2');
      assert.deepEqual(stored['status'], newer);
    });
  }
});

describe('what a version cannot hold', () => {
  const scaler: ApiObject = {
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v2',
    metadata: { name: 'x' },
    spec: {
      maxReplicas: 3,
      behavior: { scaleUp: { tolerance: '100m', stabilizationWindowSeconds: 3 } },
    },
  };

  it('comes back beside what a client changed meanwhile', () => {
    const old = convert(scaler, 'autoscaling/v2beta2');
    assert.deepEqual(old['spec'], {
      maxReplicas: 3,
      behavior: { scaleUp: { stabilizationWindowSeconds: 3 } },
    });
    const changed = {
      ...old,
      spec: { maxReplicas: 9, behavior: { scaleUp: { stabilizationWindowSeconds: 4 } } },
    };
    assert.deepEqual(convert(changed, 'autoscaling/v2')['spec'], {
      maxReplicas: 9,
      behavior: { scaleUp: { tolerance: '100m', stabilizationWindowSeconds: 4 } },
    });
  });

  it('goes when a client takes away what it belongs to', () => {
    const old = convert(scaler, 'autoscaling/v2beta2');
    const back = convert({ ...old, spec: { maxReplicas: 9 } }, 'autoscaling/v2');
    assert.deepEqual(back['spec'], { maxReplicas: 9 });
    assert.equal(back.metadata.annotations, undefined);
  });

  it('never undoes a change at the same place', () => {
    const ingress: ApiObject = {
      kind: 'Ingress',
      apiVersion: 'networking.k8s.io/v1',
      metadata: { name: 'x' },
      spec: { defaultBackend: { service: { name: 's', port: { name: 'p', number: 80 } } } },
    };
    const old = convert(ingress, 'networking.k8s.io/v1beta1');
    assert.deepEqual(old['spec'], { backend: { serviceName: 's', servicePort: 'p' } });
    assert.deepEqual(convert(old, 'networking.k8s.io/v1'), ingress);
    const changed = { ...old, spec: { backend: { serviceName: 's', servicePort: 81 } } };
    const back = convert(changed, 'networking.k8s.io/v1');
    assert.deepEqual(back['spec'], {
      defaultBackend: { service: { name: 's', port: { number: 81 } } },
    });
  });

  it('is left out when its annotation cannot be read', () => {
    for (const text of [
      '',
      '{',
      '[]',
      '[1]',
      '{"path":1}',
      '[{"path":["metadata","uid"],"was":"","value":"x"}]',
    ]) {
      const object = {
        ...scaler,
        apiVersion: 'autoscaling/v2beta2',
        metadata: { name: 'x', annotations: { 'conversion.kubernetes.io/autoscaling.v2': text } },
      };
      const back = convert(object, 'autoscaling/v2');
      assert.equal(back.metadata.uid, undefined);
      assert.equal(
        back.metadata.annotations?.['conversion.kubernetes.io/autoscaling.v2'],
        undefined,
      );
    }
  });

  const annotated = (parts: readonly JsonObject[], more: JsonObject = {}): ApiObject => {
    const annotations = {
      'conversion.kubernetes.io/autoscaling.v1': stringifyJson(parts),
      ...more,
    };
    return { ...scaler, metadata: { name: 'x', annotations } };
  };
  const partsAt = (path: readonly string[], names: number): readonly JsonObject[] =>
    Array.from({ length: names }, (_, i) => ({ path: [...path, `k${i}`], was: '', value: 'v' }));

  it('comes back once for a place that a client names again, or another within it', () => {
    const path = ['metadata', 'annotations', 'a'];
    const within = { path: [...path, 'b'], was: '', value: 'within' };
    const first = { path, was: '', value: 'first' };
    const again = { path, was: '', value: 'again' };
    for (const [rows, expected] of [
      [[first, again, within], 'first'],
      [[within, first], undefined],
      [
        [
          { path: [], was: '', value: 'root' },
          { path: ['__proto__'], was: '', value: {} },
        ],
        undefined,
      ],
    ] as const) {
      const back = convert(annotated(rows), 'autoscaling/v1');
      assert.equal(back.metadata.annotations?.['a'], expected);
      assert.equal(Object.getPrototypeOf(back), Object.prototype);
    }
  });

  it('is left out when it has more parts than any version makes', () => {
    const kept = (count: number): number => {
      const object = annotated(partsAt(['metadata', 'annotations'], count));
      return Object.keys(convert(object, 'autoscaling/v1').metadata.annotations ?? {}).filter(
        (name) => /^k\d+$/.test(name),
      ).length;
    };
    assert.equal(kept(residuePartsMax), residuePartsMax);
    assert.equal(kept(residuePartsMax + 1), 0);
  });

  for (const [title, make] of [
    ['places', (n: number) => annotated(partsAt(['metadata', 'annotations'], n))],
    [
      'one place, over and over',
      (n: number) => {
        const path = ['metadata', 'annotations', 'large'];
        const parts = Array.from({ length: n }, () => ({ path, was: 'x', value: 'v' }));
        return annotated(parts, { large: 'l'.repeat(20 * n) });
      },
    ],
  ] as const) {
    it(`that a client wrote costs no more than it is long: ${title}`, () => {
      const prepare = (n: number) => {
        const object = make(n);
        return () => void convert(object, 'autoscaling/v1');
      };
      assertLinear({ name: title, prepare }, 500);
    });
  }

  it('is kept where what an annotation says is too much to be read', () => {
    const target = { type: 'Utilization', averageUtilization: 3 };
    const metrics = Array.from({ length: 1_000 }, () => ({
      type: 'Resource',
      resource: { name: 'cpu', target },
    }));
    const many: ApiObject = { ...scaler, spec: { maxReplicas: 3, metrics } };
    assert.deepEqual(convert(convert(many, 'autoscaling/v1'), 'autoscaling/v2'), many);
    for (const what of ['behavior', 'conditions', 'current-metrics', 'metrics']) {
      const name = `autoscaling.alpha.kubernetes.io/${what}`;
      const annotations = { [name]: stringifyJson(metrics) };
      const old = kindOf('autoscaling/v1', 'HorizontalPodAutoscaler');
      const said = { apiVersion: 'autoscaling/v1', kind: old.kind, metadata: { annotations } };
      assert.deepEqual(convert(said, 'autoscaling/v2').metadata.annotations, annotations);
    }
  });

  it('is kept under the names of the identity', () => {
    const svc = identityOf('svc');
    const kind = kindOf('autoscaling/v1', 'HorizontalPodAutoscaler');
    const conversions = conversionsOf(kind, svc);
    const shown = toVersion(
      scaler,
      { group: 'autoscaling', version: 'v2', kind: kind.kind, conversions },
      { group: 'autoscaling', version: 'v1', kind: kind.kind, conversions },
    );
    assert.deepEqual(Object.keys(shown.metadata.annotations ?? {}), [
      'autoscaling.alpha.svc.io/behavior',
    ]);
  });
});
