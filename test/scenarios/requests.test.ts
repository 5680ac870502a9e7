/**
 * What is around an object: options in the query, selectors, what is asked for in Accept, paths
 * with and without a slash at the end (spec 1, sections 4.2, 4.3 and 7).
 */
import assert from 'node:assert/strict';
import { present } from '../support/checks/partial-equal.ts';
import { runScenarios } from '../support/checks/scenario.ts';
import type { Scenario, Step } from '../support/checks/scenario.ts';
import { podSpec } from '../support/data/valid-objects.ts';

const maps = '/api/v1/namespaces/$ns/configmaps';
const pods = '/api/v1/namespaces/$ns/pods';

function badRequest(request: string, message: string | RegExp, more: Partial<Step> = {}): Step {
  return { request, status: 400, reason: 'BadRequest', message, ...more };
}

const timeouts: Scenario = {
  title: 'timeout is a duration, except for what lasts',
  steps: [
    ...['32s', '1h15m30.5s', '-5s', '%2B.5h', '0', '100ms', '1us', '1.s', ''].map(
      (timeout): Step => ({ request: `GET ${maps}?timeout=${timeout}`, status: 200 }),
    ),
    ...(
      [
        ['abc', 'invalid duration "abc"'],
        ['.', 'invalid duration "."'],
        ['-', 'invalid duration "-"'],
        ['30', 'missing unit in duration "30"'],
        ['1m30', 'missing unit in duration "1m30"'],
        ['1d', 'unknown unit "d" in duration "1d"'],
        ['1%20s', 'unknown unit " s" in duration "1 s"'],
      ] as const
    ).flatMap(([timeout, problem]) =>
      [`GET ${maps}`, `POST ${maps}`, `DELETE ${maps}/x`, 'GET /version'].map((request) =>
        badRequest(
          `${request}?timeout=${timeout}`,
          `invalid timeout specified in the request URL - time: ${problem}`,
        ),
      ),
    ),
    { request: `GET ${maps}?watch=1&timeoutSeconds=1&timeout=abc`, status: 200 },
    { request: `GET ${pods}/gone/log?timeout=abc`, status: 404 },
  ],
};

const options: Scenario = {
  title: 'a number is one, a switch is on whatever it says but 0 and false',
  steps: [
    {
      request: `POST ${maps}`,
      body: { metadata: { name: 'a' } },
      status: 201,
      save: { rv: 'metadata.resourceVersion' },
    },
    ...['limit', 'timeoutSeconds'].flatMap((name) =>
      ['abc', '1.5', '', '0x1', '9223372036854775808'].map((value) =>
        badRequest(`GET ${maps}?${name}=${value}`, new RegExp(`^${name}: .*must be an integer$`)),
      ),
    ),
    badRequest(`DELETE ${maps}/a?gracePeriodSeconds=x`, /^gracePeriodSeconds: /),
    ...(
      [
        ['DELETE', 'propagationPolicy', 'DeleteOptions'],
        ['DELETE', 'dryRun', 'DeleteOptions'],
        ['PUT', 'dryRun', 'UpdateOptions'],
        ['PUT', 'fieldValidation', 'UpdateOptions'],
      ] as const
    ).map(([method, name, kind]): Step => ({
      request: `${method} ${maps}/a?${name}=x`,
      ...(method === 'PUT' ? { body: { metadata: { name: 'a' } } } : {}),
      status: 422,
      reason: 'Invalid',
      message: /Unsupported value: .*"x"/,
      expect: { details: { kind } },
    })),
    ...['watch=abc', 'watch', 'watch=', 'watch=1', 'watch=TRUE'].map((watch): Step => ({
      request: `GET ${maps}?${watch}&timeoutSeconds=1`,
      status: 200,
      check: (reply) => assert.match(reply.text, /"type":"ADDED"/),
    })),
    ...['watch=0', 'watch=False', 'watch=false&watch=1', 'pretty=abc', 'unknown=x'].map(
      (query): Step => ({
        request: `GET ${maps}?${query}`,
        status: 200,
        expect: { kind: 'ConfigMapList' },
      }),
    ),
  ],
};

const continued: Scenario = {
  title: 'a watch that begins with the state has nothing to continue',
  steps: [
    {
      request: `POST ${maps}`,
      body: { metadata: { name: 'a' } },
      status: 201,
      save: { rv: 'metadata.resourceVersion' },
    },
    ...['', '&resourceVersion=0', '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan'].map(
      (more): Step => ({
        request: `GET ${maps}?watch=1&continue=x${more}`,
        status: 422,
        reason: 'Invalid',
        message: /resourceVersionMatch is forbidden when continue is provided/,
        expect: { details: { kind: 'ListOptions' } },
      }),
    ),
    { request: `GET ${maps}?watch=1&continue=x&resourceVersion=$rv&timeoutSeconds=1`, status: 200 },
  ],
};

