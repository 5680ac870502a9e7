/**
 * The reference's client library, in the language it is written in, against a real server over TLS
 * and HTTP/2 that is stopped, killed and started again on the same port and the same data.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { buildGoClient, findGo, runGoClient } from '../support/clients/go-client.ts';
import type { GoClient } from '../support/clients/go-client.ts';
import { startRestartedServer } from '../support/servers/restarted-server.ts';
import type { Credential, RestartedServer } from '../support/servers/restarted-server.ts';

const found = findGo();
const skip = found.kind === 'missing' ? found.reason : false;
const json = 'application/json';
const protobuf = 'application/vnd.kubernetes.protobuf';

interface Way {
  readonly contentType: string;
  readonly credential: Credential;
  /** Whether informers begin with a streamed list; the library asks the environment. */
  readonly watchList: boolean;
  /** Of the server. */
  readonly flags?: readonly string[];
}

const ways: readonly Way[] = [
  { contentType: protobuf, credential: 'certificate', watchList: true },
  { contentType: json, credential: 'token', watchList: true },
  { contentType: protobuf, credential: 'token', watchList: false, flags: ['--workers=2'] },
  { contentType: json, credential: 'certificate', watchList: false },
];

/** Media type of the watches of each follower. */
const mediaTypes: Readonly<Record<string, (contentType: string) => string>> = {
  'typed shared informer': watchTypeOf,
  'typed informer with a selector': watchTypeOf,
  'metadata informer': () => watchTypeOf(protobuf),
  'dynamic informer': () => json,
  'retry watcher': watchTypeOf,
};

function watchTypeOf(contentType: string): string {
  return contentType === protobuf ? `${protobuf};stream=watch` : json;
}

/** Events between two blows. */
const eventsBetween = 150;

async function goOn(client: GoClient): Promise<void> {
  const now = await client.next((line) => line['type'] === 'progress');
  const goal = Number(now['written']) + eventsBetween;
  await client.next((line) => Number(line['written']) >= goal && line['close'] === true);
}

describe('client-go, while its server is stopped, killed and started again', { skip }, () => {
  let program = '';
  before(async () => {
    if (found.kind === 'found') program = await buildGoClient(found);
  });

  for (const { contentType, credential, watchList, flags = [] } of ways) {
    const streamed = watchList ? 'streamed lists' : 'plain lists';
    describe([contentType, credential, streamed, ...flags].join(', '), () => {
      let running: RestartedServer;
      let lines: readonly JsonObject[] = [];
      before(async () => {
        running = await startRestartedServer(flags);
        const kubeconfig = await running.kubeconfigOf(credential);
        const args = ['survive', `-kubeconfig=${kubeconfig}`, `-content-type=${contentType}`];
        const env = { KUBE_FEATURE_WatchListClient: String(watchList) };
        const client = runGoClient(program, args, env);
        await goOn(client);
        await running.restart('SIGTERM');
        await goOn(client);
        await running.restart('SIGKILL');
        await goOn(client);
        client.tell('finish');
        await client.ended;
        lines = client.lines;
      });
      after(() => running.remove());

      const of = (type: string) => lines.filter((line) => line['type'] === type);

      for (const [name, mediaType] of Object.entries(mediaTypes)) {
        it(`the ${name} is told everything once, in order, and never lists again`, () => {
          const told = of('follower').find((line) => line['name'] === name);
          assert.ok(told !== undefined);
          const { missed, repeated, disordered, relists, first } = told;
          assert.deepEqual(
            { missed, repeated, disordered, relists, first },
            { missed: 0, repeated: 0, disordered: 0, relists: 0, first: '' },
          );
          assert.ok(Number(told['events']) > eventsBetween, 'there was something to be told');
          assert.ok(Number(told['watches']) >= 2, 'it watched again after each restart');
          assert.equal(told['notHttp2'], 0);
          assert.equal(told['mediaType'], mediaType(contentType));
        });
      }

      it('nothing was wrong in any stream', () => assert.deepEqual(of('trouble'), []));

      it('a controller with a work queue converges', () => {
        assert.deepEqual(of('controller'), [{ type: 'controller', problem: '', relists: 0 }]);
      });

      it('one leads at a time, through both restarts, and hands over', () => {
        const [election] = of('election');
        assert.ok(election !== undefined);
        const { together, kept, terms, error } = election;
        assert.deepEqual(
          { together, kept, terms, error },
          { together: 0, kept: true, terms: 2, error: '' },
        );
      });
    });
  }
});
