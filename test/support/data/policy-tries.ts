/** Tries the examples of policies on a server. */
import assert from 'node:assert/strict';
import { part } from '../../../src/apimachinery/members.ts';
import type { JsonValue } from '../../../src/apimachinery/unstructured.ts';
import { isJsonObject } from '../../../src/apimachinery/unstructured.ts';
import type { PolicyExample, Tried } from './policy-examples.ts';
import type { Policies } from './policy-objects.ts';

const plurals: Readonly<Record<string, string>> = {
  ConfigMap: 'api/v1 configmaps',
  Deployment: 'apis/apps/v1 deployments',
  Lease: 'apis/coordination.k8s.io/v1 leases',
  Pod: 'api/v1 pods',
  Role: 'apis/rbac.authorization.k8s.io/v1 roles',
};

/** The namespaces that examples are tried in. */
export async function makeStages({ post }: Pick<Policies, 'post'>): Promise<void> {
  for (const stage of ['test', 'prod']) {
    const made = await post('/api/v1/namespaces', {
      metadata: { name: `try-${stage}`, labels: { stage } },
    });
    assert.equal(made.status, 201, made.text);
  }
}

export async function tryExample(
  { install, params = {}, tries }: PolicyExample,
  { inForce, post }: Pick<Policies, 'inForce' | 'post'>,
): Promise<void> {
  for (const [name, data] of Object.entries(params)) {
    const made = await post('/api/v1/namespaces/default/configmaps', { metadata: { name }, data });
    assert.equal(made.status, 201, made.text);
  }
  await inForce(...install);
  for (const each of tries) await tryOne(each, post);
}

async function tryOne(
  { becomes, namespace, object, refused, warned }: Tried,
  post: Policies['post'],
): Promise<void> {
  const [root = '', plural = ''] = (plurals[String(object['kind'])] ?? '').split(' ');
  const reply = await post(`/${root}/namespaces/${namespace}/${plural}?dryRun=All`, object);
  if (refused !== undefined) {
    assert.equal(reply.status, 422, reply.text);
    assert.match(String(reply.body['message']), refused);
    return;
  }
  assert.equal(reply.status, 201, reply.text);
  const warning = [reply.headers['warning'] ?? ''].flat().join();
  if (warned === undefined) assert.equal(warning, '');
  else assert.match(warning, warned);
  const found = { ...part(reply.body, 'metadata'), ...part(reply.body, 'spec') };
  for (const [name, value] of Object.entries(becomes ?? {})) {
    assert.deepEqual(shownAs(found[name], value ?? null), value);
  }
}

/** The members that are asked about. */
function shownAs(found: JsonValue | undefined, wanted: JsonValue): JsonValue | undefined {
  if (Array.isArray(wanted) && Array.isArray(found)) {
    const items = wanted as readonly JsonValue[];
    return (found as readonly JsonValue[]).map(
      (each, at) => shownAs(each, items[at] ?? {}) ?? null,
    );
  }
  if (!isJsonObject(wanted) || !isJsonObject(found)) return found;
  const names = Object.keys(wanted);
  const shown: Record<string, JsonValue> = {};
  for (const name of names) {
    const value = shownAs(found[name], wanted[name] ?? null);
    if (value !== undefined) shown[name] = value;
  }
  return shown;
}
