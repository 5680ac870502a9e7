/**
 * The deprecation rules over the catalogue, each shown to fail on a catalogue that breaks it; and
 * the series of releases that the specification gives, row by row.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TypeSchema } from '../../src/apimachinery/typed/type-schema.ts';
import { catalogue } from '../../src/apis/catalogue.ts';
import type { CatalogueKind } from '../../src/apis/catalogue.ts';
import { fieldTypes } from '../../src/apis/field-types.ts';
import {
  compareVersions,
  currentRelease,
  isKnown,
  oldestRelease,
  preferredFirst,
  storageVersionOf,
} from '../../src/apis/served-versions.ts';
import {
  conversionOf,
  hubOf,
  storableVersions,
  storageKeyOf,
} from '../../src/apis/version-families.ts';
import {
  rule1,
  rule1Fields,
  rule2,
  rule3,
  rule4a,
  rule4b,
  servedChoices,
} from '../support/checks/version-rules.ts';
import type { RuledKind } from '../support/checks/version-rules.ts';
import { noVectors, readFacts } from '../support/data/corpora.ts';
import type { TypeFacts } from '../../generate/field-types.ts';
import { kubernetes } from '../support/data/versioned-kinds.ts';

const types = fieldTypes(kubernetes);

function kind(version: string, life: Partial<RuledKind> = {}): RuledKind {
  return {
    group: 'g',
    version,
    kind: 'K',
    introduced: undefined,
    deprecated: undefined,
    removed: undefined,
    replacement: undefined,
    ...life,
  };
}

/** Names and forms of the first levels of fields: the deep ones are shared types. */
function fieldsOf(name: string, levels = 6): readonly string[] {
  const lines: string[] = [];
  const walk = (schema: TypeSchema, path: string, left: number): void => {
    switch (schema.kind) {
      case 'scalar':
        lines.push(`${path}:${schema.scalar}`);
        return;
      case 'list':
        return walk(schema.items, `${path}[]`, left);
      case 'map':
        return walk(schema.values, `${path}{}`, left);
      case 'union':
        lines.push(path);
        return;
      case 'object':
        lines.push(path);
        if (left === 0) return;
        for (const field of schema.members.values()) {
          walk(field.type, `${path}.${field.name}`, left - 1);
        }
    }
  };
  walk(types.object(name), '', levels);
  return lines.sort();
}

const shapes = new Map<string, string>();
function shapeOf(row: CatalogueKind): string {
  const known = shapes.get(row.type) ?? fieldsOf(row.type).join('\n');
  shapes.set(row.type, known);
  return known;
}

const converts = (row: CatalogueKind) => conversionOf(row, hubOf(row), kubernetes) !== undefined;

