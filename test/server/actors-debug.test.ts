/** Actors as operators see them: the list, and the stream that Stately's inspector reads. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createBrowserReceiver, createInspector } from '@statelyai/inspect';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { asAdmin, bind, rbacPath } from '../support/clients/access-setup.ts';
import { eventually } from '../support/clients/watch-client.ts';
import { openResponse } from '../support/clients/http-client.ts';
import { startSecureServer, tokens } from '../support/servers/secure-server.ts';
import type { SecureReply, SecureServer } from '../support/servers/secure-server.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { TestServer } from '../support/servers/test-server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const secret = 'c2VjcmV0LXZhbHVl';

function configMap(name: string): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { key: secret } };
}

interface Rows {
  readonly items: readonly JsonObject[];
  readonly continue?: string;
}

async function list(server: TestServer, query = ''): Promise<Rows> {
  const reply = await server.request('GET', `/debug/actors${query}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body as unknown as Rows;
}

describe('actors, seen from outside', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ 'inspect-actors': 'true' });
    for (const name of ['a', 'b', 'c']) {
      await server.request('POST', configMaps, { body: configMap(name) });
    }
  });
  after(() => server.remove());

  it('lists residents with state, mailbox and revision, a page at a time', async () => {
    const all = await list(server);
    const own = all.items.filter(({ id }) => String(id).includes('configmaps'));
    assert.ok(own.length >= 3);
    for (const row of own) {
      assert.deepEqual(
        { kind: row['kind'], life: row['life'], sync: row['sync'], waiting: row['mailboxCount'] },
        { kind: 'object', life: 'live', sync: 'ready', waiting: 0 },
      );
      assert.match(String(row['revision']), /^[0-9]+$/);
    }
    const paged: JsonObject[] = [];
    for (let next: string | undefined = '0'; next !== undefined;) {
      const page: Rows = await list(server, `?limit=2&continue=${next}`);
      assert.ok(page.items.length <= 2);
      paged.push(...page.items);
      next = page.continue;
    }
    assert.deepEqual(paged, all.items);
    assert.equal((await server.request('GET', '/debug/actors?limit=x')).status, 400);
    assert.equal((await server.request('DELETE', '/debug/actors')).status, 405);
  });

  it('streams events that the receiver of Stately takes, without what is in objects', async () => {
    const events = await streamed(server, async () => {
      await server.request('POST', configMaps, { body: configMap('watched') });
    });
    const text = JSON.stringify(events);
    assert.ok(!text.includes(secret), 'no data of objects is shown');
    const taken = received(events);
    assert.equal(taken.length, events.length, 'it takes each of them');
    const actor = taken.find(({ name }) => String(name).includes('watched'));
    assert.ok(actor !== undefined);
    const definition = JSON.parse(String(actor['definition'])) as { readonly id: string };
    assert.equal(definition.id, 'object');
    const states = taken.filter(
      ({ sessionId, type }) => type === '@xstate.snapshot' && sessionId === actor['sessionId'],
    );
    assert.ok(states.some(({ snapshot }) => lifeOf(snapshot) === 'live'));
    assert.ok(taken.some(({ event }) => (event as JsonObject | undefined)?.['verb'] === 'create'));
  });

  it('readers that have gone make room for others, though nothing happens to an actor', async () => {
    const open = () => openResponse(server.url, '/debug/actors/events');
    const readers = await Promise.all(Array.from({ length: 5 }, open));
    const statuses = readers.map(({ statusCode }) => statusCode);
    assert.equal(statuses.filter((status) => status === 429).length, 1, String(statuses));
    for (const reader of readers) reader.destroy();
    await eventually('there is room', async () => {
      const reader = await open();
      reader.destroy();
      return reader.statusCode === 200;
    });
  });

  it('has the form that the converter of Stately makes of the same events', async () => {
    const converted: JsonObject[] = [];
    const inspector = createInspector({ send: (event) => converted.push(event as never) });
    const subscription = server.running.parts.root.system.inspect(inspector.inspect);
    const events = await streamed(server, async () => {
      await server.request('POST', configMaps, { body: configMap('converted') });
    });
    subscription.unsubscribe();
    for (const type of ['@xstate.actor', '@xstate.event', '@xstate.snapshot']) {
      const ours = events.findLast((event) => event['type'] === type);
      const theirs = converted.findLast((event) => event['type'] === type);
      assert.ok(ours !== undefined && theirs !== undefined, type);
      for (const [member, value] of Object.entries(theirs)) {
        // What is undefined is not in JSON.
        if (value !== undefined) assert.ok(member in ours, `${type} has ${member}`);
      }
    }
    const seen = new Set(converted.map(({ sessionId }) => sessionId));
    assert.ok(events.some(({ sessionId }) => seen.has(sessionId)));
  });
});

describe('without --inspect-actors', () => {
  it('there is no stream', async () => {
    const server = await startTestServer();
    try {
      assert.equal((await server.request('GET', '/debug/actors/events')).status, 404);
    } finally {
      await server.remove();
    }
  });
});

describe('actors, asked for by those who may not see them', () => {
  let server: SecureServer;
  before(async () => {
    server = await startSecureServer({ 'inspect-actors': 'true' });
  });
  after(() => server.remove());

  const asked = (path: string, token: string): Promise<SecureReply> =>
    server.secure(path, { token });

  it('lists and streams to nobody without a right to the path, and says which', async () => {
    for (const path of ['/debug/actors', '/debug/actors/events']) {
      const refused = await asked(path, tokens.alice);
      assert.equal(refused.status, 403, refused.text);
      assert.equal(
        refused.body['message'],
        `forbidden: User "alice" cannot get path "${path}"`,
        'nothing of any actor is in it',
      );
      const { status } = await server.secure(path);
      assert.equal(status, 403, 'nor to who does not say who they are');
    }
  });

  it('lists to whom a role gives the path, and no more than the path', async () => {
    const name = 'sees-actors';
    const rules = [{ verbs: ['get'], nonResourceURLs: ['/debug/actors'] }];
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' };
    const made = await asAdmin(server, 'POST', rbacPath('', 'clusterroles'), {
      ...role,
      metadata: { name },
      rules,
    });
    assert.equal(made.status, 201, made.text);
    await bind(server, '', name, name, { kind: 'User', name: 'alice' });
    let allowed = await asked('/debug/actors', tokens.alice);
    // A grant is seen a moment after it is written.
    for (let tries = 0; allowed.status === 403 && tries < 20_000; tries += 1) {
      await setImmediate();
      allowed = await asked('/debug/actors', tokens.alice);
    }
    assert.equal(allowed.status, 200, allowed.text);
    const { items } = allowed.body as unknown as Rows;
    assert.ok(
      items.some(({ id }) => String(id).includes(name)),
      'the actor of the role is there',
    );
    assert.equal((await asked('/debug/actors/events', tokens.alice)).status, 403);
  });
});

function lifeOf(snapshot: unknown): unknown {
  const { value } = snapshot as { readonly value?: { readonly life?: string } };
  return value?.life;
}

/** Events from the stream, until those of `act` have come. */
async function streamed(server: TestServer, act: () => Promise<void>): Promise<JsonObject[]> {
  const events: JsonObject[] = [];
  let rest = '';
  const response = await openResponse(server.url, '/debug/actors/events');
  assert.equal(response.headers['content-type'], 'text/event-stream');
  const idle = new Promise<void>((resolve) => {
    response.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n\n');
      rest = parts.pop() ?? '';
      for (const part of parts) {
        if (part.startsWith('data: ')) events.push(JSON.parse(part.slice(6)) as JsonObject);
      }
      const answered = events.some(
        ({ event, type }) =>
          type === '@xstate.snapshot' && (event as JsonObject)['type'] === 'committed',
      );
      if (answered) resolve();
    });
  });
  await act();
  await idle;
  response.destroy();
  return events;
}

/** What Stately's receiver makes of messages from elsewhere. */
function received(events: readonly JsonObject[]): readonly JsonObject[] {
  const taken: JsonObject[] = [];
  let deliver: (message: { readonly data: unknown }) => void = () => undefined;
  const other = { postMessage: () => undefined };
  const window = {
    opener: other,
    parent: other,
    addEventListener: (_type: string, listener: typeof deliver) => (deliver = listener),
  };
  const receiver = createBrowserReceiver({ window: window as never });
  receiver.subscribe((event) => taken.push(event as never));
  for (const data of events) deliver({ data });
  return taken;
}
