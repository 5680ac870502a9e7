/** Who reports an event: in the core group always said, in the other only where it is (spec 2,
 * section 9.3). */
import { absent } from '../support/checks/partial-equal.ts';
import { runScenarios } from '../support/checks/scenario.ts';
import type { Scenario } from '../support/checks/scenario.ts';

const nobody = { reportingComponent: '', reportingInstance: '' };

const scenarios: readonly Scenario[] = [
  {
    title: 'an event without a reporter says so in the core group, and nothing in the other',
    steps: [
      {
        request: 'POST /api/v1/namespaces/$ns/events',
        body: { metadata: { name: 'e' }, involvedObject: { namespace: '$ns' }, reason: 'r' },
        status: 201,
        expect: nobody,
      },
      { request: 'GET /api/v1/namespaces/$ns/events/e', status: 200, expect: nobody },
      {
        request: 'GET /apis/events.$domain/v1/namespaces/$ns/events/e',
        status: 200,
        expect: { reportingController: absent, reportingInstance: absent },
      },
    ],
  },
  {
    title: 'an event that is refused is named as the store names it, in both groups',
    steps: ['/api/v1', '/apis/events.$domain/v1'].map((version) => ({
      request: `POST ${version}/namespaces/$ns/events`,
      body: { metadata: { name: 'refused' }, eventTime: '2020-01-02T03:04:05.000006Z' },
      status: 422,
      expect: { reason: 'Invalid', details: { name: 'refused', group: absent, kind: 'Event' } },
    })),
  },
];

runScenarios('reporters of events', scenarios);