/** Each in the query of a list, a watch and a deletecollection. */
const selectors: readonly (readonly [option: string, text: string, message: string | RegExp])[] = [
  [
    'labelSelector',
    'a b',
    "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
  ],
  ['labelSelector', 'a in b', "unable to parse requirement: found 'b' expected: '('"],
  ['labelSelector', 'a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
  [
    'labelSelector',
    'a in (b,',
    "unable to parse requirement: found '', expected: ',', or identifier",
  ],
  [
    'labelSelector',
    'a in (=)',
    "unable to parse requirement: found '=', expected: ',', ')' or identifier",
  ],
  ['labelSelector', 'a==(', "unable to parse requirement: found '(', expected: identifier"],
  ['labelSelector', '!=a', "found '!=', expected: !, identifier, or 'end of string'"],
  ['labelSelector', '!', "unable to parse requirement: found '', expected: identifier"],
  ['labelSelector', 'a,', "found '', expected: identifier after ','"],
  ['labelSelector', 'a=b c', "found 'c', expected: ',' or 'end of string'"],
  [
    'labelSelector',
    'a>b',
    'unable to parse requirement: values[0]: Invalid value: "b": ' +
      "for 'Gt', 'Lt' operators, the value must be an integer",
  ],
  [
    'labelSelector',
    'a/b/c=d',
    /^unable to parse requirement: <nil>: Invalid value: "a\/b\/c": a .* must consist of alphanumeric/,
  ],
  [
    'labelSelector',
    'x=a/b',
    /^unable to parse requirement: values\[0\]\[x\]: Invalid value: "a\/b": a valid label must be /,
  ],
  ['fieldSelector', 'a', "invalid selector: 'a'; can't understand 'a'"],
  [
    'fieldSelector',
    'metadata.name=a,b',
    "invalid selector: 'metadata.name=a,b'; can't understand 'b'",
  ],
  ['fieldSelector', 'metadata.name=a=b', 'invalid field selector: unescaped character in value: ='],
  ['fieldSelector', 'metadata.name=\\x', 'invalid field selector: invalid escape sequence: \\x'],
];

const selecting: Scenario = {
  title: 'a selector that cannot be read says what was found, in words that people know',
  steps: selectors.flatMap(([option, text, message]) => {
    const query = `${option}=${encodeURIComponent(text)}`;
    return [
      badRequest(`GET ${maps}?${query}`, message),
      badRequest(`GET ${maps}?watch=1&${query}`, message),
      badRequest(`DELETE ${maps}?${query}`, message),
    ];
  }),
};

const as = (kind: string, version = 'v1'): string =>
  `application/json;as=${kind};g=meta.$domain;v=${version}`;

/** Rows of Accept and request, and what comes back: a kind, or the number of a refusal. */
const projections: readonly (readonly [
  accept: string,
  request: string,
  answer: string | number,
])[] = [
  [as('Table'), `GET ${maps}`, 'Table'],
  [as('Table', 'v1beta1'), `GET ${maps}`, 'Table'],
  [as('Table', 'v2'), `GET ${maps}`, 406],
  [as('Table'), `GET ${maps}/a`, 'Table'],
  [as('PartialObjectMetadataList'), `GET ${maps}`, 'PartialObjectMetadataList'],
  [as('PartialObjectMetadata'), `GET ${maps}`, 406],
  [`${as('PartialObjectMetadata')},application/json`, `GET ${maps}`, 406],
  [as('PartialObjectMetadata'), `GET ${maps}/a`, 'PartialObjectMetadata'],
  [as('PartialObjectMetadataList'), `GET ${maps}/a`, 406],
  [`application/json,${as('PartialObjectMetadataList')}`, `GET ${maps}/a`, 'ConfigMap'],
  [as('PartialObjectMetadataList'), `GET ${maps}/gone`, 406],
  [as('Foo'), `GET ${maps}`, 406],
  [`${as('Foo')},application/json`, `GET ${maps}`, 'ConfigMapList'],
  ['application/json;as=Table', `GET ${maps}`, 406],
  [as('PartialObjectMetadata'), `PATCH ${maps}/a`, 'PartialObjectMetadata'],
  [as('PartialObjectMetadataList'), `PATCH ${maps}/a`, 406],
  [as('Table'), `PATCH ${maps}/a`, 'Table'],
  [as('PartialObjectMetadataList'), `DELETE ${maps}/none`, 404],
  ['text/html', `GET ${maps}`, 406],
  ['text/html', `GET ${maps}/a`, 406],
  ['text/html', `DELETE ${maps}/a`, 406],
  ['application/*', `GET ${maps}`, 'ConfigMapList'],
  ['*/*;q=0.1,text/html', `GET ${maps}`, 'ConfigMapList'],
  ['application/json;q=0', `GET ${maps}`, 406],
  ['application/json;stream=watch', `GET ${maps}`, 'ConfigMapList'],
  ['application/json;stream=other', `GET ${maps}`, 406],
  ['application/yaml;stream=watch', `GET ${maps}`, 406],
  ['application/json;sv=v1', `GET ${maps}/a`, 'ConfigMap'],
  ['application/json;sv=v9', `GET ${maps}/a`, 406],
];

const watched: readonly (readonly [accept: string, answer: RegExp | number])[] = [
  [as('Table'), /"kind":"Table"/],
  [as('PartialObjectMetadata'), /"kind":"PartialObjectMetadata"/],
  [as('Foo'), 406],
  ['application/json', /"kind":"ConfigMap"/],
  ['application/yaml', 406],
  ['application/yaml,application/json', /"kind":"ConfigMap"/],
  ['text/html', 406],
];

const accepting: Scenario = {
  title: 'what is asked for in Accept is what comes, or it is refused and nothing is changed',
  steps: [
    {
      request: `POST ${maps}`,
      body: { metadata: { name: 'a' } },
      status: 201,
      save: { rv: 'metadata.resourceVersion' },
    },
    ...projections.map(([accept, request, answer]): Step => {
      const patch = request.startsWith('PATCH');
      return {
        request,
        headers: {
          accept,
          ...(patch ? { 'content-type': 'application/merge-patch+json' } : {}),
        },
        ...(patch ? { body: {} } : {}),
        ...(typeof answer === 'number'
          ? { status: answer }
          : { status: 200, expect: { kind: answer } }),
      };
    }),
    ...watched.map(([accept, answer]): Step => ({
      request: `GET ${maps}?watch=1&timeoutSeconds=1`,
      headers: { accept },
      ...(typeof answer === 'number'
        ? { status: answer }
        : { status: 200, check: (reply) => assert.match(reply.text, answer) }),
    })),
    {
      request: `POST ${maps}`,
      headers: { accept: as('PartialObjectMetadataList') },
      body: { metadata: { name: 'b' } },
      status: 406,
      message: 'you requested PartialObjectMetadataList, but the requested object is not a list',
    },
    {
      request: `GET ${maps}`,
      headers: { accept: as('PartialObjectMetadata') },
      status: 406,
      message: 'you requested PartialObjectMetadata, but the requested object is a list',
    },
    {
      request: `GET ${maps}`,
      status: 200,
      expect: { items: [{ metadata: { name: 'a', resourceVersion: '$rv' } }] },
    },
    {
      request: `DELETE ${maps}`,
      headers: { accept: as('PartialObjectMetadataList') },
      status: 200,
      expect: { kind: 'Status', status: 'Success' },
    },
  ],
};

const contentTypes: Scenario = {
  title: 'a body of another type is refused with what could have been',
  steps: [
    {
      request: `POST ${pods}`,
      headers: { 'content-type': 'text/plain' },
      body: '{}',
      status: 415,
      reason: 'UnsupportedMediaType',
      message:
        /^the body of the request .* include: application\/json, application\/yaml, [a-z./]*$/,
    },
    { request: `POST ${pods}`, body: { metadata: { name: 'p' }, spec: podSpec() }, status: 201 },
    ...[undefined, 'application/json', 'application/yaml', 'x'].map((type): Step => ({
      request: `PATCH ${pods}/p`,
      headers: type === undefined ? {} : { 'content-type': type },
      body: '{}',
      status: 415,
      reason: 'UnsupportedMediaType',
      message:
        'the body of the request was in an unknown format - accepted media types include: ' +
        'application/json-patch+json, application/merge-patch+json, ' +
        'application/strategic-merge-patch+json, application/apply-patch+yaml',
    })),
    {
      request: `PATCH ${maps}/x`,
      headers: { 'content-type': 'application/json-patch+json' },
      body: JSON.stringify(Array(10_001).fill({ op: 'test', path: '/a', value: 1 })),
      status: 413,
      reason: 'RequestEntityTooLarge',
      message:
        'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    },
    {
      request: `POST ${maps}`,
      body: { data: { a: 'x'.repeat(3_200_000) } },
      status: 413,
      message: 'Request entity too large: limit is 3145728',
    },
  ],
};

const slashes: Scenario = {
  title: 'a slash at the end counts where it does in the reference',
  steps: [
    ...[
      '/',
      '/index.html',
      '/api/',
      '/apis/',
      '/apis/apps/',
      '/apis/apps/v1/',
      '/api/v1/',
      '/version/',
      '/openapi/v3',
      '/metrics',
      `${maps}/`,
      '/api/v1/namespaces/$ns/',
    ].flatMap((path): Step[] => [
      { request: `GET ${path}`, status: 200 },
      { request: `HEAD ${path}`, status: 200 },
    ]),
    ...['/healthz/', '/livez/', '/readyz/ping/', '/metrics/', '/version//', '/foo', '/foo/'].map(
      (path): Step => ({ request: `GET ${path}`, status: 404, reason: 'NotFound' }),
    ),
    { request: 'GET /', status: 200, expect: { paths: present } },
    ...['/version', '/healthz', '/api', '/apis/apps/v1', maps].map((path): Step => ({
      request: `OPTIONS ${path}`,
      status: 405,
      reason: 'MethodNotAllowed',
    })),
  ],
};

runScenarios('requests', [
  timeouts,
  options,
  continued,
  selecting,
  accepting,
  contentTypes,
  slashes,
]);
