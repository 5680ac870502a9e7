/** Fields are owned by who says them, whatever the rules of the kind make of them (spec 1, sections
 * 2.5 and 3.2). */
import assert from 'node:assert/strict';
import { part } from '../../src/apimachinery/members.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { runScenarios } from '../support/checks/scenario.ts';
import type { Scenario, Step } from '../support/checks/scenario.ts';
import type { Reply } from '../support/servers/test-server.ts';

const merge = { 'content-type': 'application/merge-patch+json' };
const applied = { 'content-type': 'application/apply-patch+yaml' };
const services = '/api/v1/namespaces/$ns/services';
const volume = '/api/v1/persistentvolumes/$ns';

/** Names of the fields below `member` that the manager owns. */
function owns(manager: string, member: string, names: readonly string[]): Pick<Step, 'check'> {
  const check = ({ body }: Reply): void => {
    const entries = part(body, 'metadata')['managedFields'] as readonly JsonObject[];
    const entry = entries.find((each) => each['manager'] === manager);
    const owned = entry && part(part(entry, 'fieldsV1'), `f:${member}`);
    assert.deepEqual(Object.keys(owned ?? {}).sort(), names.map((name) => `f:${name}`).sort());
  };
  return { check };
}

const external = { type: 'ExternalName', externalName: 'example.com' };
const kept = { spec: { ...external, internalTrafficPolicy: 'Local' } };

const scenarios: readonly Scenario[] = [
  {
    title: 'what a kind drops is owned by who says it, and saying it again changes nothing',
    steps: [
      {
        request: `POST ${services}?fieldManager=a`,
        body: { metadata: { name: 's' }, spec: external },
        status: 201,
        ...owns('a', 'spec', ['externalName', 'sessionAffinity', 'type']),
      },
      {
        request: `PATCH ${services}/s?fieldManager=b`,
        headers: merge,
        body: kept,
        status: 200,
        save: { rv: 'metadata.resourceVersion' },
        ...owns('b', 'spec', ['internalTrafficPolicy']),
      },
      {
        request: `PATCH ${services}/s?fieldManager=b`,
        headers: merge,
        body: kept,
        status: 200,
        expect: { metadata: { resourceVersion: '$rv' } },
        ...owns('b', 'spec', ['internalTrafficPolicy']),
      },
      {
        request: `PATCH ${services}/s?fieldManager=c`,
        headers: applied,
        body: { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, ...kept },
        status: 409,
      },
    ],
  },
  {
    title: 'what a kind fills in is nobody’s',
    steps: [
      {
        request: `POST /api/v1/persistentvolumes`,
        body: {
          metadata: { name: '$ns' },
          spec: {
            capacity: { storage: '1Gi' },
            accessModes: ['ReadWriteOnce'],
            hostPath: { path: '/tmp' },
          },
        },
        status: 201,
      },
      {
        request: `PATCH ${volume}/status?fieldManager=b`,
        headers: merge,
        body: { status: { phase: 'Available' } },
        status: 200,
        ...owns('b', 'status', ['phase']),
      },
    ],
  },
];

runScenarios('fields that are said', scenarios);
