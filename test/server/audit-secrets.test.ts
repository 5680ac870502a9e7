/** What a credential holds is in no refusal and in no audit event, however it was put there. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { encodeCbor } from '../../src/apimachinery/codecs/cbor.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { startSecureServer, tokens } from '../support/servers/secure-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';
import { testDirectories } from '../support/data/test-directories.ts';

const directories = testDirectories('sluice-audit');

const policy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  rules: [{ level: 'RequestResponse' }],
};

const hidden = 'hunter2-plain!';
const hiddenNumber = 5318008;
const encoded = Buffer.from(hidden).toString('base64');
const secrets = '/api/v1/namespaces/default/secrets';
const tokenReviews = '/apis/authentication.k8s.io/v1/tokenreviews';
const tokenRequests = '/api/v1/namespaces/default/serviceaccounts/default/token';
const json = 'application/json';
const jsonPatch = 'application/json-patch+json';
const mergePatch = 'application/merge-patch+json';
const strategic = 'application/strategic-merge-patch+json';

const copiedTo = (to: string) => JSON.stringify([{ op: 'copy', from: '/data/password', path: to }]);

/** Each is refused. */
const rows: readonly (readonly [string, string, string, string, string])[] = [
  ['no base64', 'POST', secrets, json, `{"metadata":{"name":"a"},"data":{"p":"${hidden}"}}`],
  [
    'a number',
    'POST',
    secrets,
    json,
    `{"metadata":{"name":"a"},"stringData":{"p":${hiddenNumber}}}`,
  ],
  ['a type', 'POST', secrets, json, `{"metadata":{"name":"a"},"type":["${hidden}"]}`],
  ['no object', 'POST', secrets, json, `{"metadata":{"name":"a"},"data":"${hidden}"}`],
  ['no JSON', 'POST', secrets, json, `{"data":{"p":${hidden}}}`],
  ['no YAML', 'POST', secrets, 'application/yaml', `data: {p: "${hidden}`],
  ['no YAML mapping', 'POST', secrets, 'application/yaml', `data:\n  - ${hidden}: [\n x`],
  [
    'no docker file',
    'POST',
    secrets,
    json,
    JSON.stringify({
      metadata: { name: 'a' },
      type: 'kubernetes.io/dockerconfigjson',
      stringData: { '.dockerconfigjson': hidden },
    }),
  ],
  ['a copy into the name', 'PATCH', `${secrets}/s`, jsonPatch, copiedTo('/metadata/name')],
  ['a copy into the kind', 'PATCH', `${secrets}/s`, jsonPatch, copiedTo('/kind')],
  ['a copy into the version', 'PATCH', `${secrets}/s`, jsonPatch, copiedTo('/apiVersion')],
  [
    'a copy into the namespace',
    'PATCH',
    `${secrets}/s`,
    jsonPatch,
    copiedTo('/metadata/namespace'),
  ],
  ['a copy into the uid', 'PATCH', `${secrets}/s`, jsonPatch, copiedTo('/metadata/uid')],
  [
    'a copy into the revision',
    'PATCH',
    `${secrets}/s`,
    jsonPatch,
    copiedTo('/metadata/resourceVersion'),
  ],
  ['a copy into the type', 'PATCH', `${secrets}/s`, jsonPatch, copiedTo('/type')],
  ['a copy into metadata', 'PATCH', `${secrets}/s`, jsonPatch, copiedTo('/metadata/labels')],
  [
    'a copy into a time',
    'PATCH',
    `${secrets}/s`,
    jsonPatch,
    copiedTo('/metadata/creationTimestamp'),
  ],
  ['a copy into immutable', 'PATCH', `${secrets}/s`, jsonPatch, copiedTo('/immutable')],
  [
    'a failed test',
    'PATCH',
    `${secrets}/s`,
    jsonPatch,
    JSON.stringify([{ op: 'test', path: '/data/password', value: hidden }]),
  ],
  ['a merge', 'PATCH', `${secrets}/s`, mergePatch, `{"data":{"p":"${hidden}"}}`],
  ['a strategic merge', 'PATCH', `${secrets}/s`, strategic, `{"data":{"p":"${hidden}"}}`],
  ['a directive of it', 'PATCH', `${secrets}/s`, strategic, `{"data":{"$patch":"${hidden}"}}`],
  ['a token as a list', 'POST', tokenReviews, json, `{"spec":{"token":["${hidden}"]}}`],
  ['a token as a number', 'POST', tokenReviews, json, `{"spec":{"token":${hiddenNumber}}}`],
  ['an audience', 'POST', tokenRequests, json, `{"spec":{"audiences":"${hidden}"}}`],
  [
    'a bound kind',
    'POST',
    tokenRequests,
    json,
    JSON.stringify({
      spec: { boundObjectRef: { kind: hidden, apiVersion: 'v1', name: 'x' } },
    }),
  ],
];

