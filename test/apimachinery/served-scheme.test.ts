/** Kinds that come and go: what is always there stays as it is, and what changes changes whole. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KindInfo, SchemeChange } from '../../src/apimachinery/scheme.ts';
import { versionOrderKey } from '../../src/apimachinery/version-order.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import { serveScheme } from '../../src/apimachinery/served-scheme.ts';
import type { ServedScheme } from '../../src/apimachinery/served-scheme.ts';
import { createGroupNames } from '../../src/apiextensions/lifecycle/group-names.ts';
import { acceptNames } from '../../src/apiextensions/lifecycle/names.ts';
import type { DefinitionNames } from '../../src/apiextensions/serving/definition-summary.ts';
import { assertLinear } from '../support/checks/processor-growth.ts';
import { kubernetes } from '../support/data/versioned-kinds.ts';

function newScheme(): ServedScheme {
  const built = buildScheme({ identity: kubernetes });
  assert.ok(built.kind === 'ok');
  return built.scheme;
}

/** As a ConfigMap, under another name. */
function kindOf(scheme: ServedScheme, group: string, version: string, resource: string): KindInfo {
  const like = scheme.findResource('', 'v1', 'configmaps');
  assert.ok(like !== undefined);
  const storage = { group, resource };
  return {
    ...like,
    group,
    version,
    resource,
    kind: `Of${resource}`,
    storage,
    storageVersion: 'v1',
  };
}

