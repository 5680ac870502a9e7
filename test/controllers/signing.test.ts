/**
 * Signing requests from their creation to a certificate that authenticates, over HTTP with the
 * controllers running; and what is removed when, on manual time.
 */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { makeAuthority } from '../../src/pki/certificate-authority.ts';
import type { Controller } from '../../src/controllers/controller.ts';
import { createSigningCleaner } from '../../src/controllers/signing/cleaner.ts';
import { createObject } from '../../src/registry/create.ts';
import { updateObject } from '../../src/registry/update.ts';
import { asAdmin, bind } from '../support/clients/access-setup.ts';
import { startSecureServer, tokens } from '../support/servers/secure-server.ts';
import type { SecureServer } from '../support/servers/secure-server.ts';
import type { TestOptions } from '../support/servers/test-server.ts';
import { createSharedStore, kindOf, turns } from '../support/servers/shared-store.ts';
import type { RegistryServer, SharedStore } from '../support/servers/shared-store.ts';
import {
  clientUsages,
  makeRequest,
  requestObject,
  somebody,
} from '../support/data/signing-requests.ts';
import type { RequestShape } from '../support/data/signing-requests.ts';
import { testDirectories } from '../support/data/test-directories.ts';
import { eventually } from '../support/clients/watch-client.ts';

const someRequest = await makeRequest(somebody);
const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const client = 'kubernetes.io/kube-apiserver-client';
const kubeletClient = 'kubernetes.io/kube-apiserver-client-kubelet';
const kubeletServing = 'kubernetes.io/kubelet-serving';
const node: RequestShape = { commonName: 'system:node:n', organizations: ['system:nodes'] };
const dns = { type: 'dns', value: 'n.example' } as const;
const ip = { type: 'ip', value: '10.0.0.1' } as const;
const email = { type: 'email', value: 'a@b.c' } as const;
const uri = { type: 'url', value: 'spiffe://a/b' } as const;
const nodeUsages = ['client auth', 'digital signature', 'key encipherment'];
const servingUsages = ['server auth', 'digital signature', 'key encipherment'];

interface Shown {
  readonly spec: JsonObject;
  readonly status?: {
    readonly certificate?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly reason: string;
      readonly message: string;
    }[];
  };
}

async function approve(server: SecureServer, name: string): Promise<void> {
  const condition = { type: 'Approved', status: 'True', reason: 'Test', message: '' };
  const body = { status: { conditions: [condition] } };
  const headers = { 'content-type': 'application/merge-patch+json' };
  const done = await asAdmin(server, 'PATCH', `${requests}/${name}/approval`, body, headers);
  assert.equal(done.status, 200, done.text);
}

async function shown(server: SecureServer, name: string): Promise<Shown> {
  return (await asAdmin(server, 'GET', `${requests}/${name}`)).body as unknown as Shown;
}

