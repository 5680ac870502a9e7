/** The catalogue against the facts, and its life cycle against the deprecation vectors. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { identityOf } from '../../src/apimachinery/identity.ts';
import * as behaviour from '../../src/apis/behaviour.ts';
import { catalogue, resourceKey } from '../../src/apis/catalogue.ts';
import { gatedResources, virtualResources } from '../../src/apis/lifecycle.ts';
import { currentRelease, groupOrder } from '../../src/apis/served-versions.ts';
import { readCorpus, readFacts } from '../support/corpora.ts';
import { kindRows } from '../../src/apis/kinds.gen.ts';
import { kindRows as rowsOf, kindsModule } from '../support/kind-rows.ts';
import type { Facts } from '../support/kind-rows.ts';

interface Lifecycle {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly introduced?: string;
  readonly deprecated?: string;
  readonly removed?: string;
}

const facts = readFacts<Facts>();
const kubernetes = identityOf('kubernetes');

function minor(release: string | undefined): number | undefined {
  return release === undefined ? undefined : Number(release.split('.')[1]);
}

describe('catalogue', () => {
  it('is what the generator makes of the facts', () => {
    assert.equal(kindRows, rowsOf(facts));
    const file = path.join(process.cwd(), 'src/apis/kinds.gen.ts');
    assert.equal(readFileSync(file, 'utf8'), kindsModule(facts));
  });

  it('parses every fact back', () => {
    assert.equal(catalogue.length, facts.kinds.length);
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
          introduced: minor(fact.introduced),
          subresources: fact.subresources ?? [],
          shortNames: fact.shortNames ?? [],
          categories: fact.categories ?? [],
        },
      );
      const replacement = kind?.replacement;
      const text = replacement && `${replacement.group},${replacement.version},${replacement.kind}`;
      assert.equal(text, fact.replacement);
      if (fact.deprecated) assert.equal(kind?.deprecated, minor(fact.deprecated));
      if (fact.removed) assert.equal(kind?.removed, minor(fact.removed));
    }
  });

  it('has the life cycle of the deprecation vectors, as far as this release knows it', () => {
    const rows = readCorpus<{ cases: readonly Lifecycle[] }>('deprecations/cases.json').cases;
    let compared = 0;
    for (const row of rows) {
      const kind = catalogue.find(
        (k) =>
          kubernetes.fill(k.group) === row.group &&
          k.version === row.version &&
          k.kind === row.kind,
      );
      if (kind === undefined) continue;
      compared += 1;
      const name = `${row.group}/${row.version} ${row.kind}`;
      // The vectors come from a later release: what it announced is not announced yet.
      const deprecated = minor(row.deprecated);
      if (deprecated === undefined || deprecated > currentRelease) continue;
      assert.equal(kind.deprecated, deprecated, name);
      assert.equal(kind.removed, minor(row.removed), name);
    }
    assert.ok(compared > 50, `${compared} rows have a kind here`);
  });

  it('is named correctly by every hand-written table', () => {
    const known = new Set(catalogue.map(resourceKey));
    const tables = [
      behaviour.createOnUpdate,
      behaviour.conditionalUpdateOnly,
      behaviour.returnsDeletedObject,
      behaviour.tracksGeneration,
      behaviour.withoutDeleteCollection,
      new Set(virtualResources.keys()),
      new Set(gatedResources.keys()),
    ];
    for (const table of tables) {
      for (const key of table) assert.ok(known.has(key), `no resource ${key}`);
    }
    const groups = new Set(catalogue.map((kind) => kind.group));
    assert.deepEqual(new Set(groupOrder), groups);
  });
});
