/** Priority and fairness over HTTP: who is served, who waits, who is refused, and as what. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { asAdmin, bind, rbacPath, untilAllowed } from '../support/clients/access-setup.ts';
import { headerOf, RawConnection } from '../support/clients/raw-http.ts';
import { startSecureServer, tokens } from '../support/servers/secure-server.ts';
import type { SecureServer } from '../support/servers/secure-server.ts';

const flow = '/apis/flowcontrol.apiserver.k8s.io/v1';
const maps = '/api/v1/namespaces/default/configmaps';
const schemaHeader = 'x-kubernetes-pf-flowschema-uid';
const levelHeader = 'x-kubernetes-pf-prioritylevel-uid';

/** One share of 246 that are in use then: 3 of 600 seats, of which none is lent or borrowed. */
const seats = 3;

function levelObject(name: string, limitResponse: object): object {
  const limited = { nominalConcurrencyShares: 1, borrowingLimitPercent: 0, limitResponse };
  return { metadata: { name }, spec: { type: 'Limited', limited } };
}

const queue = (queues: number, handSize: number, queueLengthLimit: number): object => ({
  type: 'Queue',
  queuing: { queues, handSize, queueLengthLimit },
});

function schemaObject(name: string, level: string, user: string, precedence = 500): object {
  return {
    metadata: { name },
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence: precedence,
      distinguisherMethod: { type: 'ByUser' },
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: user } }],
          resourceRules: [
            { verbs: ['*'], apiGroups: ['*'], resources: ['configmaps'], namespaces: ['*'] },
          ],
        },
      ],
    },
  };
}