/** The request when it says what is waited for. */
async function until(
  server: SecureServer,
  name: string,
  holds: (found: Shown) => boolean,
): Promise<Shown> {
  for (let tries = 0; tries < 20_000; tries += 1) {
    const found = await shown(server, name);
    if (holds(found)) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail(`${name}: ${JSON.stringify(await shown(server, name))}`);
}

const isDecided = ({ status }: Shown): boolean =>
  status?.certificate !== undefined ||
  (status?.conditions ?? []).some(({ type }) => type === 'Failed');

function certificateOf({ status }: Shown): string {
  assert(status?.certificate !== undefined, JSON.stringify(status));
  return Buffer.from(status.certificate, 'base64').toString('latin1');
}

describe('a signing request', () => {
  let server: SecureServer;
  let made = 0;
  before(async () => {
    server = await startSecureServer({ controllers: '*', 'authorization-mode': 'Node,RBAC' });
  });
  after(() => server.remove());

  async function create(object: object, token: string = tokens.admin): Promise<string> {
    const name = `request-${(made += 1)}`;
    const body = { ...object, metadata: { name } };
    const reply = await server.request('POST', requests, {
      body,
      headers: { authorization: `Bearer ${token}` },
    });
    assert.equal(reply.status, 201, reply.text);
    return name;
  }

  const signed: readonly [string, string, RequestShape, readonly string[]][] = [
    ['a client', client, { commonName: 'jane', organizations: ['devs'] }, clientUsages],
    ['a client with names', client, { commonName: 'jane', names: [dns] }, ['client auth']],
    ['a client on an RSA key', client, { commonName: 'jane', key: 'rsa' }, nodeUsages],
    ['a client on an Ed25519 key', client, { commonName: 'jane', key: 'ed25519' }, clientUsages],
    ['a node', kubeletClient, node, nodeUsages],
    ['a node without key encipherment', kubeletClient, node, clientUsages],
    ['what a node serves with', kubeletServing, { ...node, names: [dns, ip] }, servingUsages],
  ];
  for (const [title, signer, shape, usages] of signed) {
    it(`of ${title} is signed`, async () => {
      const { base64 } = await makeRequest(shape);
      const name = await create(requestObject('', base64, signer, usages));
      await approve(server, name);
      const certificate = new X509Certificate(certificateOf(await until(server, name, isDecided)));
      assert(certificate.verify(new X509Certificate(server.caPem).publicKey));
      assert.equal(certificate.ca, false);
    });
  }

  const other = { ...node, organizations: ['system:nodes', 'more'] };
  const failed: readonly [string, RequestShape, readonly string[], string][] = [
    [
      client,
      { commonName: 'j' },
      ['client auth', 'server auth'],
      'invalid usage for client certificate: server auth',
    ],
    [
      client,
      { commonName: 'j' },
      ['digital signature'],
      'missing required usage for client certificate: client auth',
    ],
    [kubeletClient, other, nodeUsages, 'subject organization is not system:nodes'],
    [
      kubeletClient,
      { ...node, commonName: 'n' },
      nodeUsages,
      'subject common name does not begin with system:node:',
    ],
    [kubeletClient, { ...node, names: [dns] }, nodeUsages, 'DNS subjectAltNames are not allowed'],
    [kubeletClient, { ...node, names: [ip] }, nodeUsages, 'IP subjectAltNames are not allowed'],
    [
      kubeletClient,
      { ...node, names: [email] },
      nodeUsages,
      'Email subjectAltNames are not allowed',
    ],
    [kubeletClient, { ...node, names: [uri] }, nodeUsages, 'URI subjectAltNames are not allowed'],
    [
      kubeletClient,
      node,
      ['client auth'],
      'usages did not match [client auth digital signature key encipherment]',
    ],
    [kubeletServing, node, servingUsages, 'DNS or IP subjectAltName is required'],
    [
      kubeletServing,
      { ...node, names: [dns, email] },
      servingUsages,
      'Email subjectAltNames are not allowed',
    ],
    [
      kubeletServing,
      { ...node, names: [dns, uri] },
      servingUsages,
      'URI subjectAltNames are not allowed',
    ],
    [
      kubeletServing,
      { ...node, names: [dns] },
      nodeUsages,
      'usages did not match [digital signature key encipherment server auth]',
    ],
    [
      kubeletServing,
      { commonName: 'n', organizations: ['system:nodes'], names: [dns] },
      servingUsages,
      'subject common name does not begin with system:node:',
    ],
  ];
  for (const [signer, shape, usages, message] of failed) {
    it(`to ${signer.split('/')[1]} fails: ${message}`, async () => {
      const { base64 } = await makeRequest(shape);
      const name = await create(requestObject('', base64, signer, usages));
      await approve(server, name);
      const { status } = await until(server, name, isDecided);
      const condition = status?.conditions?.find(({ type }) => type === 'Failed');
      assert.equal(condition?.reason, 'SignerValidationFailure');
      assert.equal(condition.message, message);
      assert.equal(status?.certificate, undefined);
    });
  }

  const lives: readonly [string, object, number][] = [
    ['as long as the flag says', {}, 365 * 86_400],
    ['as long as was asked for', { expirationSeconds: 7200 }, 7200 + 300],
    ['no longer than the flag says', { expirationSeconds: 2_000_000_000 }, 365 * 86_400],
  ];
  for (const [title, more, seconds] of lives) {
    it(`gets a certificate that lasts ${title}, and begins five minutes ago`, async () => {
      const object = requestObject('', someRequest.base64, client, clientUsages, more);
      const name = await create(object);
      await approve(server, name);
      const pem = certificateOf(await until(server, name, isDecided));
      const { validFrom, validTo } = new X509Certificate(pem);
      assert.equal((Date.parse(validTo) - Date.parse(validFrom)) / 1000, seconds);
    });
  }

  it('to a signer that is not here is left to whoever it is', async () => {
    const theirs = await create(requestObject('', someRequest.base64, 'example.com/signer'));
    const own = await create(requestObject('', someRequest.base64, client));
    await approve(server, theirs);
    await approve(server, own);
    await until(server, own, isDecided);
    assert.equal(isDecided(await shown(server, theirs)), false);
  });

  it('says who made it, whatever its maker wrote, and keeps its spec', async () => {
    await bind(server, '', 'askers', 'system:node-bootstrapper', { kind: 'User', name: 'bob' });
    const lies = { username: 'root', uid: '0', groups: ['system:masters'], extra: { a: ['b'] } };
    const object = requestObject('', someRequest.base64, client, clientUsages, lies);
    let name = '';
    for (let tries = 0; name === ''; tries += 1) {
      // The binding is seen a moment after it is written.
      name = await create(object, tokens.bob).catch((error: unknown) => {
        if (tries > 500) throw error;
        return new Promise<string>((resolve) => setTimeout(() => resolve(''), 10));
      });
    }
    const { spec } = await shown(server, name);
    assert.deepEqual(
      [spec['username'], spec['uid'], spec['groups'], spec['extra']],
      ['bob', 'uid-2', ['team-a', 'team-b', 'system:authenticated'], undefined],
    );
    const headers = { 'content-type': 'application/merge-patch+json' };
    const body = { spec: { username: 'root', signerName: kubeletClient } };
    const patched = await asAdmin(server, 'PATCH', `${requests}/${name}`, body, headers);
    assert.deepEqual((patched.body as unknown as Shown).spec, spec);
  });

  const wrong: readonly [string, object, RegExp][] = [
    [
      'is no PEM',
      { request: 'eA==' },
      /spec.request: .* PEM block type must be CERTIFICATE REQUEST/,
    ],
    [
      'asks for nine minutes',
      { expirationSeconds: 540 },
      /may not specify a duration less than 600/,
    ],
    [
      'names the old signer',
      { signerName: 'kubernetes.io/legacy-unknown' },
      /not allowed via this API version/,
    ],
    ['names no usage', { usages: [] }, /spec.usages: Required value/],
    [
      'names an unknown usage',
      { usages: ['flying'] },
      /spec.usages\[0\]: Unsupported value: "flying"/,
    ],
  ];
  for (const [title, more, message] of wrong) {
    it(`that ${title} is refused`, async () => {
      const object = requestObject('wrong', someRequest.base64, client, clientUsages, more);
      const reply = await asAdmin(server, 'POST', requests, object);
      assert.equal(reply.status, 422, reply.text);
      assert.match(String(reply.body['message']), message);
      assert.equal((await asAdmin(server, 'GET', `${requests}/wrong`)).status, 404);
    });
  }

  it('ends in a certificate that authenticates, over TLS', async () => {
    const made = await makeRequest({ commonName: 'jane', organizations: ['devs'] });
    const name = await create(requestObject('', made.base64, client));
    await approve(server, name);
    const certificatePem = certificateOf(await until(server, name, isDecided));
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const as = { certificatePem, keyPem: made.keyPem };
    const reply = await server.secure(path, { method: 'POST', body: {}, as });
    assert.equal(reply.status, 201, reply.text);
    const { userInfo } = reply.body['status'] as unknown as { userInfo: JsonObject };
    assert.equal(userInfo['username'], 'jane');
    assert.deepEqual(userInfo['groups'], ['devs', 'system:authenticated']);
  });

  it('of a node is approved for whoever may have it, when they may', async () => {
    const agent = await server.clientCertificate('system:node:auto', ['system:nodes']);
    const { base64 } = await makeRequest({ ...node, commonName: 'system:node:auto' });
    const body = requestObject('own', base64, kubeletClient, nodeUsages);
    const reply = await server.secure(requests, { method: 'POST', body, as: agent });
    assert.equal(reply.status, 201, reply.text);
    const foreign = await makeRequest({ ...node, commonName: 'system:node:other' });
    const asked = requestObject('foreign', foreign.base64, kubeletClient, nodeUsages);
    // A node may not even ask for another one's; who is about to join may.
    const joiner = await server.clientCertificate('joiner', ['joiners']);
    const joiners = { kind: 'Group', name: 'joiners' };
    await bind(server, '', 'asking', 'system:node-bootstrapper', joiners);
    assert.equal(
      (await server.secure(requests, { method: 'POST', body: asked, as: joiner })).status,
      201,
    );
    assert.equal((await shown(server, 'own')).status?.conditions, undefined);
    const role = 'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient';
    await bind(server, '', 'renewal', role, { kind: 'Group', name: 'system:nodes' });
    await bind(server, '', 'renewal-of-joiners', role, joiners);
    const own = await until(server, 'own', isDecided);
    assert.equal(own.status?.conditions?.[0]?.reason, 'AutoApproved');
    assert.match(own.status.conditions[0].message, /self kubelet client certificate/);
    certificateOf(own);
    // A right to its own certificate is none to another node's.
    assert.equal((await shown(server, 'foreign')).status?.conditions, undefined);
    await bind(server, '', 'joining', role.replace('self', ''), joiners);
    const other = await until(server, 'foreign', isDecided);
    assert.match(other.status?.conditions?.[0]?.message ?? '', /approving kubelet client/);
  });
});

describe('a request of the old version', () => {
  it('is for the old signer, which signs whatever is approved', async () => {
    const server = await startSecureServer({ controllers: '*', 'emulated-version': '1.20' });
    const old = requests.replace('/v1/', '/v1beta1/');
    const { base64 } = await makeRequest({ commonName: 'any', names: [dns, email] });
    const spec = { request: base64, usages: ['server auth', 'cert sign', 'code signing'] };
    const made = await asAdmin(server, 'POST', old, { metadata: { name: 'old' }, spec });
    assert.equal(made.status, 201, made.text);
    const { signerName } = (made.body as unknown as Shown).spec;
    assert.equal(signerName, 'kubernetes.io/legacy-unknown');
    await approve(server, 'old');
    const certificate = new X509Certificate(certificateOf(await until(server, 'old', isDecided)));
    assert.equal(certificate.ca, false);
    assert.equal(certificate.subjectAltName, 'DNS:n.example, email:a@b.c');
    await server.remove();
  });
});

describe('the flags of signers', () => {
  it('refuse what is no CA certificate with its key, before anything is served', async () => {
    const directories = testDirectories('sluice-signers');
    const directory = directories.make();
    const [cert, key] = [path.join(directory, 's.crt'), path.join(directory, 's.key')];
    const validity = { notBeforeMs: 0, notAfterMs: Date.now() + 3600_000 };
    const own = await makeAuthority({ commonName: 'one', ...validity });
    const other = await makeAuthority({ commonName: 'other', ...validity });
    await writeFile(cert, own.certificatePem);
    await writeFile(key, other.keyPem);
    const both = { 'cluster-signing-cert-file': cert, 'cluster-signing-key-file': key };
    const rows: readonly [TestOptions, RegExp][] = [
      [both, /cluster-signing-key-file: .*no certificate with its key/],
      [{ 'cluster-signing-cert-file': cert }, /give both or neither/],
      [{ ...both, 'cluster-signing-key-file': `${key}.none` }, /signing-key-file: .*ENOENT/],
      [{ 'cluster-signing-duration': '1m' }, /cluster-signing-duration/],
      [
        {
          'cluster-signing-kubelet-serving-cert-file': cert,
          'cluster-signing-kubelet-serving-key-file': key,
        },
        /cluster-signing-kubelet-serving-key-file: .*no certificate with its key/,
      ],
      [
        {
          ...both,
          'cluster-signing-legacy-unknown-cert-file': cert,
          'cluster-signing-legacy-unknown-key-file': key,
        },
        /legacy-unknown-cert-file: cannot be given with --cluster-signing-cert-file/,
      ],
    ];
    for (const [options, message] of rows) {
      await assert.rejects(startSecureServer(options), message);
    }
    await directories.removeAll();
  });
});

describe('a CA of one signer', () => {
  it('signs for it alone: the others sign nothing', async () => {
    const directories = testDirectories('sluice-signers');
    const directory = directories.make();
    const [cert, key] = [path.join(directory, 's.crt'), path.join(directory, 's.key')];
    const own = await makeAuthority({
      commonName: 'serving',
      notBeforeMs: 0,
      notAfterMs: Date.now() + 3600_000,
    });
    await writeFile(cert, own.certificatePem);
    await writeFile(key, own.keyPem);
    const server = await startSecureServer({
      controllers: '*',
      'cluster-signing-kubelet-serving-cert-file': cert,
      'cluster-signing-kubelet-serving-key-file': key,
    });
    const { base64 } = await makeRequest({ ...node, names: [dns] });
    const made = [
      requestObject('theirs', someRequest.base64, client),
      requestObject('own', base64, kubeletServing, servingUsages),
    ];
    for (const object of made) {
      const reply = await asAdmin(server, 'POST', requests, object);
      assert.equal(reply.status, 201, reply.text);
      await approve(server, object.metadata.name);
    }
    const pem = certificateOf(await until(server, 'own', isDecided));
    const certificate = new X509Certificate(pem);
    const authority = new X509Certificate(own.certificatePem);
    assert(certificate.verify(authority.publicKey));
    // It ends with its CA, long before the year that was asked for.
    assert.equal(certificate.validTo, authority.validTo);
    assert.equal(isDecided(await shown(server, 'theirs')), false);
    await server.remove();
    await directories.removeAll();
  });

  it('is read again when its files change, both or neither, and only one that can sign', async () => {
    const directories = testDirectories('sluice-signers');
    const directory = directories.make();
    const [cert, key] = [path.join(directory, 's.crt'), path.join(directory, 's.key')];
    const lasts = { notBeforeMs: 0, notAfterMs: Date.now() + 3600_000 };
    const first = await makeAuthority({ commonName: 'first', ...lasts });
    const ended = await makeAuthority({ commonName: 'ended', notBeforeMs: 0, notAfterMs: 1000 });
    const next = await makeAuthority({ commonName: 'next', ...lasts });
    await writeFile(cert, first.certificatePem);
    await writeFile(key, first.keyPem);
    const server = await startSecureServer({
      controllers: '*',
      'cluster-signing-cert-file': cert,
      'cluster-signing-key-file': key,
    });
    let made = 0;
    const issuer = async (): Promise<string> => {
      const name = `r${(made += 1)}`;
      const object = requestObject(name, someRequest.base64, client);
      assert.equal((await asAdmin(server, 'POST', requests, object)).status, 201);
      await approve(server, name);
      return new X509Certificate(certificateOf(await until(server, name, isDecided))).issuer;
    };
    assert.equal(await issuer(), 'CN=first');
    await writeFile(cert, ended.certificatePem);
    await writeFile(key, ended.keyPem);
    for (let times = 0; times < 5; times += 1) assert.equal(await issuer(), 'CN=first');
    await writeFile(cert, next.certificatePem);
    assert.equal(await issuer(), 'CN=first');
    await writeFile(key, next.keyPem);
    await eventually('the next CA signs', async () => (await issuer()) === 'CN=next');
    await server.remove();
    await directories.removeAll();
  });
});

describe('old signing requests', () => {
  let store: SharedStore;
  let server: RegistryServer;
  let cleaner: Controller;
  const errors: unknown[] = [];
  const hourMs = 3600_000;

  beforeEach(async () => {
    store = await createSharedStore();
    server = await store.join();
    const { registry, timers } = server;
    const onError = (error: unknown): void => void errors.push(error);
    cleaner = createSigningCleaner({ registry, timers, onError });
    cleaner.start();
  });
  afterEach(async () => {
    await cleaner.stop();
    await store.stop();
    assert.deepEqual(errors.splice(0), []);
  });

  const kind = () => kindOf(server, 'certificates.k8s.io', 'certificatesigningrequests');

  async function create(name: string, status: object = {}): Promise<void> {
    const { registry } = server;
    const options = { dryRun: false };
    const made = requestObject(name, someRequest.base64, client);
    const target = { kind: kind(), namespace: '' };
    assert.equal((await createObject(registry, target, made, options)).kind, 'ok');
    for (const subresource of ['approval', 'status']) {
      const next = { ...made, status } as unknown as typeof made;
      const named = { ...target, name };
      const done = await updateObject(registry, named, next, subresource, options);
      assert.equal(done.kind, 'ok', done.kind === 'ok' ? '' : done.error.message);
    }
    await turns();
  }

  const names = (): readonly string[] => {
    const { streams } = server.registry;
    return [...streams.snapshot(kind().storage).entries(undefined)].map(({ name }) => name);
  };

  /** By the hour: each sweep ends before time goes on. */
  async function pass(hours: number): Promise<void> {
    for (let hour = 0; hour < hours; hour += 1) {
      store.time.advance(hourMs);
      await turns(40);
    }
  }

  const condition = (type: string) => ({ type, status: 'True', reason: 'r', message: 'm' });
  const authority = { commonName: 'ca', notBeforeMs: 0 };
  const certificate = async (lifeMs: number): Promise<string> => {
    const notAfterMs = store.time.clock.nowMs() + lifeMs;
    const { certificatePem } = await makeAuthority({ ...authority, notAfterMs });
    return Buffer.from(certificatePem).toString('base64');
  };

  it('go an hour after they were denied, failed, or got their certificate', async () => {
    await create('denied', { conditions: [condition('Denied')] });
    await create('failed', { conditions: [condition('Approved'), condition('Failed')] });
    const issued = await certificate(48 * hourMs);
    await create('issued', { conditions: [condition('Approved')], certificate: issued });
    await create('waiting', { conditions: [condition('Approved')] });
    await create('pending');
    await pass(1);
    assert.equal(names().length, 5);
    await pass(1);
    assert.deepEqual(names(), ['pending', 'waiting']);
  });

  it('go after a day without a decision; those that wait for a signer stay', async () => {
    await create('pending');
    await create('waiting', { conditions: [condition('Approved')] });
    await pass(24);
    assert.deepEqual(names(), ['pending', 'waiting']);
    await pass(1);
    assert.deepEqual(names(), ['waiting']);
  });

  it('go when their certificate has ended', async () => {
    const issued = await certificate(hourMs / 2);
    await create('issued', { conditions: [condition('Approved')], certificate: issued });
    await pass(1);
    assert.deepEqual(names(), []);
  });
});
