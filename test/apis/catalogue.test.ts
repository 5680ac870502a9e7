/** The catalogue against the facts, and its life cycle against the deprecation vectors. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { catalogue, resourceKey } from '../../src/apis/catalogue.ts';
import { builtInGroups } from '../../src/apis/groups.ts';
import { builtInKinds, versionOf } from '../../src/apis/kind-set.ts';
import { currentRelease } from '../../src/apis/served-versions.ts';
import { noVectors, readCorpus, readFacts } from '../support/data/corpora.ts';
import { kindRows } from '../../src/apis/kinds.gen.ts';
import { kindRows as rowsOf, kindsModule } from '../../generate/kinds.ts';
import type { Facts } from '../../generate/kinds.ts';

interface Lifecycle {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly introduced?: string;
  readonly deprecated?: string;
  readonly removed?: string;
  readonly replacement?: {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  };
}

/** Bodies of subresources, options, documents, and a type that only the store of the reference
 * holds: nothing that has a path of its own. */
const notResources = [
  '/v1 NodeProxyOptions',
  '/v1 PodAttachOptions',
  '/v1 PodPortForwardOptions',
  '/v1 RangeAllocation',
  '/v1 ServiceProxyOptions',
  'admission.k8s.io/v1 AdmissionReview',
  'apidiscovery.k8s.io/v2 APIGroupDiscovery',
  'apidiscovery.k8s.io/v2beta1 APIGroupDiscovery',
  'apps/v1beta1 DeploymentRollback',
  'apps/v1beta2 Scale',
  'authentication.k8s.io/v1 TokenRequest',
  'extensions/v1beta1 Scale',
];

const facts = readFacts<Facts>();
const kubernetes = identityOf('kubernetes');

function minor(release: string | undefined): number | undefined {
  return release === undefined ? undefined : Number(release.split('.')[1]);
}

/** Where the removal table knows of an earlier release than facts and vectors do. */
function earlier(kind: { readonly group: string; readonly version: string }) {
  const { versions } = builtInKinds.groupOf(kind.group) ?? {};
  return versions?.[kind.version]?.introduced;
}

