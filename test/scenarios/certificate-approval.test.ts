/** CertificateSigningRequests: what approval and status may write, and what neither takes back. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { absent } from '../support/checks/partial-equal.ts';
import { runScenarios } from '../support/checks/scenario.ts';
import type { Scenario, Step } from '../support/checks/scenario.ts';
import { makeRequest, somebody } from '../support/data/signing-requests.ts';

const someRequest = await makeRequest(somebody);
const merge = { 'content-type': 'application/merge-patch+json' };
const requests = '/apis/certificates.$domain/v1/certificatesigningrequests';

function request(name: string): Step {
  return {
    request: `POST ${requests}`,
    body: {
      metadata: { name },
      spec: {
        request: someRequest.base64,
        signerName: 'example.com/signer',
        usages: ['client auth'],
      },
    },
    status: 201,
  };
}

const certificate = readFileSync('test/support/data/tls-certificate.pem').toString('base64');

const condition = (type: string, more: object = {}) => ({
  type,
  status: 'True',
  reason: 'R',
  message: 'm',
  ...more,
});

function conditions(path: string, list: readonly object[], more: object = {}): Step {
  return {
    request: `PATCH ${requests}/${path}`,
    headers: merge,
    body: { status: { conditions: list, ...more } },
    status: 200,
  };
}

const approvals: readonly Scenario[] = [
  {
    title: 'nobody owns the request itself, which no write changes',
    steps: [
      {
        ...request('$ns-o'),
        expect: { metadata: { managedFields: absent } },
      },
      {
        request: `PATCH ${requests}/$ns-o?fieldManager=m`,
        headers: { 'content-type': 'application/apply-patch+yaml' },
        body: {
          apiVersion: 'certificates.$domain/v1',
          kind: 'CertificateSigningRequest',
          metadata: { name: '$ns-o', labels: { a: 'b' } },
          spec: { signerName: 'example.com/signer' },
        },
        status: 200,
        check: ({ body }) => {
          const { metadata } = body as unknown as { metadata: { managedFields: JsonObject[] } };
          assert.deepEqual(
            metadata.managedFields.map(({ fieldsV1, manager }) => [manager, fieldsV1]),
            [['m', { 'f:metadata': { 'f:labels': { 'f:a': {} } } }]],
          );
        },
      },
    ],
  },
  {
    title: 'approval writes conditions, with their times; the certificate belongs to the status',
    steps: [
      request('$ns-a'),
      {
        ...conditions('$ns-a/approval', [condition('Approved')], { certificate }),
        expect: { status: { certificate: absent } },
        check: ({ body }) => {
          const { status } = body as unknown as { status: { conditions: object[] } };
          assert.deepEqual(Object.keys(status.conditions[0] ?? {}).sort(), [
            'lastTransitionTime',
            'lastUpdateTime',
            'message',
            'reason',
            'status',
            'type',
          ]);
        },
      },
      {
        request: `PATCH ${requests}/$ns-a/status`,
        headers: merge,
        body: { status: { certificate } },
        status: 200,
        expect: { status: { certificate } },
      },
      {
        request: `PATCH ${requests}/$ns-a/status`,
        headers: merge,
        body: { status: { certificate: 'b3RoZXI=' } },
        status: 422,
        message: /may not modify existing certificate content/,
      },
      { request: `GET ${requests}/$ns-a/approval`, status: 200 },
    ],
  },
  {
    title: 'Approved and Denied exclude each other, are True, and are not taken back',
    steps: [
      request('$ns-b'),
      {
        ...conditions('$ns-b/approval', [condition('Approved'), condition('Denied')]),
        status: 422,
        message: /Approved and Denied conditions are mutually exclusive/,
      },
      {
        ...conditions('$ns-b/approval', [condition('Approved', { status: 'False' })]),
        status: 422,
        message: /Unsupported value: "False": supported values: "True"/,
      },
      {
        ...conditions('$ns-b/approval', [condition('Denied'), condition('Denied')]),
        status: 422,
        message: /Duplicate value: "Denied"/,
      },
      conditions('$ns-b/approval', [condition('Denied')]),
      {
        ...conditions('$ns-b/approval', []),
        status: 422,
        message: /may not remove a condition of type "Denied"/,
      },
      {
        ...conditions('$ns-b/approval', [condition('Approved')]),
        status: 422,
        message: /may not remove a condition of type "Denied"/,
      },
    ],
  },
  {
    title: 'whoever writes the status does not decide',
    steps: [
      request('$ns-c'),
      {
        ...conditions('$ns-c/status', [condition('Approved')]),
        status: 422,
        message: /may not add a condition of type "Approved"/,
      },
      conditions('$ns-c/approval', [condition('Approved')]),
      {
        // The decision stays as it was made.
        ...conditions('$ns-c/status', [condition('Approved', { reason: 'Other' })]),
        expect: { status: { conditions: [{ reason: 'R' }] } },
      },
      conditions('$ns-c/status', [condition('Approved'), condition('Failed')]),
      {
        request: `PATCH ${requests}/$ns-c`,
        headers: merge,
        body: { spec: { signerName: 'example.com/other' }, status: { certificate: 'eA==' } },
        status: 200,
        expect: { spec: { signerName: 'example.com/signer' }, status: { certificate: absent } },
      },
    ],
  },
];

runScenarios('certificate approval', approvals);