describe('the deprecation rules', () => {
  it('rule 1: what is in a version stays for its lifetime', () => {
    assert.deepEqual(rule1(catalogue), []);
    assert.equal(rule1([kind('v1beta1', { introduced: 5, removed: 9 })]).length, 1);
    assert.equal(rule1([kind('v1beta1', { introduced: 5, deprecated: 9, removed: 9 })]).length, 1);
    assert.equal(rule1([kind('v1alpha1', { introduced: 5, removed: 5 })]).length, 1);
    assert.deepEqual(rule1([kind('v1beta1', { introduced: 5, deprecated: 6, removed: 9 })]), []);
  });

  it(
    'rule 1: no field leaves a version that the facts of a release have',
    { skip: noVectors },
    () => {
      const facts = Object.entries(readFacts<TypeFacts>().types);
      const released = new Map(
        facts.map(([name, struct]) => [
          name,
          struct.fields.flatMap((field) => (field.inline || !field.name ? [] : [field.name])),
        ]),
      );
      const now = new Map(
        types.names().map((name) => {
          const type = types.find(name);
          return [name, type?.kind === 'object' ? [...type.members.keys()] : []];
        }),
      );
      for (const [name] of released) if (types.find(name)?.kind !== 'object') released.delete(name);
      assert.deepEqual(rule1Fields(released, now), []);
      const poorer = new Map([...now, ['apps/v1.DeploymentSpec', ['replicas']] as const]);
      assert.ok(rule1Fields(released, poorer).includes('apps/v1.DeploymentSpec has lost selector'));
    },
  );

  it('rule 2: every version has the fields of its hub, or a conversion', () => {
    assert.deepEqual(rule2(catalogue, hubOf, shapeOf, converts), []);
    const broken = rule2(catalogue, hubOf, shapeOf, () => false);
    assert.ok(broken.length >= 20, broken.join('\n'));
    assert.ok(broken.some((line) => line.startsWith('autoscaling/v1 HorizontalPodAutoscaler')));
  });

  it('rule 3: nothing is replaced by something less stable', () => {
    assert.deepEqual(rule3(catalogue), []);
    const by = (version: string) => ({ replacement: { group: 'g', version, kind: 'K' } });
    assert.equal(rule3([kind('v1', by('v2beta1'))]).length, 1);
    assert.equal(rule3([kind('v1beta1', by('v1alpha2'))]).length, 1);
    assert.deepEqual(rule3([kind('v1alpha1', by('v1alpha2')), kind('v1beta1', by('v1'))]), []);
  });

  it('rule 4a: stable versions stay, betas end in time and not too soon', () => {
    assert.deepEqual(rule4a(catalogue), []);
    assert.equal(rule4a([kind('v1', { introduced: 1, deprecated: 2, removed: 30 })]).length, 1);
    assert.equal(rule4a([kind('v1beta1', { introduced: 25 })]).length, 1);
    assert.equal(rule4a([kind('v1beta1', { introduced: 25, deprecated: 29 })]).length, 1);
    const hasty = kind('v1beta1', { introduced: 25, deprecated: 28, removed: 30 });
    assert.equal(rule4a([hasty]).length, 1);
    assert.deepEqual(rule4a([{ ...hasty, removed: 31 }]), []);
  });

  it('rule 4b: stored and preferred versions advance when two releases know them', () => {
    const resources = new Map(catalogue.map((row) => [storageKeyOf(row), storableVersions(row)]));
    /** Preferred at once by the reference, in a group of which nothing is on by default. */
    const atOnce = (row: CatalogueKind) => row.group === 'resource.{domain}';
    for (const [name, versions] of resources) {
      const broken = rule4b(versions, oldestRelease, currentRelease);
      const expected = versions.some(atOnce) && versions.length > 1 ? 1 : 0;
      assert.equal(broken.length, expected, `${name}: ${broken.join('; ')}`);
      if (expected === 1) assert.match(broken[0] ?? '', /1\.33 prefers v1beta2/);
    }
    const rows = [kind('v1', { introduced: 20 }), kind('v1beta1', { introduced: 10, removed: 26 })];
    assert.deepEqual(rule4b(rows, 11, 30), []);
    const eager = { ...servedChoices, stored: () => 'v1' };
    assert.deepEqual(rule4b(rows, 20, 20, eager), ['1.20 stores v1, which 1.19 does not know']);
  });
});

/** The example of spec 2, section 3.3: release X is 100. `known` in order of preference. */
const x = 100;
const series: readonly RuledKind[] = [
  kind('v1alpha1', { introduced: x, removed: x + 1 }),
  kind('v1alpha2', { introduced: x + 1, removed: x + 2 }),
  kind('v1beta1', { introduced: x + 2, deprecated: x + 3, removed: x + 6 }),
  kind('v1beta2', { introduced: x + 3, deprecated: x + 5, removed: x + 8 }),
  kind('v1', { introduced: x + 5, deprecated: x + 12 }),
  kind('v2alpha1', { introduced: x + 8, removed: x + 9 }),
  kind('v2alpha2', { introduced: x + 9, removed: x + 10 }),
  kind('v2beta1', { introduced: x + 10, deprecated: x + 11, removed: x + 14 }),
  kind('v2beta2', { introduced: x + 11, deprecated: x + 12, removed: x + 15 }),
  kind('v2', { introduced: x + 12 }),
];

/** Release after X, what is known, what is stored and preferred. */
const table: readonly (readonly [number, string, string])[] = [
  [0, 'v1alpha1', 'v1alpha1'],
  [1, 'v1alpha2', 'v1alpha2'],
  [2, 'v1beta1', 'v1beta1'],
  [3, 'v1beta2 v1beta1', 'v1beta1'],
  [4, 'v1beta2 v1beta1', 'v1beta2'],
  [5, 'v1 v1beta2 v1beta1', 'v1beta2'],
  [6, 'v1 v1beta2', 'v1'],
  [7, 'v1 v1beta2', 'v1'],
  [8, 'v1 v2alpha1', 'v1'],
  [9, 'v1 v2alpha2', 'v1'],
  [10, 'v1 v2beta1', 'v1'],
  [11, 'v1 v2beta2 v2beta1', 'v1'],
  [12, 'v2 v1 v2beta2 v2beta1', 'v1'],
  [13, 'v2 v1 v2beta2 v2beta1', 'v2'],
  [14, 'v2 v1 v2beta2', 'v2'],
  [15, 'v2 v1', 'v2'],
];

describe('the life cycle of a group', () => {
  for (const [after, known, chosen] of table) {
    it(`X+${after}: ${known} (${chosen})`, () => {
      const release = x + after;
      const versions = series.filter((row) => isKnown(row, release)).map((row) => row.version);
      assert.equal([...versions].sort(compareVersions).join(' '), known);
      assert.equal(storageVersionOf(series, release), chosen);
      assert.equal(preferredFirst(versions, series, release)[0], chosen);
    });
  }
});