describe('credentials in refused requests', () => {
  let dir = '';
  let file = '';
  let server: TestServer;
  const headers = { authorization: `Bearer ${tokens.admin}` };

  before(async () => {
    dir = directories.make();
    file = path.join(dir, 'audit.log');
    await writeFile(path.join(dir, 'policy.json'), JSON.stringify(policy));
    server = await startSecureServer({
      'audit-policy-file': path.join(dir, 'policy.json'),
      'audit-log-path': file,
      'feature-gates': 'CBORServingAndStorage=true',
    });
    const body = { metadata: { name: 's', labels: { a: 'b' } }, stringData: { password: hidden } };
    const made = await server.request('POST', secrets, { body, headers });
    assert.equal(made.status, 201, made.text);
  });
  after(async () => {
    await server.remove();
    await directories.removeAll();
  });

  const eventsOf = async (auditId: unknown): Promise<readonly JsonObject[]> => {
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    const all = lines.map((line) => JSON.parse(line) as JsonObject);
    return all.filter((event) => event['auditID'] === auditId);
  };
  const shows = (text: string): boolean =>
    [hidden, encoded, String(hiddenNumber)].some((secret) => text.includes(secret));

  for (const [title, method, target, contentType, body] of rows) {
    it(`${method} ${title}: neither the answer nor the log quotes it`, async () => {
      const reply = await server.request(method, target, {
        body,
        headers: { ...headers, 'content-type': contentType },
      });
      assert.ok(reply.status >= 400 && reply.status < 500, `${reply.status} ${reply.text}`);
      assert.ok(!shows(reply.text), reply.text);
      const events = await eventsOf(reply.headers['audit-id']);
      const last = events.at(-1)?.['responseStatus'] as JsonObject;
      assert.deepEqual(last, {
        metadata: {},
        status: 'Failure',
        reason: reply.body['reason'],
        code: reply.status,
      });
      assert.ok(!shows(JSON.stringify(events)), JSON.stringify(events));
    });
  }

  const configMaps = '/api/v1/namespaces/default/configmaps';
  const map = (name: string) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    data: { k: 'v' },
  });
  const inList = (kind: string) => ({
    kind,
    items: [{ ...map('s'), kind: 'Secret', data: [encoded] }],
  });
  for (const body of [
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { p: encoded } },
    { kind: 'TokenReview', spec: { token: hidden } },
    inList('SecretList'),
    inList('List'),
  ]) {
    it(`a ${body.kind} that is sent to another resource is not told`, async () => {
      for (const method of ['POST', 'PUT']) {
        const target = method === 'POST' ? configMaps : `${configMaps}/s`;
        const reply = await server.request(method, target, { body, headers });
        assert.equal(reply.status, 400, reply.text);
        const events = await eventsOf(reply.headers['audit-id']);
        assert.ok(events.length > 0);
        assert.ok(!shows(JSON.stringify(events)), JSON.stringify(events));
      }
    });
  }

  const bodies: readonly (readonly [string, string, string, string, string | Uint8Array])[] = [
    ['of no type', 'b1', 'POST', '', JSON.stringify(map('b1'))],
    ['of a blank type', 'b2', 'POST', ' ', JSON.stringify(map('b2'))],
    [
      'with parameters',
      'b3',
      'POST',
      'Application/JSON ; charset=utf-8',
      JSON.stringify(map('b3')),
    ],
    ['in CBOR', 'b4', 'POST', 'application/cbor', encodeCbor(map('b4'))],
    ['applied in CBOR', 'b5', 'PATCH', 'application/apply-patch+cbor', encodeCbor(map('b5'))],
    ['applied in YAML', 'b6', 'PATCH', 'application/apply-patch+yaml', JSON.stringify(map('b6'))],
  ];
  for (const [title, name, method, contentType, body] of bodies) {
    it(`a body ${title} is in the event as the handler took it, and names its object`, async () => {
      const target = method === 'POST' ? configMaps : `${configMaps}/${name}?fieldManager=m`;
      const reply = await server.request(method, target, {
        body,
        headers: { ...headers, 'content-type': contentType },
      });
      assert.equal(reply.status, 201, reply.text);
      const event = (await eventsOf(reply.headers['audit-id'])).at(-1);
      assert.deepEqual(event?.['requestObject'], map(name));
      assert.equal((event['objectRef'] as JsonObject)['name'], name);
      assert.deepEqual((event['responseObject'] as JsonObject)['data'], { k: 'v' });
    });
  }
});
