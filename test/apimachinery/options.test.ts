/** What the query and the body of a request may ask for (spec 1, sections 2.7, 4.2, 4.7-4.10). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseDeleteOptions } from '../../src/apimachinery/delete-options.ts';
import type { DeleteOptions } from '../../src/apimachinery/delete-options.ts';
import { parseGetOptions, parseListOptions } from '../../src/apimachinery/list-options.ts';
import type { ListOptions } from '../../src/apimachinery/list-options.ts';
import { parseQuery, queryBoolean, queryInteger } from '../../src/apimachinery/query.ts';
import type { QueryParameters } from '../../src/apimachinery/query.ts';
import { StatusError } from '../../src/apimachinery/status-error.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { parseWriteOptions } from '../../src/apimachinery/write-options.ts';
import type { WriteOptions } from '../../src/apimachinery/write-options.ts';
import { readCorpus } from '../support/data/corpora.ts';

const context = { metaGroup: 'meta.example.io' };

function query(raw: string): QueryParameters {
  const parsed = parseQuery(raw);
  assert.ok(!(parsed instanceof StatusError));
  return parsed;
}

function accepted<T>(result: T | StatusError): T {
  assert.ok(!(result instanceof StatusError), String(result));
  return result;
}

function refused(result: unknown): StatusError {
  assert.ok(result instanceof StatusError, `not refused: ${JSON.stringify(result)}`);
  return result;
}

describe('query', () => {
  const rows: [string, [string, string[]][]][] = [
    ['', []],
    [
      'a=1&b=2&a=3',
      [
        ['a', ['1', '3']],
        ['b', ['2']],
      ],
    ],
    ['watch', [['watch', ['']]]],
    ['a=b=c&&', [['a', ['b=c']]]],
    ['a+b=c%20d+e', [['a b', ['c d e']]]],
    ['s=x+in+(a%2Cb)', [['s', ['x in (a,b)']]]],
    ['k=%ED%95%A8', [['k', ['함']]]],
  ];
  for (const [raw, expected] of rows) {
    it(`reads ${JSON.stringify(raw)}`, () => assert.deepEqual([...query(raw)], expected));
  }
  for (const raw of ['a=%', 'a=%2', 'a=%zz', '%=a', 'a=%ff', 'labelSelector=x%3']) {
    it(`refuses ${raw}`, () => assert.equal(refused(parseQuery(raw)).code, 400));
  }

  const booleans: [string, boolean | undefined][] = [
    ['', undefined],
    ['b', true],
    ['b=', true],
    ['b=1', true],
    ['b=true', true],
    ['b=t', true],
    ['b=no', true],
    ['b=0', false],
    ['b=false', false],
    ['b=False', false],
    ['b=false&b=true', false],
  ];
  for (const [raw, expected] of booleans) {
    it(`boolean ${raw}: ${expected}`, () => assert.equal(queryBoolean(query(raw), 'b'), expected));
  }

  const integers: [string, number | undefined][] = [
    ['', undefined],
    ['n=5', 5],
    ['n=%2B5', 5],
    ['n=-5', -5],
    ['n=007', 7],
    ['n=9223372036854775807', Number.MAX_SAFE_INTEGER],
    ['n=-9223372036854775808', -Number.MAX_SAFE_INTEGER],
  ];
  for (const [raw, expected] of integers) {
    it(`integer ${raw}: ${expected}`, () => assert.equal(queryInteger(query(raw), 'n'), expected));
  }
  for (const raw of ['n=', 'n', 'n=x', 'n=1.5', 'n=1e3', 'n=9223372036854775808', 'n=0x1']) {
    it(`refuses integer ${raw}`, () =>
      assert.equal(refused(queryInteger(query(raw), 'n')).code, 400));
  }
});

interface ListWatchOptionsCorpus {
  readonly cases: readonly {
    readonly name: string;
    readonly options: Readonly<Record<string, string | boolean>>;
    readonly expectErrors?: readonly string[];
    readonly watchListFeatureEnabled?: boolean;
  }[];
}

describe('list options', () => {
  const { cases } = readCorpus<ListWatchOptionsCorpus>('list-watch-options/cases.json');
  cases.forEach((row, i) => {
    it(`row ${i}: ${row.name}`, () => {
      const pairs = Object.entries(row.options).map(([k, v]) => `${k}=${String(v)}`);
      const watchListEnabled = row.watchListFeatureEnabled ?? false;
      const result = parseListOptions(query(pairs.join('&')), { ...context, watchListEnabled });
      if (row.expectErrors === undefined) {
        accepted(result);
        return;
      }
      const error = refused(result);
      assert.equal(error.code, 422);
      const causes = (error.details?.causes ?? []).map((c) => `${c.field}: ${c.message}`);
      assert.deepEqual(causes.sort(), [...row.expectErrors].sort());
      assert.match(error.message, /^ListOptions\.meta\.example\.io "" is invalid: /);
    });
  });

  it('reads everything', () => {
    const raw =
      'watch=1&resourceVersion=7&labelSelector=a%3D1&fieldSelector=metadata.name%3Dx' +
      '&timeoutSeconds=60&allowWatchBookmarks=true&limit=5&pretty=false';
    const options: ListOptions = accepted(parseListOptions(query(raw), context));
    assert.deepEqual(options.resourceVersion, { kind: 'revision', revision: 7n });
    assert.equal(options.labelSelector.text, 'a=1');
    assert.equal(options.fieldSelector.text, 'metadata.name=x');
    const { watch, timeoutSeconds, allowWatchBookmarks, limit, pretty } = options;
    assert.deepEqual(
      { watch, timeoutSeconds, allowWatchBookmarks, limit, pretty },
      { watch: true, timeoutSeconds: 60, allowWatchBookmarks: true, limit: 5, pretty: false },
    );
  });

  const initial: [string, boolean | undefined][] = [
    ['watch=1', true],
    ['watch=1&resourceVersion=0', true],
    ['watch=1&resourceVersion=5', undefined],
    ['watch=1&resourceVersion=0&sendInitialEvents=false&resourceVersionMatch=NotOlderThan', false],
    ['', undefined],
  ];
  for (const [raw, expected] of initial) {
    it(`${raw || 'a list'} sends initial events: ${expected}`, () =>
      assert.equal(accepted(parseListOptions(query(raw), context)).sendInitialEvents, expected));
  }

  const bad: [string, number, RegExp][] = [
    ['limit=x', 400, /limit: Invalid value: "x": must be an integer/],
    ['limit=-1', 422, /limit: Invalid value: -1: must be greater than or equal to 0/],
    ['timeoutSeconds=-1', 422, /timeoutSeconds: Invalid value: -1/],
    ['resourceVersion=abc', 400, /resourceVersion: Invalid value: "abc"/],
    ['resourceVersion=-1', 400, /Invalid value: "-1"/],
    ['resourceVersion=01', 400, /Invalid value: "01"/],
    ['resourceVersion=9223372036854775808', 400, /Invalid value/],
    [
      'labelSelector=a%20b',
      400,
      /^unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt$/,
    ],
    ['fieldSelector=x', 400, /can't understand 'x'/],
    ['continue=abc&resourceVersion=5', 400, /not allowed when using continue/],
  ];
  for (const [raw, code, message] of bad) {
    it(`refuses ${raw}`, () => {
      const error = refused(parseListOptions(query(raw), context));
      assert.equal(error.code, code);
      assert.match(error.message, message);
    });
  }

  it('ignores resourceVersion 0 beside a continue token', () => {
    const options = accepted(parseListOptions(query('continue=abc&resourceVersion=0'), context));
    assert.equal(options.continue, 'abc');
  });

  it('of a get have a version too', () => {
    assert.deepEqual(accepted(parseGetOptions(query('resourceVersion=0'))).resourceVersion, {
      kind: 'any',
    });
    assert.equal(refused(parseGetOptions(query('resourceVersion=x'))).code, 400);
  });
});

describe('write options', () => {
  const good: [string, Partial<WriteOptions>][] = [
    ['', { dryRun: false, fieldManager: '', fieldValidation: 'Warn' }],
    ['dryRun=All', { dryRun: true }],
    ['dryRun', { dryRun: true }],
    [
      'fieldManager=kubectl&fieldValidation=Strict',
      { fieldManager: 'kubectl', fieldValidation: 'Strict' },
    ],
    [`fieldManager=${'a'.repeat(128)}`, { fieldManager: 'a'.repeat(128) }],
  ];
  for (const [raw, expected] of good) {
    it(`accepts ${raw.slice(0, 60)}`, () => {
      const options = accepted(parseWriteOptions(query(raw), 'CreateOptions', context));
      assert.deepEqual({ ...options, ...expected }, options);
    });
  }
  const bad: [string, string][] = [
    ['dryRun=yes', 'dryRun: Unsupported value: ["yes"]: supported values: "All"'],
    [
      'fieldValidation=x',
      'fieldValidation: Unsupported value: "x": supported values: "", "Ignore", "Strict", "Warn"',
    ],
    [`fieldManager=${'a'.repeat(129)}`, 'fieldManager: Too long: may not be more than 128 bytes'],
    [
      'fieldManager=a%00',
      'fieldManager: Invalid value: "a\\x00": invalid character U+0000 (at position 1)',
    ],
  ];
  for (const [raw, message] of bad) {
    it(`refuses ${raw.slice(0, 60)}`, () => {
      const error = refused(parseWriteOptions(query(raw), 'UpdateOptions', context));
      assert.equal(error.message, `UpdateOptions.meta.example.io "" is invalid: ${message}`);
    });
  }
});

describe('delete options', () => {
  const good: [string, JsonObject | undefined, Partial<DeleteOptions>][] = [
    ['', undefined, { dryRun: false, gracePeriodSeconds: undefined }],
    ['', {}, { dryRun: false }],
    ['gracePeriodSeconds=0', undefined, { gracePeriodSeconds: 0 }],
    ['gracePeriodSeconds=-5', undefined, { gracePeriodSeconds: 1 }],
    ['gracePeriodSeconds=5', { gracePeriodSeconds: 7 }, { gracePeriodSeconds: 7 }],
    ['dryRun=All', {}, { dryRun: true }],
    ['propagationPolicy=x&gracePeriodSeconds=y&uid=u', {}, { propagationPolicy: undefined }],
    ['orphanDependents=true', { propagationPolicy: 'Orphan' }, { orphanDependents: undefined }],
    ['', { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] }, { dryRun: true }],
    ['', { dryRun: null, preconditions: null }, { dryRun: false }],
    ['propagationPolicy=Orphan', undefined, { propagationPolicy: 'Orphan' }],
    ['orphanDependents=false', undefined, { orphanDependents: false }],
    [
      '',
      { preconditions: { uid: 'u' } },
      { preconditions: { uid: 'u', resourceVersion: undefined } },
    ],
    ['uid=u&resourceVersion=5', undefined, { preconditions: { uid: 'u', resourceVersion: '5' } }],
  ];
  good.forEach(([raw, body, expected], i) => {
    it(`row ${i}: accepts ${raw} ${JSON.stringify(body)}`, () => {
      const options = accepted(parseDeleteOptions(query(raw), body, context));
      assert.deepEqual({ ...options, ...expected }, options);
    });
  });

  it('of a collection leave the resourceVersion of the query to the list', () => {
    const options = parseDeleteOptions(query('resourceVersion=5'), undefined, {
      ...context,
      collection: true,
    });
    assert.equal(accepted(options).preconditions?.resourceVersion, undefined);
  });

  const both = 'orphanDependents and deletionPropagation cannot be both set';
  const bad: [string, JsonObject | undefined, number, string][] = [
    ['', { kind: 'Pod' }, 400, 'decoded object cannot be converted to DeleteOptions'],
    [
      '',
      { gracePeriodSeconds: '5' },
      400,
      'DeleteOptions cannot be decoded: gracePeriodSeconds: expected an integer',
    ],
    [
      '',
      { preconditions: { uid: 5 } },
      400,
      'DeleteOptions cannot be decoded: preconditions.uid: expected a string',
    ],
    [
      'gracePeriodSeconds=x',
      undefined,
      400,
      'gracePeriodSeconds: Invalid value: "x": must be an integer',
    ],
    [
      '',
      { orphanDependents: true, propagationPolicy: 'Orphan' },
      422,
      `propagationPolicy: Invalid value: "Orphan": ${both}`,
    ],
    [
      'propagationPolicy=x',
      undefined,
      422,
      'propagationPolicy: Unsupported value: "x": supported values: ' +
        '"Foreground", "Background", "Orphan", "nil"',
    ],
    ['dryRun=x', undefined, 422, 'dryRun: Unsupported value: ["x"]: supported values: "All"'],
    [
      '',
      { ignoreStoreReadErrorWithClusterBreakingPotential: true, gracePeriodSeconds: 0 },
      422,
      'ignoreStoreReadErrorWithClusterBreakingPotential: Invalid value: true: ' +
        'cannot be set together with .gracePeriodSeconds',
    ],
  ];
  bad.forEach(([raw, body, code, message], i) => {
    it(`row ${i}: refuses ${raw} ${JSON.stringify(body)}`, () => {
      const error = refused(parseDeleteOptions(query(raw), body, context));
      assert.equal(error.code, code);
      const prefix = code === 422 ? 'DeleteOptions.meta.example.io "" is invalid: ' : '';
      assert.equal(error.message, prefix + message);
    });
  });
});

describe('selectors of a list', () => {
  const asked = (field: string, count: number, term: (i: number) => string) => {
    const terms = Array.from({ length: count }, (_none, i) => term(i)).join();
    return parseListOptions(query(`${field}=${encodeURIComponent(terms)}`), {
      metaGroup: context.metaGroup,
      watchListEnabled: true,
    });
  };
  const rows: readonly (readonly [field: string, term: (i: number) => string])[] = [
    ['labelSelector', (i) => `!k${i}`],
    ['fieldSelector', (i) => `metadata.name!=n${i}`],
  ];
  for (const [field, term] of rows) {
    it(`have at most 128 requirements: ${field}`, () => {
      assert.equal(accepted(asked(field, 128, term)).watch, false);
      const { code, message } = refused(asked(field, 129, term));
      assert.equal(code, 400);
      assert.match(message, /at most 128 requirements/);
    });
  }

  it('may name many values', () => {
    const values = Array.from({ length: 1_000 }, (_none, i) => `v${i}`).join();
    const options = accepted(asked('labelSelector', 1, () => `k in (${values})`));
    assert.ok(options.labelSelector.matches({ k: 'v999' }));
    assert.ok(!options.labelSelector.matches({ k: 'v1000' }));
  });
});
