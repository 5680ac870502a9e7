/**
 * Question: how many replacements a second does one object take from 50 connections when a mutating
 * webhook looks at each for 5 ms, and does every writer get its turn?
 *
 * What it does not answer: what a webhook costs that many objects share: those are asked at once.
 *
 * Floor: the webhook's own time, one call after the other: what it saw is what is written, so no
 * order of calls does more. The share of the writer that got least, of an equal share, says whether
 * somebody starves. Any other answer than 200 fails the run.
 */
import http from 'node:http';
import { systemClock, systemTimers } from '../src/stdx/clock.ts';
import { tlsPair, tlsServerOptions } from '../test/support/data/tls-pair.ts';
import { startRemoteService } from '../test/support/servers/remote-service.ts';
import { comparison, figure } from './harness/compare.ts';
import { startSluice } from './harness/process.ts';
import { busiest } from './harness/scenario.ts';
import type { Bench, Outcome, Scenario } from './harness/scenario.ts';
import { measureUsage } from './harness/usage.ts';
import { collectionPath, configMap, objectName } from './load/objects.ts';
import { fill } from './load/prepare.ts';

const WRITERS = 50;
const WEBHOOK_MS = 5;
const OBJECT_BYTES = 1024;
const PREFIX = 'hot-webhook';
const configurations = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';

/** Answers after its time with a patch that sets a label. */
async function startHook(): Promise<{ readonly port: number; close(): void; asked(): number }> {
  let asked = 0;
  const value = { hooked: 'yes' };
  const operations = [{ op: 'add', path: '/metadata/labels', value }];
  const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
  const { close, port } = await startRemoteService((body, _request, response) => {
    asked += 1;
    const { apiVersion, kind, request } = JSON.parse(body) as AskedReview;
    const answer = { uid: request.uid, allowed: true, patchType: 'JSONPatch', patch };
    const text = JSON.stringify({ apiVersion, kind, response: answer });
    systemTimers.after(WEBHOOK_MS, () => response.end(text));
  }, tlsServerOptions);
  return { port, asked: () => asked, close };
}

interface AskedReview {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: { readonly uid: string };
}

function send(
  port: number,
  agent: http.Agent,
  method: string,
  target: string,
  body: string,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const options = { host: '127.0.0.1', port, agent, method, path: target, headers };
    const request = http.request(options, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** How many writes each writer got done within the time. */
async function race(port: number, writers: number, ms: number): Promise<readonly number[]> {
  const endMs = systemClock.monotonicMs() + ms;
  const name = objectName(PREFIX, 0);
  return Promise.all(
    Array.from({ length: writers }, async (_none, writer) => {
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
      let done = 0;
      while (systemClock.monotonicMs() < endMs) {
        const body = configMap(name, writer * 1_000_000 + done, OBJECT_BYTES);
        const status = await send(port, agent, 'PUT', `${collectionPath}/${name}`, body);
        if (status !== 200) throw new Error(`a replacement was answered with ${status}`);
        done += 1;
      }
      agent.destroy();
      return done;
    }),
  );
}

async function install(port: number, hookPort: number): Promise<void> {
  const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };
  const webhook = {
    name: 'hot.example.com',
    clientConfig: {
      url: `https://localhost:${hookPort}/`,
      caBundle: Buffer.from(tlsPair.certificatePem).toString('base64'),
    },
    rules: [{ ...rule, operations: ['UPDATE'] }],
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
  };
  const body = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'hot' },
    webhooks: [webhook],
  };
  const agent = new http.Agent();
  const status = await send(port, agent, 'POST', configurations, JSON.stringify(body));
  if (status !== 201) throw new Error(`the configuration was answered with ${status}`);
}

async function run(bench: Bench): Promise<Outcome> {
  const writers = bench.smoke ? 5 : WRITERS;
  const ms = bench.smoke ? 200 : 5000;
  const server = await startSluice(bench.cores.server, ['--identity=kubernetes']);
  const hook = await startHook();
  try {
    await fill(server.port, PREFIX, 1, OBJECT_BYTES);
    await install(server.port, hook.port);
    while (hook.asked() === 0) await race(server.port, 1, 20);
    const pairs: { floor: number; server: number }[] = [];
    const least: number[] = [];
    const usages = [];
    for (let round = 0; round < bench.rounds; round += 1) {
      const used = measureUsage(server.pid, bench.cores.server);
      const result = await race(server.port, writers, ms);
      const total = result.reduce((sum, each) => sum + each, 0);
      pairs.push({ floor: 1000 / WEBHOOK_MS, server: total / (ms / 1000) });
      least.push(Math.min(...result) / (total / writers));
      usages.push(used());
    }
    return {
      rows: [
        comparison('replacements', 'per s', pairs),
        figure('least of any writer, of an equal share', '', least, undefined, {
          of: 'server',
          atLeast: 0.5,
        }),
      ],
      ...busiest(usages),
      facts: { writers, webhookMs: WEBHOOK_MS, seconds: ms / 1000, asked: hook.asked() },
      notes: ['every answer was 200', 'the webhook runs in the process that makes the load'],
    };
  } finally {
    hook.close();
    await server.stop();
  }
}

export const hotObjectWebhook: Scenario = {
  name: 'hot-object-webhook',
  question: 'How many replacements does one object take with a webhook of 5 ms, and who starves?',
  run,
};
