/** What a version asks of new objects, and what it lets older objects keep. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { formatFieldError } from '../../src/apimachinery/field-error.ts';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { certificateProblems } from '../../src/apis/certificates/certificate-chains.ts';
import { stableSliceStrategy } from '../../src/apis/discovery/topology.ts';
import { rulesByVersion } from './rules-by-resource.ts';
import { kubernetes } from '../support/data/versioned-kinds.ts';

const versionRules = rulesByVersion(kubernetes);

function object(content: JsonObject): ApiObject {
  return { apiVersion: 'v1', kind: 'K', metadata: { name: 'x' }, ...content };
}

function created(key: string, content: JsonObject): readonly string[] {
  const own = versionRules.get(key);
  assert.ok(own, key);
  return (own.validateCreate?.(object(content)) ?? []).map(formatFieldError);
}

function updated(key: string, next: JsonObject, current: JsonObject): readonly string[] {
  const own = versionRules.get(key);
  assert.ok(own, key);
  return (own.validateUpdate?.(object(next), object(current)) ?? []).map(formatFieldError);
}

const definitions = 'apiextensions.k8s.io/v1/customresourcedefinitions';
const definition = (openAPIV3Schema: JsonObject): JsonObject => ({
  spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema } }] },
});
const hooks = 'admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const hook = (sideEffects: string, name = 'a') => ({ webhooks: [{ name, sideEffects }] });
const requests = 'certificates.k8s.io/v1/certificatesigningrequests';
const usages = (...list: string[]): JsonObject => ({ spec: { signerName: 'a.b/c', usages: list } });
const events = 'events.k8s.io/v1/events';
const event: JsonObject = {
  eventTime: '2020-01-02T03:04:05.000006Z',
  reportingComponent: 'example.org/c',
  reportingInstance: 'c-1',
  action: 'Look',
  reason: 'Seen',
  type: 'Normal',
};

describe('an update', () => {
  const rows: readonly (readonly [string, string, JsonObject, JsonObject, readonly string[]])[] = [
    ['keeps side effects that were there', hooks, hook('Some'), hook('Unknown'), []],
    [
      'brings no new side effects',
      hooks,
      hook('Some'),
      hook('None'),
      [
        'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
      ],
    ],
    ['keeps usages that were named twice', requests, usages('a', 'a'), usages('b', 'b'), []],
    [
      'names no usage twice',
      requests,
      usages('a', 'a'),
      usages('a'),
      ['spec.usages[1]: Duplicate value: "a"'],
    ],
    [
      'keeps a definition without a schema',
      definitions,
      { spec: { versions: [{ name: 'v1' }, { name: 'v2' }] } },
      { spec: { versions: [{ name: 'v1' }] } },
      [],
    ],
    [
      'takes no schema from a definition',
      definitions,
      { spec: { versions: [{ name: 'v1' }] } },
      definition({ type: 'object' }),
      ['spec.versions[0].schema.openAPIV3Schema: Required value'],
    ],
    [
      'counts an event on',
      events,
      { ...event, series: { count: 2, lastObservedTime: 't' } },
      event,
      [],
    ],
    [
      'counts an event from two on',
      events,
      { ...event, series: { count: 1 } },
      event,
      [
        'series.count: Invalid value: "": should be at least 2',
        'series.lastObservedTime: Required value',
      ],
    ],
    [
      'changes nothing else of an event',
      events,
      { ...event, reason: 'Other' },
      event,
      ['reason: Invalid value: "Other": field is immutable'],
    ],
    [
      'names who reports an event as its version does',
      events,
      { ...event, reportingComponent: 'example.org/d' },
      event,
      ['reportingController: Invalid value: "example.org/d": field is immutable'],
    ],
  ];
  for (const [title, key, next, current, errors] of rows) {
    it(title, () => assert.deepEqual(updated(key, next, current), errors));
  }
});

describe('a definition in a group of the service', () => {
  const of = (group: string, approved?: string): readonly string[] =>
    created(definitions, {
      metadata: { annotations: approved === undefined ? {} : { [approval]: approved } },
      spec: { group },
    });
  const approval = 'api-approved.kubernetes.io';
  const field = `metadata.annotations[${approval}]`;
  const detail = `protected groups must have approval annotation "${approval}"`;
  const why = ', see https://github.com/kubernetes/enhancements/pull/1111';
  const wanted = `${detail} with either a URL or a reason starting with "unapproved"${why}`;
  const missing = `${field}: Required value: ${detail}${why}`;
  const rows: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['is not asked about elsewhere', ['example.org'], []],
    ['nor where the domain is but a part of the name', ['mk8s.io'], []],
    ['says who agreed', ['k8s.io'], [missing]],
    ['or in a group below', ['storage.k8s.io'], [missing]],
    ['by a URL', ['k8s.io', 'https://example.org/review/1'], []],
    ['or that nobody did', ['x.kubernetes.io', 'unapproved, an experiment'], []],
    ['and nothing else', ['k8s.io', 'yes'], [`${field}: Invalid value: "yes": ${wanted}`]],
  ];
  for (const [title, [group = '', approved], errors] of rows) {
    it(title, () => assert.deepEqual(of(group, approved), errors));
  }
});

describe('a new event', () => {
  it('without a time of its own may say nothing in the core group', () => {
    assert.deepEqual(created('/v1/events', {}), []);
  });

  it('with one says who reports, under the name of its version', () => {
    const { reportingComponent: _who, action: _what, ...rest } = event;
    for (const [key, name] of [
      ['/v1/events', 'reportingComponent'],
      ['events.k8s.io/v1beta1/events', 'reportingController'],
    ] as const) {
      const [first, ...more] = created(key, rest);
      assert.equal(first, `${name}: Required value`);
      assert.equal(more.at(-1), 'action: Required value');
      // An empty name is no name of a reporter either, in both of its parts.
      const invalid = `${name}: Invalid value: "": name part must`;
      assert.deepEqual(
        [more.length, more.filter((each) => each.startsWith(invalid)).length],
        [3, 2],
      );
    }
  });

  it('is short', () => {
    const long = { ...event, action: 'a'.repeat(129), message: 'm'.repeat(1025) };
    assert.deepEqual(created(events, long), [
      'action: Invalid value: "": can have at most 128 characters',
      'message: Invalid value: "": can have at most 1024 characters',
    ]);
  });
});

describe('an issued certificate', () => {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const block = (type: string, content: string): string =>
    `-----BEGIN ${type}-----\n${content}\n-----END ${type}-----\n`;
  const problems = (text: string): readonly string[] =>
    certificateProblems('c', base64(text)).map(formatFieldError);

  it('is one certificate in PEM, or several, and nothing else', () => {
    const own = execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
      ].concat(['-keyout', '/dev/null', '-subj', '/CN=u', '-days', '1']),
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    );
    assert.deepEqual(problems(own), []);
    assert.deepEqual(problems(own + own), []);
    const start = 'c: Invalid value: "<certificate data>": ';
    assert.deepEqual(problems(own + block('PRIVATE KEY', 'AAAA')), [
      `${start}only CERTIFICATE PEM blocks are allowed, found "PRIVATE KEY"`,
    ]);
    assert.deepEqual(problems(block('CERTIFICATE', 'AAAA')), [
      `${start}holds a block that is no certificate`,
    ]);
    assert.deepEqual(problems(own.replace('-----\n', '-----\nA: b\n\n')), [
      `${start}no PEM block headers are permitted`,
    ]);
    assert.deepEqual(problems('x'), [`${start}must contain at least one CERTIFICATE PEM block`]);
    assert.deepEqual(problems(''), []);
  });
});

describe('the topology of endpoints in discovery/v1', () => {
  const strategy = stableSliceStrategy(kubernetes);
  const slice = (...endpoints: JsonObject[]) => object({ endpoints });
  const deprecatedTopology = { 'kubernetes.io/hostname': 'n', other: 'o' };

  it('is not taken from a new slice', () => {
    const made = strategy.prepareForCreate?.(slice({ addresses: ['a'], deprecatedTopology }));
    assert.deepEqual(made?.['endpoints'], [{ addresses: ['a'] }]);
  });

  it('stays as long as no endpoint changes', () => {
    const current = slice({ addresses: ['a'], deprecatedTopology });
    const next = { ...current, metadata: { name: 'x', labels: { a: 'b' } } };
    assert.equal(strategy.prepareForUpdate?.(next, current, 0), next);
  });

  it('goes with a change, but for a node that was named there before', () => {
    const current = slice({ addresses: ['a'], deprecatedTopology });
    const next = slice(
      { addresses: ['b'], deprecatedTopology },
      { addresses: ['c'], deprecatedTopology: { 'kubernetes.io/hostname': 'new' } },
    );
    assert.deepEqual(strategy.prepareForUpdate?.(next, current, 0)['endpoints'], [
      { addresses: ['b'], nodeName: 'n' },
      { addresses: ['c'] },
    ]);
  });
});
