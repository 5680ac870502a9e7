/**
 * A secured server to be attacked: both ports, every event in an audit log, everything that it says
 * kept, so that a test can ask three things of an attack: was it refused, is it in the log, has it
 * changed anything.
 *
 * Who is there, beside the users of secure-server.ts: `alice` has no rights. `bob` may write roles
 * and bindings (and neither `escalate` nor `bind`), impersonate carol, read the config map `open`
 * and update the status of pods. There is a secret that only the administrator may read.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { KeyPair } from '../../../src/pki/certificate-authority.ts';
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';
import { asAdmin, bind, rbacPath, untilAllowed } from '../clients/access-setup.ts';
import { exchange } from '../clients/http-client.ts';
import type { HttpReply } from '../clients/http-client.ts';
import { identityOf, startSecureServer, tokens } from './secure-server.ts';
import type { SecureServer } from './secure-server.ts';
import type { TestOptions } from './test-server.ts';
import { testDirectories } from '../data/test-directories.ts';

export type Port = 'tls' | 'plain';

export interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Authorization: Bearer. */
  readonly token?: string;
  /** Over TLS only. */
  readonly as?: KeyPair;
  /** An object is JSON, of this type. */
  readonly body?: object | string;
  readonly contentType?: string;
}

export interface Attack extends Sent {
  readonly status: number;
  /** Whom the event names; absent: nobody, for the credentials are wrong. */
  readonly user?: string;
  /** What authorization said; absent: forbid for 403, nothing is asked otherwise. */
  readonly decision?: 'allow' | 'forbid';
  /** Default: both. */
  readonly ports?: readonly Port[];
}

export type Answer = Pick<HttpReply, 'status' | 'headers' | 'text'>;

export interface AttackBench {
  readonly server: SecureServer;
  readonly plainPort: number;
  readonly securePort: number;
  send(port: Port, sent: Sent): Promise<Answer>;
  /** The events so far, of this request or of all. */
  events(auditId?: string): readonly JsonObject[];
  /** Each port refuses it, has it in its log, and nothing has changed. */
  refuses(attack: Attack): Promise<void>;
  /** Rises with every write. */
  revision(): Promise<string>;
  admin(method: string, target: string, body?: object): Promise<JsonObject>;
  /** Everything that the server has said to anybody but the administrator, logged or written. */
  everythingSaid(): string;
  /** What must not be in it: credentials that the server has made, was given or was shown, and the
   * hidden text. Not what is too short to be one. */
  secrets(): readonly string[];
  close(): Promise<void>;
}

/** In the secret that nobody but the administrator may read. */
const hiddenText = 'hunter2-is-hidden';
export const secretPath = '/api/v1/namespaces/default/secrets/hidden';
export const openPath = '/api/v1/namespaces/default/configmaps/open';

/** As much as can be had: what is kept out is kept out of this. */
const policy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  rules: [{ level: 'RequestResponse' }],
};

export async function startAttackBench(options: TestOptions = {}): Promise<AttackBench> {
  const directories = testDirectories('sluice-attack');
  const directory = directories.make();
  const policyFile = path.join(directory, 'policy.json');
  const auditFile = path.join(directory, 'audit.log');
  await writeFile(policyFile, JSON.stringify(policy));
  const said: string[] = [];
  const shown = new Set<string>();
  const note = (fields: object, message: string): void => {
    const texts = Object.entries(fields).map(([key, value]) => `${key}=${textOf(value)}`);
    said.push(`${message} ${texts.join(' ')}`);
  };
  const log = { error: note, warn: note, info: note, debug: note };
  const all = { 'audit-policy-file': policyFile, 'audit-log-path': auditFile, ...options };
  const server = await startSecureServer(all, log);
  const events: AttackBench['events'] = (auditId) => {
    const lines = readFileSync(auditFile, 'utf8').trimEnd().split('\n');
    const found = lines.map((line) => JSON.parse(line) as JsonObject);
    return auditId === undefined ? found : found.filter((each) => each['auditID'] === auditId);
  };
  const ports = { tls: new URL(server.secureUrl), plain: new URL(server.url) };
  const send: AttackBench['send'] = async (port, sent) => {
    const answer = await reply(ports[port], server.caPem, sent);
    if (sent.token !== tokens.admin) said.push(JSON.stringify(answer.headers), answer.text);
    for (const each of credentialsIn(sent)) shown.add(each);
    return answer;
  };
  const { storage } = server.running.parts;
  const revision = async (): Promise<string> => String(await storage.revision());
  const bench: AttackBench = {
    server,
    plainPort: Number(ports.plain.port),
    securePort: Number(ports.tls.port),
    send,
    events,
    revision,
    async refuses(attack) {
      for (const port of attack.ports ?? (['tls', 'plain'] as const)) {
        const before = await revision();
        const answer = await send(port, attack);
        assert.equal(answer.status, attack.status, `${port}: ${answer.text}`);
        assert.ok(!answer.text.includes(hiddenText), 'nothing hidden is shown');
        checkEvents(events(String(answer.headers['audit-id'])), attack);
        assert.equal(await revision(), before, 'nothing has changed');
      }
    },
    async admin(method, target, body) {
      const reply = await asAdmin(server, method, target, body);
      assert.ok(reply.status < 300, `${method} ${target}: ${reply.text}`);
      return reply.body;
    },
    secrets: () => [
      ...Object.values(tokens),
      ...madeSecrets(server.dataDir),
      ...[...shown].filter((each) => each.length >= secretLengthMin),
      hiddenText,
      'Bearer ',
      'PRIVATE KEY',
    ],
    everythingSaid: () => [...said, readFileSync(auditFile, 'utf8')].join('\n'),
    async close() {
      await server.remove();
      await directories.removeAll();
    },
  };
  await populate(bench);
  return bench;
}

