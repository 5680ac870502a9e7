/**
 * Question: what do 50 admission policies of one expression each cost a create, and what do they
 * cost one that none of them matches?
 *
 * What it does not answer: what dear expressions cost (cel.ts has those).
 *
 * Floor: the same creates on the same server before there is any policy. Rounds take turns: all
 * policies match, none matches, none is bound.
 */
import { comparison } from './harness/compare.ts';
import { startSluice } from './harness/process.ts';
import type { MeasuredProcess } from './harness/process.ts';
import { busiest } from './harness/scenario.ts';
import type { Bench, Outcome, Scenario } from './harness/scenario.ts';
import { measureRequests } from './harness/writes.ts';
import { createRequest, objectName } from './load/objects.ts';

const CONNECTIONS = 50;
const OBJECT_BYTES = 1024;
const POLICIES = 50;

async function send(port: number, method: string, path: string, body?: object): Promise<void> {
  const group = '/apis/admissionregistration.svc.io/v1';
  const init = { method, headers: { 'content-type': 'application/json' } };
  const url = `http://127.0.0.1:${port}${group}${path}`;
  const sent = body === undefined ? init : { ...init, body: JSON.stringify(body) };
  const answer = await fetch(url, sent);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
}

const apiVersion = 'admissionregistration.svc.io/v1';

async function makePolicies({ port }: MeasuredProcess, resource: string): Promise<void> {
  const rule = { apiGroups: [''], apiVersions: ['v1'], resources: [resource], operations: ['*'] };
  for (let i = 0; i < POLICIES; i += 1) {
    await send(port, 'POST', '/validatingadmissionpolicies', {
      apiVersion,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: `policy-${i}` },
      spec: {
        matchConstraints: { resourceRules: [rule] },
        validations: [{ expression: `object.metadata.name != 'refused-${i}'` }],
      },
    });
    await send(port, 'POST', '/validatingadmissionpolicybindings', {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: `policy-${i}` },
      spec: { policyName: `policy-${i}`, validationActions: ['Deny'] },
    });
  }
}

async function dropPolicies({ port }: MeasuredProcess): Promise<void> {
  for (let i = 0; i < POLICIES; i += 1) {
    await send(port, 'DELETE', `/validatingadmissionpolicybindings/policy-${i}`);
    await send(port, 'DELETE', `/validatingadmissionpolicies/policy-${i}`);
  }
}

async function run(bench: Bench): Promise<Outcome> {
  const count = bench.smoke ? 100 : 5_000;
  const connections = bench.smoke ? 5 : CONNECTIONS;
  const server = await startSluice(bench.cores.server);
  try {
    const matched: { floor: number; server: number }[] = [];
    const unmatched: { floor: number; server: number }[] = [];
    const usages = [];
    const creates = (prefix: string) =>
      bench.profiled(server, prefix, () =>
        measureRequests(bench, server, connections, count, 201, (i) =>
          createRequest(objectName(prefix, i), i, OBJECT_BYTES),
        ),
      );
    // A compiler that is still at work would be measured, not what it makes.
    await creates('policies-warm');
    for (let round = 0; round < bench.rounds; round += 1) {
      const floor = await creates(`policies-none-${round}`);
      await makePolicies(server, 'configmaps');
      const all = await creates(`policies-all-${round}`);
      await dropPolicies(server);
      await makePolicies(server, 'secrets');
      const none = await creates(`policies-other-${round}`);
      await dropPolicies(server);
      matched.push({ floor: floor.perSecond, server: all.perSecond });
      unmatched.push({ floor: floor.perSecond, server: none.perSecond });
      usages.push(floor.usage, all.usage, none.usage);
    }
    return {
      rows: [
        comparison(`creates that ${POLICIES} policies match`, 'per s', matched),
        comparison('creates that no policy matches', 'per s', unmatched, {
          of: 'ratio',
          atLeast: 0.9,
        }),
      ],
      ...busiest(usages),
      facts: { count, connections, policies: POLICIES },
      notes: ['every create was answered 201'],
    };
  } finally {
    await server.stop();
  }
}

export const policies: Scenario = {
  name: 'policies',
  question: 'What do 50 admission policies of one expression each cost a create?',
  run,
};