describe('a scheme in which kinds come and go', () => {
  it('serves what is defined, and tells of it once', () => {
    const scheme = newScheme();
    const changes: SchemeChange[] = [];
    const stop = scheme.onChange((change) => changes.push(change));
    const [v1, v2] = ['v1', 'v2'].map((version) => kindOf(scheme, 'a.example', version, 'xs'));
    assert.ok(v1 !== undefined && v2 !== undefined);
    scheme.define('xs.a.example', [v1, v2], v1);
    assert.equal(scheme.findResource('a.example', 'v2', 'xs'), v2);
    assert.equal(scheme.findStorage({ group: 'a.example', resource: 'xs' }), v1);
    const versions = scheme.findGroup('a.example')?.versions.map(({ version }) => version);
    assert.deepEqual(versions, ['v2', 'v1']);
    scheme.define('xs.a.example', [], undefined);
    scheme.define('xs.a.example', [], undefined);
    assert.deepEqual(changes, [
      { added: [v1], removed: [], versions: new Set(['v1', 'v2']) },
      { added: [], removed: [v1], versions: new Set(['v1', 'v2']) },
    ]);
    stop();
    scheme.define('xs.a.example', [v1], v1);
    assert.equal(changes.length, 2);
  });

  it('leaves the groups and versions that a change does not touch as they are', () => {
    const scheme = newScheme();
    const one = kindOf(scheme, 'a.example', 'v1', 'xs');
    scheme.define('xs.a.example', [one], one);
    const [apps, first] = [scheme.findGroup('apps'), scheme.findVersion('a.example', 'v1')];
    const other = kindOf(scheme, 'a.example', 'v2', 'ys');
    scheme.define('ys.a.example', [other], other);
    assert.equal(scheme.findGroup('apps'), apps);
    assert.equal(scheme.findVersion('a.example', 'v1'), first);
    scheme.define('ys.a.example', [], undefined);
    assert.equal(scheme.findVersion('a.example', 'v1'), first);
    assert.equal(scheme.findVersion('a.example', 'v2'), undefined);
  });

  it('looks at few of the kinds of a group to define one more, and sorts none to list them', () => {
    const scheme = newScheme();
    const count = 1_000;
    let looks = 0;
    const counted = <T extends { readonly resource: string }>(of: T): T =>
      Object.defineProperty({ ...of }, 'resource', {
        get: () => {
          looks += 1;
          return of.resource;
        },
      });
    const looksOf = (work: () => void): number => {
      looks = 0;
      work();
      return looks;
    };
    const define = (at: number): void => {
      const kind = kindOf(scheme, 'a.example', 'v1', `of${at}`);
      const watched = counted({ ...kind, storage: counted(kind.storage) });
      scheme.define(`of${at}.a.example`, [watched], watched);
    };
    // In no order: 389 and 1,000 have no factor in common.
    for (let at = 0; at < count; at += 1) define((at * 389) % count);
    assert.ok(looksOf(() => define(count)) <= 100);
    assert.equal(
      looksOf(() => assert.equal(scheme.findVersion('a.example', 'v1')?.kinds.length, count + 1)),
      0,
    );
    const stored = looksOf(() => assert.ok(scheme.storageResources.length > count));
    assert.ok(stored <= 4 * count, `${stored}`);
    const names = scheme.findVersion('a.example', 'v1')?.kinds.map(({ resource }) => resource);
    assert.deepEqual(names, [...(names ?? [])].sort());
    scheme.define('of7.a.example', [], undefined);
    assert.equal(scheme.findVersion('a.example', 'v1')?.kinds.length, count);
    assert.ok(!scheme.storageResources.some(({ resource }) => resource === 'of7'));
  });

  it('looks at few of the versions of a group to define one more, and lists the others', () => {
    let read = 0;
    const made = (count: number) => {
      const always = newScheme();
      const scheme = serveScheme(always.groups, (version) => {
        read += 1;
        return version;
      });
      const define = (at: number): void => {
        const kind = kindOf(scheme, 'a.example', `v${at}`, `of${at}`);
        scheme.define(`of${at}.a.example`, [kind], kind);
      };
      for (let at = 0; at < count; at += 1) define((at * 389) % count);
      return { define, scheme };
    };
    const prepare = (count: number) => {
      const { define, scheme } = made(count);
      return () => {
        for (let round = 0; round < 20; round += 1) {
          define(7);
          assert.equal(scheme.findGroup('a.example')?.versions.length, count);
        }
      };
    };
    assertLinear({ name: 'versions of a group', prepare }, 500);
    const { define, scheme } = made(1_000);
    const versions = scheme.findGroup('a.example')?.versions ?? [];
    assert.deepEqual(
      versions.map(({ version }) => version),
      versions.map(({ version }) => version).sort(),
    );
    read = 0;
    define(1_000);
    const more = scheme.findGroup('a.example')?.versions ?? [];
    assert.equal(read, 1, 'its name is read once, and no other');
    const others = more.filter(({ version }) => version !== 'v1000');
    assert.ok(others.every((version, at) => version === versions[at]));
    assert.equal(
      scheme.findVersion('a.example', 'v1000'),
      more.find((v) => v.version === 'v1000'),
    );
    scheme.define('of1000.a.example', [], undefined);
    assert.deepEqual(scheme.findGroup('a.example')?.versions.length, versions.length);
    assert.equal(scheme.findVersion('a.example', 'v1000'), undefined);
  });

  it('keeps the order of versions that go and come again, be they listed in between or not', () => {
    const scheme = newScheme();
    const names = (): readonly string[] =>
      scheme.findGroup('a.example')?.versions.map(({ version }) => version) ?? [];
    const define = (of: number, ...versions: readonly string[]): void => {
      const kinds = versions.map((version) => kindOf(scheme, 'a.example', version, `of${of}`));
      scheme.define(`of${of}.a.example`, kinds, kinds[0]);
    };
    // More than are listed with each change.
    for (let at = 1; at <= 20; at += 1) define(at, `v${at}alpha1`);
    const others = names().slice(1);
    define(20, 'v1', 'v3beta1');
    define(20, 'v3beta1', 'foo', 'v2');
    define(20, 'foo', 'v2', 'v1');
    define(1, 'v1');
    assert.deepEqual(names(), ['v2', 'v1', ...others.slice(0, -1), 'foo']);
    define(20, 'v20alpha1');
    define(20, 'foo', 'v1', 'v2');
    define(1, 'v1alpha1');
    assert.deepEqual(names(), ['v2', 'v1', ...others, 'foo']);
  });

  it('lists small groups, and the versions in them, as they come and go', () => {
    const scheme = newScheme();
    const own = (): readonly string[] =>
      scheme.groups.map(({ group }) => group).filter((group) => group.endsWith('.example'));
    const define = (group: string, version: string): void => {
      const kind = kindOf(scheme, group, version, 'xs');
      scheme.define(`xs.${group}`, [kind], kind);
    };
    for (const group of ['c.example', 'a.example', 'b.example']) define(group, 'v1');
    assert.deepEqual(own(), ['a.example', 'b.example', 'c.example']);
    scheme.define('xs.b.example', [], undefined);
    define('a.example', 'v2');
    assert.deepEqual(own(), ['a.example', 'c.example']);
    const versions = scheme.findGroup('a.example')?.versions.map(({ version }) => version);
    assert.deepEqual(versions, ['v2']);
  });

  it('never hides what is built in', () => {
    const scheme = newScheme();
    const pods = scheme.findResource('', 'v1', 'pods');
    const claimed = { ...kindOf(scheme, '', 'v1', 'pods'), kind: 'Pod' };
    scheme.define('pods.', [claimed], claimed);
    assert.equal(scheme.findResource('', 'v1', 'pods'), pods);
    assert.equal(scheme.generation, 0);
  });
});