/** A shorter text that is shown as a token may stand anywhere. */
const secretLengthMin = 8;

/** Tokens whole and, as a signature tells nothing by itself but is nobody's either, their ends. */
function credentialsIn({ as, headers = {}, token }: Sent): readonly string[] {
  const found = token === undefined ? [] : [token, token.split('.').at(-1) ?? ''];
  for (const name of ['authorization', 'cookie', 'proxy-authorization']) {
    for (const value of [headers[name] ?? []].flat()) found.push(value, ...value.split(/[ =]/));
  }
  return as === undefined ? found : [...found, ...bodyOfPem(as.keyPem)];
}

/** What the server has made for itself. */
function madeSecrets(dataDir: string): readonly string[] {
  const read = (name: string): string => readFileSync(path.join(dataDir, 'pki', name), 'utf8');
  const keys = ['ca.key', 'serving.key', 'admin.key', 'sa.key'];
  return [read('admin.token').trim(), ...keys.flatMap((name) => bodyOfPem(read(name)))];
}

/** Without the last line, which may be short. */
function bodyOfPem(pem: string): readonly string[] {
  return pem.split('\n').filter((line) => line.length === 64 && !line.startsWith('-'));
}

function textOf(value: unknown): string {
  return value instanceof Error ? `${value.message} ${value.stack}` : JSON.stringify(value);
}

function checkEvents(events: readonly JsonObject[], attack: Attack): void {
  const event = events.at(-1);
  assert.ok(event !== undefined, 'it is in the audit log');
  assert.equal((event['responseStatus'] as JsonObject)['code'], attack.status);
  const annotations = (event['annotations'] ?? {}) as JsonObject;
  const decision = annotations['authorization.k8s.io/decision'];
  if (attack.user === undefined) {
    assert.deepEqual(event['user'], {});
    assert.deepEqual(
      events.map((each) => each['stage']),
      ['ResponseStarted'],
    );
    assert.equal(decision, undefined);
    return;
  }
  assert.equal(event['stage'], 'ResponseComplete');
  assert.equal((event['user'] as JsonObject)['username'], attack.user);
  const expected = attack.decision ?? (attack.status === 403 ? 'forbid' : undefined);
  if (expected !== undefined) assert.equal(decision, expected);
}

function reply(to: URL, ca: string, sent: Sent): Promise<Answer> {
  const { as, contentType, path: target, ...request } = sent;
  const type = contentType ?? (sent.body === undefined ? undefined : 'application/json');
  const headers = { ...(type !== undefined && { 'content-type': type }), ...sent.headers };
  return exchange(to.origin, target, { ...request, headers, tls: identityOf(ca, as) });
}

const rbacGroup = 'rbac.authorization.k8s.io';

async function populate({ admin, server }: AttackBench): Promise<void> {
  const base = '/api/v1/namespaces/default';
  await admin('POST', `${base}/secrets`, {
    metadata: { name: 'hidden' },
    stringData: { password: hiddenText },
  });
  await admin('POST', `${base}/configmaps`, { metadata: { name: 'open' }, data: { k: 'v' } });
  await admin('POST', `${base}/serviceaccounts`, { metadata: { name: 'robot' } });
  await admin('POST', `${base}/pods`, {
    metadata: { name: 'p' },
    spec: { serviceAccountName: 'robot', containers: [{ name: 'c', image: 'i' }] },
  });
  const rules = [
    {
      verbs: ['get', 'list', 'create', 'update', 'patch', 'delete'],
      apiGroups: [rbacGroup],
      resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
    },
    { verbs: ['impersonate'], apiGroups: [''], resources: ['users'], resourceNames: ['carol'] },
    { verbs: ['get'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['open'] },
    { verbs: ['update', 'patch'], apiGroups: [''], resources: ['pods/status'] },
  ];
  await admin('POST', rbacPath('', 'clusterroles'), { metadata: { name: 'of-bob' }, rules });
  await bind(server, '', 'of-bob', 'of-bob', { kind: 'User', name: 'bob' });
  await untilAllowed(
    server,
    { user: 'bob' },
    { verb: 'create', resource: 'clusterroles', namespace: '', group: rbacGroup },
  );
}
