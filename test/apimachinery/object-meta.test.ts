/** Names and metadata: what is decoded, what is valid, what may change (spec 1, section 2.2). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatFieldError } from '../../src/apimachinery/field-error.ts';
import { generateName } from '../../src/apimachinery/names.ts';
import type { ApiObject, JsonObject, ObjectMeta } from '../../src/apimachinery/unstructured.ts';
import { checkMetaShape } from '../../src/apimachinery/validation/meta-shape.ts';
import * as names from '../../src/apimachinery/validation/names.ts';
import {
  ANNOTATIONS_BYTES_MAX,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from '../../src/apimachinery/validation/object-meta.ts';
import { seededPrng } from '../../src/stdx/prng.ts';

const a = (length: number): string => 'a'.repeat(length);

describe('names', () => {
  const forms: [string, names.NameCheck, string[], string[]][] = [
    [
      'DNS label',
      names.checkDns1123Label,
      ['a', 'a-b', '0', '1a', a(63)],
      ['', 'A', '-a', 'a-', 'a.b', 'a_b', 'a b', 'é', a(64), 'a\n'],
    ],
    [
      'DNS subdomain',
      names.checkDns1123Subdomain,
      ['a', 'a.b', 'a-b.c-d', a(253)],
      ['', '.', 'a.', '.a', 'a..b', 'A.b', 'a/b', a(254)],
    ],
    ['DNS 1035 label', names.checkDns1035Label, ['a', 'a1', 'a-1'], ['', '1a', 'a.b', a(64)]],
    [
      'qualified name',
      names.checkQualifiedName,
      ['a', 'A_b.c-d', 'example.com/X', `${a(253)}/${a(63)}`],
      ['', '/a', 'a/', 'a/b/c', 'Example.com/a', '-a', 'a-', 'a b', a(64), `${a(254)}/a`],
    ],
    [
      'label value',
      names.checkLabelValue,
      ['', 'a', 'A_b.c-1', a(63)],
      ['-a', 'a-', 'a b', 'a/b', a(64), 'é'],
    ],
    ['path segment', names.checkPathSegmentName, ['a', 'A:b c', '...'], ['.', '..', 'a/b', 'a%b']],
  ];
  for (const [form, check, good, bad] of forms) {
    it(`${form} accepts ${good.length} and refuses ${bad.length}`, () => {
      for (const value of good) assert.deepEqual(check(value), [], value);
      for (const value of bad) assert.ok(check(value).length > 0, JSON.stringify(value));
    });
  }

  it('have the same form however long they are', () => {
    const ends = ['', '-', '.', '_', 'A', '0', 'a', '-.', '.-', '..'];
    const middles = ['', '.', '-', '--', '..', '-.', '.-', 'a.b-c', 'A', '_', 'é', '\n'];
    // A part of a qualified name says of itself that it is too long.
    const rulesOf = (check: names.NameCheck, value: string): readonly string[] =>
      check(value).filter((rule) => !rule.includes('must be no more than'));
    for (const check of [
      names.checkDns1123Label,
      names.checkDns1123Subdomain,
      names.checkDns1035Label,
      names.checkQualifiedName,
      names.checkLabelValue,
    ]) {
      for (const start of ends) {
        for (const middle of middles) {
          for (const end of ends) {
            const around = (length: number): string =>
              `${start}${a(length)}${middle}${a(length)}${end}`;
            const [short, long] = [rulesOf(check, around(2)), rulesOf(check, around(1_000))];
            assert.deepEqual(long, short, JSON.stringify([start, middle, end]));
          }
        }
      }
    }
  });

  it('are explained in the customary words', () => {
    const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
    assert.deepEqual(names.checkDns1123Subdomain('A'), [
      'a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, ' +
        "'-' or '.', and must start and end with an alphanumeric character (e.g. " +
        `'example.com', regex used for validation is '${label}(\\.${label})*')`,
    ]);
    assert.deepEqual(names.checkDns1123Label('a.b'), ['must not contain dots']);
    assert.deepEqual(names.checkDns1123Label(a(64)), ['must be no more than 63 characters']);
    assert.match(
      names.checkQualifiedName('a b')[0] ?? '',
      /^name part must consist of .* \(e\.g\. 'MyName',  or 'my\.name',  or '123-abc', regex used/,
    );
    assert.equal(names.checkQualifiedName('/a')[0], 'prefix part must be non-empty');
    assert.deepEqual(names.checkPathSegmentName('a/%'), [
      "may not contain '/'",
      "may not contain '%'",
    ]);
  });

  it('may end in a dash when something is appended', () => {
    assert.deepEqual(names.dns1123Label('web-', true), []);
    assert.ok(names.dns1123Label('web-', false).length > 0);
    assert.ok(names.dns1123Label('-', true).length > 0);
    assert.deepEqual(names.pathSegmentName('..', true), []);
    assert.ok(names.pathSegmentName('..', false).length > 0);
  });
});

describe('generateName', () => {
  it('keeps the base, appends five of 27 characters and fits a label', () => {
    const base = fc.stringMatching(/^[a-z][-a-z0-9]{0,80}$/);
    fc.assert(
      fc.property(base, fc.nat(), (prefix, seed) => {
        const name = generateName(prefix, seededPrng(seed));
        assert.ok(name.length <= 63);
        assert.equal(name.slice(0, -5), prefix.slice(0, 58));
        assert.match(name.slice(-5), /^[bcdfghjklmnpqrstvwxz2456789]{5}$/);
        assert.deepEqual(names.checkDns1123Label(name), []);
      }),
    );
  });
  it('uses the whole alphabet', () => {
    const prng = seededPrng(1);
    const seen = new Set<string>();
    for (let i = 0; i < 200; i += 1) for (const c of generateName('', prng)) seen.add(c);
    assert.equal(seen.size, 27);
  });
});

function shaped(object: JsonObject): ApiObject {
  const shape = checkMetaShape(object);
  assert.ok(shape.kind === 'ok');
  return shape.object;
}

describe('the shape of metadata', () => {
  it('is in one order, without null and empty members, times in whole UTC seconds', () => {
    const metadata = {
      finalizers: ['x/y'],
      labels: { b: '1', a: null },
      annotations: {},
      creationTimestamp: '2026-01-02T05:04:05.5+02:00',
      deletionTimestamp: null,
      ownerReferences: [{ uid: 'u', kind: 'K', name: 'n', apiVersion: 'v1', controller: true }],
      generation: 0,
      name: 'n',
      namespace: '',
      managedFields: [{ manager: 'm', time: '2026-01-02T03:04:05Z', fieldsV1: { 'f:a': {} } }],
    };
    const { metadata: result } = shaped({ apiVersion: 'v1', kind: 'K', metadata });
    assert.equal(
      JSON.stringify(result),
      JSON.stringify({
        name: 'n',
        creationTimestamp: '2026-01-02T03:04:05Z',
        labels: { a: '', b: '1' },
        ownerReferences: [{ apiVersion: 'v1', kind: 'K', name: 'n', uid: 'u', controller: true }],
        finalizers: ['x/y'],
        managedFields: [{ manager: 'm', time: '2026-01-02T03:04:05Z', fieldsV1: { 'f:a': {} } }],
      }),
    );
  });

  it('once checked stays the same', () => {
    const object = { metadata: { name: 'a', labels: { b: '1', a: '2' }, finalizers: ['x/y'] } };
    const once = shaped(object);
    assert.equal(JSON.stringify(shaped(once)), JSON.stringify(once));
  });

  it('leaves the rest of the object alone and fills what is absent', () => {
    assert.deepEqual(shaped({ spec: { a: 1n } }), {
      apiVersion: '',
      kind: '',
      metadata: {},
      spec: { a: 1n },
    });
  });

  it('names the fields that metadata does not have', () => {
    const shape = checkMetaShape({
      metadata: { foo: 1, ownerReferences: [{ bar: 1 }], labels: { any: 'thing' } },
    });
    assert.ok(shape.kind === 'ok');
    assert.deepEqual([...shape.unknownFields].sort(), [
      'metadata.foo',
      'metadata.ownerReferences[0].bar',
    ]);
  });

  const wrong: [JsonObject, string][] = [
    [{ kind: 5 }, 'kind: expected a string, found a number'],
    [{ apiVersion: {} }, 'apiVersion: expected a string, found an object'],
    [{ metadata: [] }, 'metadata: expected an object, found a list'],
    [{ metadata: { name: 5 } }, 'metadata.name: expected a string, found a number'],
    [
      { metadata: { labels: 'x' } },
      'metadata.labels: expected an object of strings, found a string',
    ],
    [
      { metadata: { labels: { 'a.b/c': 5n } } },
      'metadata.labels[a.b/c]: expected a string, found a number',
    ],
    [
      { metadata: { annotations: { a: true } } },
      'metadata.annotations[a]: expected a string, found a boolean',
    ],
    [
      { metadata: { finalizers: 'x' } },
      'metadata.finalizers: expected a list of strings, found a string',
    ],
    [
      { metadata: { finalizers: [1] } },
      'metadata.finalizers[0]: expected a string, found a number',
    ],
    [
      { metadata: { creationTimestamp: 'now' } },
      'metadata.creationTimestamp: expected an RFC 3339 time, found another string',
    ],
    [
      { metadata: { deletionTimestamp: 5 } },
      'metadata.deletionTimestamp: expected an RFC 3339 time, found a number',
    ],
    [{ metadata: { generation: 1.5 } }, 'metadata.generation: expected an integer, found a number'],
    [{ metadata: { generation: '1' } }, 'metadata.generation: expected an integer, found a string'],
    [
      { metadata: { ownerReferences: [{ controller: 'yes' }] } },
      'metadata.ownerReferences[0].controller: expected a boolean, found a string',
    ],
    [
      { metadata: { ownerReferences: ['x'] } },
      'metadata.ownerReferences[0]: expected an object, found a string',
    ],
    [
      { metadata: { managedFields: [{ fieldsV1: [] }] } },
      'metadata.managedFields[0].fieldsV1: expected an object, found a list',
    ],
  ];
  for (const [object, expected] of wrong) {
    it(`refuses: ${expected}`, () => {
      const shape = checkMetaShape(object);
      assert.deepEqual(shape, { kind: 'refused', problem: expected });
    });
  }
});

const rules = { namespaced: true, nameValidator: names.dns1123Subdomain };
const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' };

function created(meta: ObjectMeta, overrides: Partial<typeof rules> = {}): string[] {
  const complete = { name: 'n', namespace: 'ns', ...meta };
  return validateObjectMeta(complete, { ...rules, ...overrides }).map(formatFieldError);
}

describe('metadata on create', () => {
  const good: ObjectMeta[] = [
    {},
    { generateName: 'n-' },
    { labels: { 'example.com/App': 'Web_1.0', empty: '' } },
    { annotations: { 'Example.COM/Key': 'any\nthing', k: a(ANNOTATIONS_BYTES_MAX - 25) } },
    { finalizers: ['example.com/f', 'orphan', 'kubernetes'] },
    { finalizers: ['foregroundDeletion'] },
    { ownerReferences: [owner, { ...owner, controller: true }, { ...owner, controller: false }] },
    { ownerReferences: [{ ...owner, apiVersion: 'events.k8s.io/v1', kind: 'Event' }] },
    { managedFields: [{ manager: 'm', operation: 'Apply', fieldsType: 'FieldsV1' }] },
  ];
  good.forEach((meta, i) => {
    it(`row ${i} is valid`, () => assert.deepEqual(created(meta), []));
  });
  it('of a cluster-scoped kind has no namespace', () => {
    const cluster = { namespaced: false };
    assert.deepEqual(created({ namespace: '' }, cluster), []);
    assert.deepEqual(created({}, cluster), [
      'metadata.namespace: Forbidden: not allowed on this type',
    ]);
  });

  const field = 'metadata.ownerReferences';
  const bad: [ObjectMeta, RegExp][] = [
    [{ name: '' }, /^metadata\.name: Required value: name or generateName is required$/],
    [{ name: 'A' }, /^metadata\.name: Invalid value: "A": a lowercase RFC 1123 subdomain/],
    [{ generateName: 'A-' }, /^metadata\.generateName: Invalid value: "A-": /],
    [{ namespace: '' }, /^metadata\.namespace: Required value$/],
    [{ namespace: 'a.b' }, /^metadata\.namespace: Invalid value: "a\.b": must not contain dots$/],
    [{ generation: -1 }, /^metadata\.generation: Invalid value: -1: must be greater than or/],
    [{ labels: { 'a b': 'x' } }, /^metadata\.labels: Invalid value: "a b": name part must/],
    [{ labels: { a: 'b c' } }, /^metadata\.labels: Invalid value: "b c": a valid label must/],
    [{ annotations: { 'a b': '' } }, /^metadata\.annotations: Invalid value: "a b": name part/],
    [
      { annotations: { k: a(ANNOTATIONS_BYTES_MAX) } },
      /^metadata\.annotations: Too long: may not be more than 262144 bytes$/,
    ],
    [{ annotations: { k: '함'.repeat(90_000) } }, /^metadata\.annotations: Too long/],
    [{ finalizers: ['a b/c'] }, /^metadata\.finalizers: Invalid value: "a b\/c": prefix part/],
    [
      { finalizers: ['mine'] },
      /^metadata\.finalizers\[0\]: Invalid value: "mine": name is neither a standard finalizer/,
    ],
    [
      { finalizers: ['orphan', 'foregroundDeletion'] },
      /^metadata\.finalizers: Invalid value: \["orphan",.*\]: .* orphan and foregroundDeletion/,
    ],
    ...(['kind', 'name', 'uid'] as const).map((name): [ObjectMeta, RegExp] => [
      { ownerReferences: [{ ...owner, [name]: '' }] },
      new RegExp(`^metadata\\.ownerReferences\\.${name}: Invalid value: "": must not be empty$`),
    ]),
    ...['', 'a/b/c', 'a/'].map((apiVersion): [ObjectMeta, RegExp] => [
      { ownerReferences: [{ ...owner, apiVersion }] },
      new RegExp(`apiVersion: Invalid value: "${apiVersion}": version must not be empty$`),
    ]),
    [
      { ownerReferences: [{ ...owner, kind: 'Event' }] },
      /^metadata\.ownerReferences: Invalid value: .*Kind=Event is disallowed from being/,
    ],
    [
      {
        ownerReferences: [
          { ...owner, controller: true },
          { ...owner, name: 'q', controller: true },
        ],
      },
      new RegExp(`^${field}: Invalid value: .*Only one reference .* for Pod/p and Pod/q$`),
    ],
    [
      { managedFields: [{ operation: 'x' }] },
      /^metadata\.managedFields\[0\]\.operation: Unsupported value: "x": supported values: "Apply"/,
    ],
    [{ managedFields: [{}] }, /^metadata\.managedFields\[0\]\.operation: Required value/],
    [
      { managedFields: [{ operation: 'Apply', fieldsType: 'V2' }] },
      /^metadata\.managedFields\[0\]\.fieldsType: Invalid value: "V2"/,
    ],
    [
      { managedFields: [{ operation: 'Apply', manager: a(129) }] },
      /^metadata\.managedFields\[0\]\.manager: Too long/,
    ],
    [
      { managedFields: [{ operation: 'Apply', subresource: a(257) }] },
      /^metadata\.managedFields\[0\]\.subresource: Too long/,
    ],
  ];
  bad.forEach(([meta, message], i) => {
    it(`row ${i} is refused: ${message.source.slice(0, 60)}`, () => {
      const errors = created(meta);
      assert.equal(errors.length, 1, errors.join('\n'));
      assert.match(errors[0] ?? '', message);
    });
  });
});

describe('metadata on update', () => {
  const current: ObjectMeta = {
    name: 'n',
    namespace: 'ns',
    uid: 'u',
    generation: 3,
    creationTimestamp: '2026-01-02T03:04:05Z',
    finalizers: ['legacy', 'example.com/f'],
  };
  const deleting = { ...current, deletionTimestamp: '2026-01-02T03:05:05Z' };
  const updated = (next: ObjectMeta, was: ObjectMeta = current): string[] =>
    validateObjectMetaUpdate({ ...was, ...next }, was).map(formatFieldError);

  it('may change labels, annotations, owners and finalizers', () => {
    const next = { labels: { a: 'b' }, annotations: { a: 'b' }, ownerReferences: [owner] };
    assert.deepEqual(updated({ ...next, generation: 4, finalizers: ['example.com/g'] }), []);
  });
  it('does not judge stored finalizers again, so they can be removed one by one', () => {
    assert.deepEqual(updated({ finalizers: ['legacy'] }), []);
    assert.deepEqual(updated({ finalizers: [] }, deleting), []);
    assert.deepEqual(updated({ finalizers: ['example.com/f', 'legacy'] }, deleting), []);
  });

  const bad: [ObjectMeta, ObjectMeta, string][] = [
    [current, { name: 'm' }, 'metadata.name: Invalid value: "m": field is immutable'],
    [current, { namespace: 'x' }, 'metadata.namespace: Invalid value: "x": field is immutable'],
    [current, { uid: undefined }, 'metadata.uid: Invalid value: "": field is immutable'],
    [
      current,
      { creationTimestamp: undefined },
      'metadata.creationTimestamp: Invalid value: null: field is immutable',
    ],
    [
      deleting,
      { deletionTimestamp: undefined },
      'metadata.deletionTimestamp: Invalid value: null: field is immutable',
    ],
    [
      current,
      { deletionGracePeriodSeconds: 0 },
      'metadata.deletionGracePeriodSeconds: Invalid value: 0: field is immutable',
    ],
    [
      current,
      { deletionGracePeriodSeconds: -1 },
      'metadata.deletionGracePeriodSeconds: Invalid value: -1: field is immutable',
    ],
    [current, { generation: 2 }, 'metadata.generation: Invalid value: 2: must not be decremented'],
    [
      deleting,
      { finalizers: ['example.com/f', 'example.com/z', 'example.com/g'] },
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being ' +
        'deleted, found new finalizers []string{"example.com/g", "example.com/z"}',
    ],
    [
      current,
      { labels: { a: '-' } },
      'metadata.labels: Invalid value: "-": ' + (names.checkLabelValue('-')[0] ?? ''),
    ],
  ];
  for (const [was, next, message] of bad) {
    it(`is refused: ${message.slice(0, 70)}`, () =>
      assert.deepEqual(updated(next, was), [message]));
  }
});
