/**
 * Collections of admission policies that other people wrote, and what they say of their own examples:
 * kubectl installs each suite on a server of its own, then every example is written as a dry run.
 *
 * They are not part of this project: SLUICE_POLICY_COLLECTION names a folder of JSON files, one for
 * each suite: {name, setup: [objects], cases: [{name, object, expect: allow | deny | warn, ...}]}.
 * A case may have an `oldObject` (it is an update), a `subresource` and its `patch`, a `user` with
 * `groups`, and the `result` that mutating policies make of its object. A suite or a case that says
 * nothing about this server has `passedOver`, with the reason.
 */
import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import { objects, part } from '../../src/apimachinery/members.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { partialDeepEqual } from '../support/checks/partial-equal.ts';
import { findKubectl, runKubectl } from '../support/clients/kubectl.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-kubectl');

interface Case {
  readonly name: string;
  readonly object: JsonObject;
  readonly expect: 'allow' | 'deny' | 'warn';
  readonly oldObject?: JsonObject;
  readonly subresource?: string;
  readonly patch?: JsonObject;
  readonly user?: string;
  readonly groups?: string[];
  readonly result?: JsonObject;
  readonly passedOver?: string;
}

interface Suite {
  readonly name: string;
  readonly setup: readonly JsonObject[];
  readonly cases: readonly Case[];
  readonly passedOver?: string;
}

const folder = process.env['SLUICE_POLICY_COLLECTION'] ?? '';
const program = findKubectl('1.33') ?? '';
const skip =
  (folder === '' && 'SLUICE_POLICY_COLLECTION names no collection') ||
  (program === '' && 'no kubectl 1.33 is installed');

const kindOf = (object: JsonObject): string => String(object['kind']);
const isPolicy = (object: JsonObject): boolean => /AdmissionPolicy(Binding)?$/.test(kindOf(object));
const isDefinition = (object: JsonObject): boolean => kindOf(object) === 'CustomResourceDefinition';
const usual = ['default', 'kube-system', 'kube-public'];

describe('collections of policies', () => {
  it('are there', { skip }, () => assert.ok(readdirSync(folder).length > 0));
  if (skip !== false) return;
  let home: string;
  before(async () => {
    home = directories.make();
    await writeFile(path.join(home, 'config'), 'apiVersion: v1\nkind: Config\n');
  });
  after(() => directories.removeAll());
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!file.endsWith('.json')) continue;
    const suite = JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as Suite;
    it(suite.name, async (context) => {
      if (suite.passedOver !== undefined) return context.skip(suite.passedOver);
      await judged(suite, home, context);
    });
  }
});

async function judged(suite: Suite, home: string, context: TestContext): Promise<void> {
  const server = await startTestServer({
    'feature-gates': 'MutatingAdmissionPolicy=true',
    'runtime-config': 'admissionregistration.k8s.io/v1alpha1=true',
  });
  try {
    await installed(suite, server, home);
    for (const each of suite.cases) {
      await context.test(each.name, async (inner) => {
        if (each.passedOver !== undefined) return inner.skip(each.passedOver);
        const reply = await written(server, each);
        assert.equal(verdictOf(reply), each.expect, reply.text);
        if (each.result !== undefined)
          partialDeepEqual(reply.body, lasting(each.result), each.name);
      });
    }
  } finally {
    await server.remove();
  }
}

async function installed(suite: Suite, server: TestServer, home: string): Promise<void> {
  const run = async (verb: string, list: readonly JsonObject[]): Promise<void> => {
    if (list.length === 0) return;
    const ran = await runKubectl(
      program,
      { home: await mkdtemp(path.join(home, 'cache-')), kubeconfig: path.join(home, 'config') },
      [`--server=${server.url}`, verb, '-f', '-'],
      list.map((each) => JSON.stringify(each)).join('\n'),
    );
    assert.equal(ran.code, 0, ran.stderr);
  };
  const { setup } = suite;
  const examples = suite.cases.map(({ object }) => object);
  const named = [...setup, ...examples].map((each) => part(each, 'metadata')['namespace']);
  const ready = setup.filter((each) => kindOf(each) === 'Namespace');
  const own = new Set(ready.map((each) => part(each, 'metadata')['name']));
  const missing = [...new Set(named)].filter(
    (name) => typeof name === 'string' && !own.has(name) && !usual.includes(name),
  );
  // Some say what labels a namespace has that every server has.
  await run('apply', [
    ...ready,
    ...missing.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
  ]);
  await run('create', setup.filter(isDefinition));
  await server.running.parts.streams.waitUntilCurrent();
  const rest = setup.filter((each) => !isPolicy(each) && !isDefinition(each));
  await run(
    'create',
    rest.filter((each) => kindOf(each) !== 'Namespace'),
  );
  for (const { oldObject } of suite.cases) {
    if (oldObject === undefined) continue;
    const reply = await server.request('POST', await placeOf(server, oldObject), {
      body: oldObject,
    });
    assert.ok([201, 409].includes(reply.status), reply.text);
  }
  await run('create', setup.filter(isPolicy));
  await server.running.parts.streams.waitUntilCurrent();
  await server.running.parts.policies.settled();
}

async function written(server: TestServer, each: Case): Promise<Reply> {
  const { object, user, groups = [] } = each;
  const headers: Record<string, string | string[]> = {
    ...(user === undefined ? {} : { 'impersonate-user': user }),
    ...(groups.length === 0 ? {} : { 'impersonate-group': groups }),
  };
  const place = await placeOf(server, object);
  const name = String(part(object, 'metadata')['name']);
  if (each.subresource !== undefined) {
    return server.request('PATCH', `${place}/${name}/${each.subresource}?dryRun=All`, {
      body: each.patch,
      headers: { ...headers, 'content-type': 'application/strategic-merge-patch+json' },
    });
  }
  if (each.oldObject !== undefined) {
    return server.request('PUT', `${place}/${name}?dryRun=All`, { body: object, headers });
  }
  return server.request('POST', `${place}?dryRun=All`, { body: object, headers });
}

async function placeOf(server: TestServer, object: JsonObject): Promise<string> {
  const apiVersion = String(object['apiVersion']);
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const { body } = await server.request('GET', root);
  const found = objects(body, 'resources').find(
    (each) => each['kind'] === object['kind'] && !String(each['name']).includes('/'),
  );
  assert.ok(found !== undefined, `${apiVersion} ${kindOf(object)} is served`);
  if (found['namespaced'] !== true) return `${root}/${String(found['name'])}`;
  const namespace = String(part(object, 'metadata')['namespace'] ?? 'default');
  return `${root}/namespaces/${namespace}/${String(found['name'])}`;
}

/** What policies say: what is wrong with an object for anybody else is no verdict. */
function verdictOf(reply: Reply): string {
  if (reply.status < 300) return reply.headers['warning']?.includes('Policy') ? 'warn' : 'allow';
  const isDenial = /ValidatingAdmissionPolicy '.*' with binding '.*' denied request/s;
  return isDenial.test(reply.text) ? 'deny' : `refused (${reply.status})`;
}

/** What an example shows of a result that is not made by whoever stores it. */
function lasting(result: JsonObject): JsonObject {
  const { creationTimestamp: _, ...metadata } = part(result, 'metadata');
  const { status: _status, ...rest } = result;
  return { ...rest, metadata };
}
