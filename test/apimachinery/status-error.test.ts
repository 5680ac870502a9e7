/** The Status a client sees for each failure (spec 1, section 7). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatFieldError, formatFieldErrors } from '../../src/apimachinery/field-error.ts';
import * as field from '../../src/apimachinery/field-error.ts';
import type { FieldError } from '../../src/apimachinery/field-error.ts';
import { quote } from '../../src/apimachinery/quote.ts';
import * as errors from '../../src/apimachinery/status-error.ts';
import type { StatusError } from '../../src/apimachinery/status-error.ts';
import { STATUS_CODES, StatusReason } from '../../src/apimachinery/status-table.ts';

const pods = { group: '', resource: 'pods' };
const deployments = { group: 'apps', resource: 'deployments' };

const failure = (reason: string, code: number, message: string, details?: object): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  reason,
  ...(details === undefined ? {} : { details }),
  code,
});

const lockMessage =
  'the object has been modified; please apply your changes to the latest version and try again';

const rows: [StatusError, object][] = [
  [errors.newUnauthorized(), failure('Unauthorized', 401, 'Unauthorized')],
  [
    errors.newForbidden(pods, 'x', 'User "u" cannot get resource "pods"'),
    failure('Forbidden', 403, 'pods "x" is forbidden: User "u" cannot get resource "pods"', {
      name: 'x',
      kind: 'pods',
    }),
  ],
  [
    errors.newForbidden(deployments, '', 'why'),
    failure('Forbidden', 403, 'deployments.apps is forbidden: why', {
      group: 'apps',
      kind: 'deployments',
    }),
  ],
  [
    errors.newForbidden({ group: '', resource: '' }, '', 'User "u" cannot get path "/x"'),
    failure('Forbidden', 403, 'forbidden: User "u" cannot get path "/x"', {}),
  ],
  [
    errors.newNotFound(deployments, 'web'),
    failure('NotFound', 404, 'deployments.apps "web" not found', {
      name: 'web',
      group: 'apps',
      kind: 'deployments',
    }),
  ],
  [
    errors.newGenericNotFound(),
    failure('NotFound', 404, 'the server could not find the requested resource', {}),
  ],
  [
    errors.newAlreadyExists(pods, 'x'),
    failure('AlreadyExists', 409, 'pods "x" already exists', { name: 'x', kind: 'pods' }),
  ],
  [
    errors.newAlreadyExistsBeingDeleted(pods, 'x'),
    failure('AlreadyExists', 409, 'object is being deleted: pods "x" already exists', {
      name: 'x',
      kind: 'pods',
    }),
  ],
  [
    errors.newGenerateNameConflict(pods, 'x-', 1),
    failure(
      'AlreadyExists',
      409,
      'pods "x-" already exists, the server was not able to generate a unique name for the object',
      { name: 'x-', kind: 'pods', retryAfterSeconds: 1 },
    ),
  ],
  [
    errors.newConflict(pods, 'x'),
    failure('Conflict', 409, `Operation cannot be fulfilled on pods "x": ${lockMessage}`, {
      name: 'x',
      kind: 'pods',
    }),
  ],
  [
    errors.newExpired('too old resource version: 1 (123)'),
    failure('Expired', 410, 'too old resource version: 1 (123)'),
  ],
  [
    errors.newExpired('gone', 'token'),
    { ...failure('Expired', 410, 'gone'), metadata: { continue: 'token' } },
  ],
  [
    errors.newInvalid({ group: '', kind: 'Pod' }, 'x', [field.invalid('spec.f', 'v', 'no')]),
    failure('Invalid', 422, 'Pod "x" is invalid: spec.f: Invalid value: "v": no', {
      name: 'x',
      kind: 'Pod',
      causes: [{ reason: 'FieldValueInvalid', message: 'Invalid value: "v": no', field: 'spec.f' }],
    }),
  ],
  [errors.newBadRequest('no'), failure('BadRequest', 400, 'no')],
  [
    errors.newMethodNotAllowed(deployments, 'patch'),
    failure(
      'MethodNotAllowed',
      405,
      'patch is not supported on resources of kind "deployments.apps"',
      { group: 'apps', kind: 'deployments' },
    ),
  ],
  [
    errors.newNotAcceptable(['application/json', 'application/yaml']),
    failure(
      'NotAcceptable',
      406,
      'only the following media types are accepted: application/json, application/yaml',
    ),
  ],
  [
    errors.newWrongProjection('PartialObjectMetadata', true),
    failure(
      'NotAcceptable',
      406,
      'you requested PartialObjectMetadata, but the requested object is a list',
    ),
  ],
  [
    errors.newRequestEntityTooLarge(3145728),
    failure('RequestEntityTooLarge', 413, 'Request entity too large: limit is 3145728'),
  ],
  [
    errors.newUnsupportedMediaType(['application/json']),
    failure(
      'UnsupportedMediaType',
      415,
      'the body of the request was in an unknown format - accepted media types include: ' +
        'application/json',
    ),
  ],
  [
    errors.newTooManyRequests('slow down', 3),
    failure('TooManyRequests', 429, 'slow down', { retryAfterSeconds: 3 }),
  ],
  [
    errors.newServerTimeout(pods, 'list', 2),
    failure(
      'ServerTimeout',
      500,
      'The list operation against pods could not be completed at this time, please try again.',
      { kind: 'pods', retryAfterSeconds: 2 },
    ),
  ],
  [
    errors.newInternalError('boom'),
    failure('InternalError', 500, 'Internal error occurred: boom', {
      causes: [{ message: 'boom' }],
    }),
  ],
  [
    errors.newCorruptObject(pods, 'x', { key: '/pods/ns/x', why: 'no' }),
    failure(
      'InternalError',
      500,
      'Internal error occurred: StorageError: corrupt object, Key: /pods/ns/x: no',
      {
        name: 'x',
        kind: 'pods',
        causes: [{ reason: 'UnexpectedServerResponse', message: 'no', field: '/pods/ns/x' }],
      },
    ),
  ],
  [
    errors.newStoreReadError(pods, [{ key: '/pods/ns/x', why: 'no' }]),
    failure('StorageReadError', 500, 'failed to read one or more pods from the storage', {
      kind: 'pods',
      causes: [{ reason: 'UnexpectedServerResponse', message: 'no', field: '/pods/ns/x' }],
    }),
  ],
  [errors.newServiceUnavailable('soon'), failure('ServiceUnavailable', 503, 'soon')],
  [
    errors.newTooLargeResourceVersion('100', '90'),
    failure('Timeout', 504, 'Timeout: Too large resource version: 100, current: 90', {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    }),
  ],
  [
    errors.newNamespaceNotFound('ns'),
    failure('NotFound', 404, 'namespaces "ns" not found', { name: 'ns', kind: 'namespaces' }),
  ],
  [
    errors.newNamespaceTerminating(pods, 'x', 'ns'),
    failure(
      'Forbidden',
      403,
      'pods "x" is forbidden: unable to create new content in namespace ns because it is ' +
        'being terminated',
      {
        name: 'x',
        kind: 'pods',
        causes: [
          {
            reason: 'NamespaceTerminating',
            message: 'namespace ns is being terminated',
            field: 'metadata.namespace',
          },
        ],
      },
    ),
  ],
];

describe('StatusError', () => {
  for (const [error, expected] of rows) {
    it(`says: ${error.message}`, () => assert.deepEqual(error.toStatus(), expected));
  }

  it('writes its members in the customary order', () => {
    const keys = Object.keys(errors.newNotFound(pods, 'x').toStatus());
    const expected = 'kind apiVersion metadata status message reason details code';
    assert.equal(keys.join(' '), expected);
  });

  it('has a code for every reason, and each reason is made by some constructor', () => {
    assert.deepEqual(Object.values(StatusReason).sort(), Object.keys(STATUS_CODES).sort());
    const made = new Set(rows.map(([error]) => error.reason));
    for (const reason of Object.values(StatusReason)) assert.ok(made.has(reason), reason);
  });

  it('is told apart by its reason', () => {
    assert.ok(errors.isNotFound(errors.newNamespaceNotFound('x')));
    assert.ok(!errors.isNotFound(errors.newConflict(pods, 'x')));
    assert.ok(!errors.isAlreadyExists(errors.newConflict(pods, 'x')));
    assert.ok(!errors.isNotFound(new Error('NotFound')));
  });

  it('of success has no code and no reason', () => {
    assert.deepEqual(errors.successStatus({ name: 'a', group: '', kind: 'configmaps', uid: 'u' }), {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'a', kind: 'configmaps', uid: 'u' },
    });
  });
});

describe('FieldError', () => {
  const texts: [FieldError, string][] = [
    [field.required('f', 'why'), 'f: Required value: why'],
    [field.required('f'), 'f: Required value'],
    [field.invalid('f', 'x', 'why'), 'f: Invalid value: "x": why'],
    [field.invalid('f', -1, 'why'), 'f: Invalid value: -1: why'],
    [
      field.invalid('f', 12345678901234567890n, 'why'),
      'f: Invalid value: 12345678901234567890: why',
    ],
    [field.invalid('f', true, 'why'), 'f: Invalid value: true: why'],
    [field.invalid('f', null, 'why'), 'f: Invalid value: null: why'],
    [field.invalid('f', { a: [1n] }, 'why'), 'f: Invalid value: {"a":["1"]}: why'],
    [
      { ...field.invalid('f', 'x', 'why'), type: field.FieldErrorType.typeInvalid },
      'f: Invalid value: "x": why',
    ],
    [
      field.notSupported('f', 'x', ['a', 'b']),
      'f: Unsupported value: "x": supported values: "a", "b"',
    ],
    [field.duplicate('f', 'x'), 'f: Duplicate value: "x"'],
    [field.notFound('f', 'x'), 'f: Not found: "x"'],
    [field.forbidden('f', 'why'), 'f: Forbidden: why'],
    [field.tooLong('f', 9), 'f: Too long: may not be more than 9 bytes'],
    [field.tooLong('f', 1), 'f: Too long: may not be more than 1 byte'],
    [field.tooMany('f', 5, 3), 'f: Too many: 5: must have at most 3 items'],
    [field.internal('f', 'why'), 'f: Internal error: why'],
  ];
  for (const [error, text] of texts) {
    it(`reads: ${text}`, () => assert.equal(formatFieldError(error), text));
  }

  it('stands in brackets when it is not alone, and is not repeated', () => {
    const [a, b] = [field.required('a'), field.required('b')];
    assert.equal(formatFieldErrors([a]), 'a: Required value');
    assert.equal(formatFieldErrors([a, b, a]), '[a: Required value, b: Required value]');
    assert.equal(formatFieldErrors([]), '');
  });

  it('is no longer than an answer shows, and what no answer shows is not put together', () => {
    const long = (name: string) => field.invalid(name, 'x', 'y'.repeat(1_000_000));
    assert.ok(formatFieldError(long('a')).length < 33 * 1024);
    const all = Array.from({ length: 100 }, (_, i) => long(`f${i}`));
    assert.ok(formatFieldErrors(all).length < 170 * 1024);
  });
});

describe('quote', () => {
  const quoted: [string, string][] = [
    ['plain', '"plain"'],
    ['"\\', '"\\"\\\\"'],
    ['\n\t\x00\x7f', '"\\n\\t\\x00\\x7f"'],
    ['수é', '"수é"'],
    ['\u200b\u{e0001}', '"\\u200b\\U000e0001"'],
    ['\ud800', '"\ufffd"'],
  ];
  for (const [text, expected] of quoted) {
    it(`writes ${expected}`, () => assert.equal(quote(text), expected));
  }

  it('writes the beginning of a long text that has to be escaped', () => {
    assert.match(quote('\u2028'.repeat(100_000)), /^"(?:\\u2028){16000,17000}\.\.\."$/);
    assert.equal(quote('a'.repeat(100_000)).length, 100_002);
  });
});