describe('names of definitions', () => {
  const names = (plural: string, kind: string, shortNames: string[] = []): DefinitionNames => ({
    plural,
    singular: kind.toLowerCase(),
    shortNames,
    kind,
    listKind: `${kind}List`,
    categories: [],
  });
  const none = names('', '');
  const rows: readonly (readonly [string, DefinitionNames, DefinitionNames, string | undefined])[] =
    [
      ['free ones are accepted', names('as', 'A'), none, undefined],
      [
        'a plural that is a short name',
        names('b', 'A'),
        none,
        'PluralConflict "b" is already in use',
      ],
      ['a kind', names('as', 'B'), none, 'ListKindConflict "BList" is already in use'],
      [
        'short names, all of them named',
        names('as', 'A', ['b', 'bs']),
        none,
        'ShortNamesConflict ["b" is already in use, "bs" is already in use]',
      ],
      [
        'a short name that is asked for twice, named once',
        names('as', 'A', ['b', 'b']),
        none,
        'ShortNamesConflict "b" is already in use',
      ],
      ['one that was accepted stays', names('b', 'A'), names('b', 'A'), undefined],
    ];
  for (const [title, requested, before, expected] of rows) {
    it(title, () => {
      const group = createGroupNames();
      group.set('bs', { accepted: names('bs', 'B', ['b']), isAccepted: true });
      group.set('as', { accepted: before, isAccepted: true });
      const { conflict } = acceptNames(requested, before, group.byOthers('as'));
      assert.equal(conflict && `${conflict.reason} ${conflict.message}`, expected);
    });
  }

  it('a name is taken by others only, and free when they have gone', () => {
    const group = createGroupNames();
    const taken = (): readonly boolean[] => {
      const others = group.byOthers('as');
      return [others.hasResource('a'), others.hasResource('c'), others.hasKind('B')];
    };
    group.set('as', { accepted: names('as', 'A', ['a']), isAccepted: true });
    group.set('bs', { accepted: names('bs', 'B', ['c', 'c']), isAccepted: false });
    assert.deepEqual(taken(), [false, true, true]);
    assert.deepEqual([...group.refused], ['bs']);
    group.set('bs', { accepted: names('bs', 'B', ['a']), isAccepted: true });
    assert.deepEqual(taken(), [true, false, true]);
    assert.deepEqual([...group.refused], []);
    group.remove('bs');
    assert.deepEqual(taken(), [false, false, false]);
    assert.equal(group.size, 1);
  });

  it('a change that gives up no name has nobody look for one', () => {
    const group = createGroupNames();
    const given = (short: readonly string[], isAccepted: boolean) => ({
      accepted: names('as', 'A', [...short]),
      isAccepted,
    });
    group.set('as', given(['x'], false));
    group.set('as', given(['x', 'y'], true));
    group.set('bs', { accepted: none, isAccepted: false });
    assert.equal(group.takeFreed(), false);
    group.update('as', given(['y'], true));
    group.set('as', given(['y'], true));
    assert.equal(group.takeFreed(), true, 'x is free');
    assert.equal(group.takeFreed(), false, 'and that is told once');
  });

  it('versions stand by stability, then by number, then by name', () => {
    const sorted = [
      ...[
        'foo',
        'v1beta1',
        'v10',
        'v1alpha2',
        'v2',
        'bar',
        'v11beta2',
        'v1beta10',
        'v01',
        'v1beta0',
      ],
      ...['v1beta9', 'v999999999999999', 'v9999999999999999'],
    ];
    const byKey = (a: string, b: string): number =>
      versionOrderKey(a) < versionOrderKey(b) ? -1 : 1;
    assert.deepEqual(sorted.sort(byKey), [
      'v999999999999999',
      'v10',
      'v2',
      'v11beta2',
      'v1beta10',
      'v1beta9',
      'v1beta1',
      'v1alpha2',
      'bar',
      'foo',
      'v01',
      'v1beta0',
      // Too long to be a number.
      'v9999999999999999',
    ]);
  });
});
