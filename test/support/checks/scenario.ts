/**
 * HTTP tests as data: a scenario is a title and steps, a step is a request and what must come back.
 *
 * `$name` in a path, a header, a body or an expectation is replaced by a variable: those the
 * runner knows ($ns, a fresh namespace of this scenario; $domain, $labelDomain, $finalizer of the
 * identity) and those that earlier steps have saved. Each scenario runs once per server given.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { identityOf } from '../../../src/apimachinery/identity.ts';
import type { IdentityName } from '../../../src/apimachinery/identity.ts';
import { partialDeepEqual } from './partial-equal.ts';
import type { Reply, TestOptions, TestServer } from '../servers/test-server.ts';
import { startTestServer } from '../servers/test-server.ts';

export type Variables = Map<string, string>;

export interface Step {
  /** `GET /api/v1/...` */
  readonly request: string;
  /** Sent as JSON, or as it is when text. */
  readonly body?: object | string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly status: number;
  /** Of a Status body. */
  readonly reason?: string | undefined;
  readonly message?: string | RegExp | undefined;
  /** Members that the body must have, deep; `absent` for those it must not have. */
  readonly expect?: object | undefined;
  /** Response headers; null: must not be there. */
  readonly headersExpected?: Readonly<Record<string, string | RegExp | null>> | undefined;
  /** Variables from the body: name -> path with dots. */
  readonly save?: Readonly<Record<string, string>> | undefined;
  readonly check?: ((reply: Reply, variables: Variables) => void) | undefined;
}

export interface Scenario {
  readonly title: string;
  readonly steps: readonly Step[];
}

export interface ScenarioServer {
  readonly label: string;
  readonly identity: IdentityName;
  readonly options: TestOptions;
}

/** Both identities, both stores and both transports, without every pair. */
const scenarioServers: readonly ScenarioServer[] = [
  {
    label: 'kubernetes identity, memory store, uws transport',
    identity: 'kubernetes',
    options: { identity: 'kubernetes', store: 'memory', transport: 'uws' },
  },
  {
    label: 'svc identity, lmdb store, node transport',
    identity: 'svc',
    options: { identity: 'svc', store: 'lmdb', transport: 'node' },
  },
];

export function runScenarios(
  feature: string,
  scenarios: readonly Scenario[],
  options: TestOptions = {},
  servers: readonly ScenarioServer[] = scenarioServers,
): void {
  for (const { label, identity, options: own } of servers) {
    describe(`${feature} (${label})`, () => {
      let server: Promise<TestServer> | undefined;
      const running = (): Promise<TestServer> =>
        (server ??= startTestServer({ ...own, ...options }));
      scenarios.forEach((scenario, index) => {
        test(scenario.title, async () => {
          await runScenario(await running(), identity, scenario, `s${index}`);
        });
      });
      test('the server stops without having failed', async () => (await running()).remove());
    });
  }
}

async function runScenario(
  server: TestServer,
  identityName: IdentityName,
  scenario: Scenario,
  ns: string,
): Promise<void> {
  const identity = identityOf(identityName);
  const variables: Variables = new Map([
    ['ns', ns],
    ['domain', identity.domain],
    ['labelDomain', identity.labelDomain],
    ['finalizer', identity.finalizers.namespace],
  ]);
  const made = await server.request('POST', '/api/v1/namespaces', {
    body: { metadata: { name: ns } },
  });
  assert.equal(made.status, 201, made.text);
  for (const [index, step] of scenario.steps.entries()) {
    await runStep(server, step, variables, `step ${index + 1}: ${step.request}`);
  }
}

async function runStep(
  server: TestServer,
  step: Step,
  variables: Variables,
  where: string,
): Promise<void> {
  const filled = <T>(value: T): T => fill(value, variables);
  const [method = '', target = ''] = filled(step.request).split(' ');
  const reply = await server.request(method, target, {
    body: filled(step.body),
    headers: filled(step.headers),
  });
  const said = `${where}\n${reply.status} ${reply.text.slice(0, 2000)}`;
  assert.equal(reply.status, step.status, said);
  if (step.reason !== undefined) {
    assert.equal(reply.body['kind'], 'Status', said);
    assert.equal(reply.body['status'], 'Failure', said);
    assert.equal(reply.body['reason'], step.reason, said);
    assert.equal(reply.body['code'], reply.status, said);
  }
  const message = filled(step.message);
  if (typeof message === 'string') assert.equal(reply.body['message'], message, where);
  else if (message !== undefined) assert.match(String(reply.body['message']), message, where);
  if (step.expect !== undefined) partialDeepEqual(reply.body, filled(step.expect), said);
  for (const [name, expected] of Object.entries(step.headersExpected ?? {})) {
    checkHeader(reply, name, filled(expected), said);
  }
  for (const [name, at] of Object.entries(step.save ?? {})) {
    const value = at.split('.').reduce<unknown>(member, reply.body);
    assert(typeof value === 'string' || typeof value === 'number', `${said}\nno ${at} to save`);
    variables.set(name, String(value));
  }
  step.check?.(reply, variables);
}

function member(value: unknown, name: string): unknown {
  return (value as Record<string, unknown> | undefined)?.[name];
}

function checkHeader(
  reply: Reply,
  name: string,
  expected: string | RegExp | null,
  said: string,
): void {
  const value = reply.headers[name.toLowerCase()];
  const found = Array.isArray(value) ? value.join(', ') : value;
  if (expected === null) assert.equal(found, undefined, `${name}: ${found}\n${said}`);
  else if (typeof expected === 'string') assert.equal(found, expected, `${name}\n${said}`);
  else assert.match(found ?? '', expected, `${name}\n${said}`);
}

function fill<T>(value: T, variables: Variables): T {
  if (typeof value === 'string') {
    const text = value.replaceAll(/\$([A-Za-z][A-Za-z0-9]*)/g, (whole, name: string) => {
      return variables.get(name) ?? whole;
    });
    return text as T;
  }
  if (Array.isArray(value)) return value.map((item: unknown) => fill(item, variables)) as T;
  if (typeof value !== 'object' || value === null || value instanceof RegExp) return value;
  const entries = Object.entries(value).map(([k, v]) => [
    fill(k, variables),
    fill(v as unknown, variables),
  ]);
  return Object.fromEntries(entries) as T;
}