describe('catalogue', () => {
  it('is what the generator makes of the facts', { skip: noVectors }, () => {
    assert.equal(kindRows, rowsOf(facts));
    const file = path.join(process.cwd(), 'src/apis/kinds.gen.ts');
    assert.equal(readFileSync(file, 'utf8'), kindsModule(facts));
  });

  it('parses every fact back', { skip: noVectors }, () => {
    for (const [index, fact] of facts.kinds.entries()) {
      const kind = catalogue[index];
      assert.deepEqual(
        {
          group: kind?.group,
          version: kind?.version,
          kind: kind?.kind,
          resource: kind?.resource,
          type: kind?.type,
          namespaced: kind?.namespaced,
          introduced: kind?.introduced,
          subresources: kind?.subresources,
          shortNames: kind?.shortNames,
          categories: kind?.categories,
        },
        {
          group: fact.group,
          version: fact.version,
          kind: fact.kind,
          resource: fact.resource,
          type: fact.type,
          namespaced: fact.namespaced,
          introduced: earlier(fact) ?? minor(fact.introduced) ?? kind?.introduced,
          subresources: fact.subresources ?? [],
          shortNames: fact.shortNames ?? [],
          categories: fact.categories ?? [],
        },
      );
      const replacement = kind?.replacement;
      const text = replacement && `${replacement.group},${replacement.version},${replacement.kind}`;
      const definition = builtInKinds.definitionOf(`${fact.group}/${fact.resource}`);
      if (versionOf(definition, fact).replacement === undefined)
        assert.equal(text, fact.replacement);
      if (fact.deprecated) assert.equal(kind?.deprecated, minor(fact.deprecated));
      if (fact.removed) assert.equal(kind?.removed, minor(fact.removed));
    }
  });

  it(
    'adds by hand what the facts leave out, and nothing that they have',
    { skip: noVectors },
    () => {
      const added = catalogue.slice(facts.kinds.length);
      const rows = builtInGroups.flatMap(({ group, kinds }) =>
        kinds.flatMap(({ added }) =>
          (added?.kinds ?? '')
            .split('\n')
            .filter((row) => row !== '')
            .map((row) => [group, ...row.split(' ').slice(0, 2)].join(' ')),
        ),
      );
      assert.ok(rows.includes('apiregistration.{domain} v1beta1 APIService'));
      assert.deepEqual(
        added.map(({ group, version, kind }) => `${group} ${version} ${kind}`).sort(),
        rows.sort(),
      );
      const known = new Set(facts.kinds.map(resourceKey));
      for (const each of added) assert.ok(!known.has(resourceKey(each)), each.kind);
      const beta = added.find(({ version, kind }) => `${version} ${kind}` === 'v1beta1 APIService');
      assert.deepEqual([beta?.introduced, beta?.deprecated, beta?.removed], [7, 19, 22]);
    },
  );

  it(
    'has the life cycle of the deprecation vectors, of every row that is a resource here',
    { skip: noVectors },
    () => {
      const rows = readCorpus<{ cases: readonly Lifecycle[] }>('deprecations/cases.json').cases;
      const absent = new Set<string>();
      for (const row of rows) {
        // A list is deprecated with what it lists; the vectors are a sample of both.
        const name = row.kind.replace(/List$/, '');
        const kind = catalogue.find(
          (k) =>
            kubernetes.fill(k.group) === row.group && k.version === row.version && k.kind === name,
        );
        const title = `${row.group}/${row.version} ${row.kind}`;
        if (kind === undefined) {
          if ((minor(row.introduced) ?? 0) <= currentRelease) absent.add(title);
          continue;
        }
        if (name === row.kind) {
          assert.equal(kind.introduced, earlier(kind) ?? minor(row.introduced), title);
        }
        // The vectors come from a later release: what it announced is not announced yet.
        const deprecated = minor(row.deprecated);
        if (deprecated === undefined || deprecated > currentRelease) continue;
        assert.equal(kind.deprecated, deprecated, title);
        assert.equal(kind.removed, minor(row.removed), title);
        const { group, version, kind: replacing } = row.replacement ?? {};
        const text =
          kind.replacement &&
          `${kubernetes.fill(kind.replacement.group)}/${kind.replacement.version}`;
        assert.equal(text, row.replacement && `${group}/${version}`, title);
        assert.equal(kind.replacement?.kind.replace(/List$/, ''), replacing?.replace(/List$/, ''));
      }
      assert.deepEqual(absent, new Set(notResources), 'rows without a resource');
    },
  );

  it('has a definition for each resource, which names versions and groups that are there', () => {
    const { definitions, definitionOf, groups } = builtInKinds;
    const known = new Set(catalogue.map(resourceKey));
    assert.deepEqual(definitions.map(({ resource }) => resource).sort(), [...known].sort());
    assert.deepEqual(
      new Set(groups.map(({ group }) => group)),
      new Set(catalogue.map((kind) => kind.group)),
    );
    for (const { resource, storedIn, versions = {} } of definitions) {
      const rows = catalogue.filter((row) => resourceKey(row) === resource);
      const named = new Set(rows.map(({ version }) => version));
      for (const version of Object.keys(versions)) assert.ok(named.has(version), resource);
      if (storedIn === undefined) continue;
      const stored = `${storedIn}${resource.slice(resource.lastIndexOf('/'))}`;
      assert.ok(known.has(stored), `${resource} is stored as ${stored}`);
      assert.equal(definitionOf(stored).storedIn, undefined, stored);
    }
    for (const { group, types, versions = {} } of groups) {
      const rows = catalogue.filter((row) => row.group === group);
      for (const { type } of rows) assert.ok(type.startsWith(`${types}/`), type);
      const named = new Set(rows.map(({ version }) => version));
      for (const version of Object.keys(versions)) {
        assert.ok(named.has(version), `${group}/${version}`);
      }
    }
  });

  it('deprecates what is never removed in the release that its definition names', () => {
    const found = catalogue.flatMap((row) => {
      const { deprecated } = versionOf(builtInKinds.definitionOf(resourceKey(row)), row);
      return deprecated === undefined ? [] : [[row, deprecated] as const];
    });
    assert.deepEqual(found.map(([row]) => row.kind).sort(), ['ComponentStatus', 'Endpoints']);
    for (const [row, release] of found) {
      assert.deepEqual([row.deprecated, row.removed], [release, undefined], row.kind);
    }
  });
});