for (const transport of ['uws', 'node'] as const) {
  describe(`priority and fairness over ${transport}`, () => {
    let server: SecureServer;
    let isRemoved = false;
    const open: RawConnection[] = [];

    const asks = (token: string, method: string, target: string, more = ''): RawConnection => {
      const connection = new RawConnection(Number(new URL(server.url).port));
      open.push(connection);
      connection.request(method, target, `Authorization: Bearer ${token}\r\n${more}`);
      return connection;
    };
    const answer = async (token: string, method: string, target: string) => {
      const connection = asks(token, method, target);
      const response = await connection.response();
      connection.destroy();
      return response;
    };
    /** It keeps its seat until `end`, or its client goes. */
    const slow = (token: string) => {
      const body = '{"metadata":{"generateName":"slow-"}}';
      const head = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
      const connection = asks(token, 'POST', maps, head);
      return { connection, end: () => connection.write(body) };
    };
    const dumped = async (what: string): Promise<readonly (readonly string[])[]> => {
      const path = `/debug/api_priority_and_fairness/dump_${what}`;
      const { text } = await asAdmin(server, 'GET', path);
      const lines = text.trimEnd().split('\n');
      return lines.map((line) => line.split(',').map((cell) => cell.trim()));
    };
    /** Waiting, executing, rejected, timed out and cancelled. */
    const stateOf = async (level: string): Promise<readonly number[]> => {
      const row = (await dumped('priority_levels')).find(([name]) => name === level) ?? [];
      return [4, 5, 7, 8, 9].map((at) => Number(row[at]));
    };
    const until = async (level: string, waiting: number, executing: number): Promise<void> => {
      for (;;) {
        const [waits, executes] = await stateOf(level);
        if (waits === waiting && executes === executing) return;
      }
    };
    const make = async (kind: string, object: object): Promise<string> => {
      const made = await asAdmin(server, 'POST', `${flow}/${kind}`, object);
      assert.equal(made.status, 201, made.text);
      return String((made.body['metadata'] as { uid: string }).uid);
    };
    const remove = (kind: string, name: string) =>
      asAdmin(server, 'DELETE', `${flow}/${kind}/${name}`);
    const uidOf = async (kind: string, name: string): Promise<string> => {
      const { body } = await asAdmin(server, 'GET', `${flow}/${kind}/${name}`);
      return String((body['metadata'] as { uid: string }).uid);
    };
    /** Until requests of the user are judged by the schema. */
    const untilJudged = async (token: string, uid: string) => {
      for (;;) {
        const headers = { authorization: `Bearer ${token}` };
        const { headers: given } = await server.request('GET', `${maps}/none`, { headers });
        if (given[schemaHeader] === uid) return given[levelHeader];
      }
    };
    const setUp = async (name: string, response: object, user: string, token: string) => {
      const level = await make('prioritylevelconfigurations', levelObject(name, response));
      const schema = await make('flowschemas', schemaObject(name, name, user));
      const judged = await untilJudged(token, schema);
      assert.equal(judged, level);
      return { level, schema };
    };
    const takeDown = async (name: string, token: string): Promise<void> => {
      await remove('flowschemas', name);
      await remove('prioritylevelconfigurations', name);
      await untilJudged(token, await uidOf('flowschemas', 'global-default'));
    };

    before(async () => {
      server = await startSecureServer({ transport, controllers: '*' });
      const rules = [{ verbs: ['*'], apiGroups: [''], resources: ['configmaps'] }];
      const role = { metadata: { name: 'maps' }, rules };
      await asAdmin(server, 'POST', rbacPath('', 'clusterroles'), role);
      for (const name of ['alice', 'bob']) {
        await bind(server, '', `maps-${name}`, 'maps', { kind: 'User', name });
        const right = { verb: 'create', resource: 'configmaps', namespace: '' };
        await untilAllowed(server, { user: name }, right);
      }
    });
    after(async () => {
      for (const connection of open) connection.destroy();
      if (!isRemoved) await server.remove();
    });

    test('answers name the schema and the level that the request was judged by', async () => {
      const rows = [
        ['GET', maps, tokens.admin, 'exempt', 'exempt'],
        ['GET', maps, tokens.alice, 'global-default', 'global-default'],
        ['GET', '/api/v1/nodes', tokens.alice, 'global-default', 'global-default'],
        ['GET', '/livez', tokens.alice, 'probes', 'exempt'],
        ['POST', '/nowhere', tokens.bob, 'global-default', 'global-default'],
      ] as const;
      for (const [method, target, token, schema, level] of rows) {
        const response = await answer(token, method, target);
        const uids = [schemaHeader, levelHeader].map((name) => headerOf(response, name)[0]);
        const wanted = [
          await uidOf('flowschemas', schema),
          await uidOf('prioritylevelconfigurations', level),
        ];
        assert.deepEqual(uids, wanted, target);
      }
      const unknown = await answer('nobody', 'GET', maps);
      assert.equal(unknown.status, 401);
      assert.deepEqual(headerOf(unknown, schemaHeader), []);
    });

    test('above its seats and its queue a flow is refused, and others are not', async () => {
      await setUp('narrow', queue(1, 1, 2), 'alice', tokens.alice);
      const held = Array.from({ length: seats }, () => slow(tokens.alice));
      await until('narrow', 0, seats);
      const waiting = [0, 1].map(() => asks(tokens.alice, 'GET', `${maps}/none`));
      await until('narrow', 2, seats);
      const refused = await answer(tokens.alice, 'GET', `${maps}/none`);
      assert.equal(refused.status, 429);
      assert.deepEqual(headerOf(refused, 'retry-after'), ['1']);
      assert.deepEqual(headerOf(refused, 'content-type'), ['text/plain; charset=utf-8']);
      assert.equal(headerOf(refused, schemaHeader).length, 1);
      assert.equal(refused.body.toString(), 'Too many requests, please try again later.\n');
      assert.equal((await answer(tokens.bob, 'GET', `${maps}/none`)).status, 404);
      assert.equal((await answer(tokens.admin, 'GET', `${maps}/none`)).status, 404);
      for (const { connection, end } of held) {
        end();
        assert.equal((await connection.response()).status, 201);
      }
      for (const each of waiting) assert.equal((await each.response()).status, 404);
      const { body } = await answer(tokens.admin, 'GET', '/metrics');
      const count =
        'apiserver_flowcontrol_rejected_requests_total' +
        '{priority_level="narrow",flow_schema="narrow",reason="queue-full"} 1';
      assert.ok(body.toString().includes(count));
      await takeDown('narrow', tokens.alice);
    });

    test('who waits for the fourth part of its time is refused', async () => {
      await setUp('late', queue(1, 1, 2), 'alice', tokens.alice);
      const held = Array.from({ length: seats }, () => slow(tokens.alice));
      await until('late', 0, seats);
      const refused = await answer(tokens.alice, 'GET', `${maps}/none?timeout=1s`);
      assert.equal(refused.status, 429);
      assert.deepEqual(await stateOf('late'), [0, seats, 1, 1, 0]);
      for (const { connection } of held) connection.destroy();
      await until('late', 0, 0);
      await takeDown('late', tokens.alice);
    });

    test('who goes while it waits leaves its place, and takes no seat', async () => {
      await setUp('gone', queue(1, 1, 1), 'alice', tokens.alice);
      const held = Array.from({ length: seats }, () => slow(tokens.alice));
      await until('gone', 0, seats);
      const goes = slow(tokens.alice);
      await until('gone', 1, seats);
      goes.connection.destroy();
      await until('gone', 0, seats);
      const stays = asks(tokens.alice, 'GET', `${maps}/none`);
      await until('gone', 1, seats);
      for (const { connection } of held) connection.destroy();
      assert.equal((await stays.response()).status, 404);
      assert.equal((await stateOf('gone'))[4], 1);
      await takeDown('gone', tokens.alice);
    });

    test('one who fills its queues leaves others of the level a place to wait', async () => {
      const handSize = 6;
      await setUp('shared', queue(64, handSize, 1), 'alice', tokens.alice);
      const second = await make('flowschemas', schemaObject('other', 'shared', 'bob'));
      await untilJudged(tokens.bob, second);
      const held = Array.from({ length: seats }, () => slow(tokens.alice));
      await until('shared', 0, seats);
      const flood = Array.from({ length: handSize }, () => slow(tokens.alice));
      await until('shared', handSize, seats);
      assert.equal((await answer(tokens.alice, 'GET', `${maps}/none`)).status, 429);
      const modest = asks(tokens.bob, 'GET', `${maps}/none`);
      await until('shared', handSize + 1, seats);
      for (const { end } of [...held, ...flood]) end();
      assert.equal((await modest.response()).status, 404);
      for (const { connection } of flood) assert.equal((await connection.response()).status, 201);
      await until('shared', 0, 0);
      await remove('flowschemas', 'other');
      await takeDown('shared', tokens.alice);
    });

    test('a level without queues refuses at once', async () => {
      await setUp('strict', { type: 'Reject' }, 'alice', tokens.alice);
      const held = Array.from({ length: seats }, () => slow(tokens.alice));
      await until('strict', 0, seats);
      assert.equal((await answer(tokens.alice, 'GET', `${maps}/none`)).status, 429);
      for (const { connection } of held) connection.destroy();
      await until('strict', 0, 0);
      await takeDown('strict', tokens.alice);
    });

    test('health is answered whatever its level has, and names the level', async () => {
      const { level } = await setUp('full', { type: 'Reject' }, 'alice', tokens.alice);
      const subjects = [{ kind: 'User', user: { name: 'alice' } }];
      const nonResourceRules = [{ verbs: ['get'], nonResourceURLs: ['/livez', '/livez/*'] }];
      const priorityLevelConfiguration = { name: 'full' };
      await make('flowschemas', {
        metadata: { name: 'health' },
        spec: {
          priorityLevelConfiguration,
          matchingPrecedence: 2,
          rules: [{ subjects, nonResourceRules }],
        },
      });
      const headers = { authorization: `Bearer ${tokens.alice}` };
      const ask = (path: string) => server.request('GET', path, { headers });
      while ((await ask('/livez')).headers[levelHeader] !== level);
      const held = Array.from({ length: seats }, () => slow(tokens.alice));
      await until('full', 0, seats);
      assert.equal((await ask('/livez')).status, 200);
      assert.equal((await ask('/livez/ping')).status, 429);
      for (const { connection } of held) connection.destroy();
      await until('full', 0, 0);
      await remove('flowschemas', 'health');
      await takeDown('full', tokens.alice);
    });

    test('a watch gives its seat back when it has sent what there is', async () => {
      await setUp('watching', queue(1, 1, 1), 'alice', tokens.alice);
      for (const start of ['', '&resourceVersion=0', '&resourceVersion=1']) {
        const watches: RawConnection[] = [];
        for (let i = 0; i < seats + 2; i += 1) {
          const watch = asks(tokens.alice, 'GET', `${maps}?watch=true${start}`);
          assert.equal((await watch.head()).status, 200);
          watches.push(watch);
        }
        await until('watching', 0, 0);
        for (const each of watches) each.destroy();
      }
      await takeDown('watching', tokens.alice);
    });

    test('a schema whose level is not there is not used, until it is', async () => {
      const dangling = await make('flowschemas', schemaObject('early', 'later', 'alice'));
      await make('flowschemas', schemaObject('marks', 'global-default', 'bob', 400));
      await untilJudged(tokens.bob, await uidOf('flowschemas', 'marks'));
      const before = await answer(tokens.alice, 'GET', `${maps}/none`);
      const used = await uidOf('flowschemas', 'global-default');
      assert.deepEqual(headerOf(before, schemaHeader), [used]);
      await make('prioritylevelconfigurations', levelObject('later', { type: 'Reject' }));
      await untilJudged(tokens.alice, dangling);
      await remove('flowschemas', 'marks');
      await remove('flowschemas', 'early');
      await takeDown('later', tokens.alice);
    });

    test('a level that is deleted serves who waits there, and then is gone', async () => {
      await setUp('leaving', queue(1, 1, 2), 'alice', tokens.alice);
      const held = Array.from({ length: seats }, () => slow(tokens.alice));
      await until('leaving', 0, seats);
      const waits = asks(tokens.alice, 'GET', `${maps}/none`);
      await until('leaving', 1, seats);
      await remove('flowschemas', 'leaving');
      await remove('prioritylevelconfigurations', 'leaving');
      let quiescing: string | undefined;
      while (quiescing !== 'true') {
        const rows = await dumped('priority_levels');
        quiescing = rows.find(([name]) => name === 'leaving')?.[3];
      }
      await untilJudged(tokens.alice, await uidOf('flowschemas', 'global-default'));
      const requests = (await dumped('requests')).filter(([name]) => name === 'leaving');
      assert.equal(requests.length, seats + 1);
      for (const { end } of held) end();
      assert.equal((await waits.response()).status, 404);
      for (;;) {
        const rows = await dumped('priority_levels');
        if (rows.every(([name]) => name !== 'leaving')) return;
      }
    });

    test('who waits is told to come again when the server stops', async () => {
      await setUp('last', queue(1, 1, 2), 'alice', tokens.alice);
      const held = Array.from({ length: seats }, () => slow(tokens.alice));
      await until('last', 0, seats);
      const waits = asks(tokens.alice, 'GET', `${maps}/none`);
      await until('last', 1, seats);
      const stopping = server.remove();
      isRemoved = true;
      assert.equal((await waits.response()).status, 429);
      for (const { connection } of held) connection.destroy();
      await stopping;
    });
  });
}
