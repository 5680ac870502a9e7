/** The steps of one trace are bounded, and its IDs and times are the server's. */
import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { test } from 'node:test';
import { newServiceUnavailable } from '../../src/apimachinery/status-error.ts';
import { openRequest } from '../../src/proxy/open-request.ts';
import { seededPrng } from '../../src/stdx/prng.ts';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import { createOpenTelemetryTracer } from '../../src/tracing/open-telemetry.ts';
import { startRemoteService } from '../support/servers/remote-service.ts';
import { startTraceCollector } from '../support/servers/trace-collector.ts';

async function world() {
  const collector = await startTraceCollector();
  const tracer = createOpenTelemetryTracer(
    { endpoint: `http://${collector.address}`, share: 1 },
    {
      clock: systemClock,
      timers: systemTimers,
      prng: seededPrng(7),
      instance: 'one',
      version: '1',
      onExport: () => undefined,
    },
  );
  const request = { name: 'GET', attributes: {}, startMs: 0, isTrusted: false };
  const step = tracer.begin({ ...request, header: () => undefined });
  assert.ok(step !== undefined);
  return { collector, tracer, step };
}

test('a request has 128 steps at most; those that are left out are counted', async () => {
  const { collector, step, tracer } = await world();
  for (let i = 0; i < 100; i += 1) step.add('added', 0, 1);
  const last = Array.from({ length: 100 }, () => step.begin('begun'));
  for (const each of last) each.end();
  assert.deepEqual(last[99]?.headers, {}, 'who is called beyond the bound is told of no trace');
  step.end();
  await tracer.stop();
  assert.equal(collector.spans.length, 129);
  assert.equal((await collector.spanOf('GET')).attributes['steps.left.out'], 72);
  collector.close();
});

test('a step is over once, and a failure says why', async () => {
  const { collector, step, tracer } = await world();
  const call = step.call('POST');
  assert.match(call.headers['traceparent'] ?? '', /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  call.end('no answer in time');
  call.note({ late: 1 });
  call.end();
  step.end();
  await tracer.stop();
  const { attributes, failure, kind } = await collector.spanOf('POST');
  assert.deepEqual([attributes, failure, kind], [{}, 'no answer in time', 3]);
  assert.equal(collector.spans.length, 2);
  collector.close();
});

test('a long value is cut', async () => {
  const { collector, step, tracer } = await world();
  step.begin('long', { path: 'x'.repeat(60_000) }).end();
  step.end();
  await tracer.stop();
  assert.equal(String((await collector.spanOf('long')).attributes['path']).length, 1_024);
  collector.close();
});

test('a request that is passed on goes on with the trace, whatever its client said of one', async () => {
  const { collector, step, tracer } = await world();
  const seen: (string | undefined)[] = [];
  const service = await startRemoteService((_body, { headers }, response) => {
    seen.push(headers['traceparent'] as string | undefined);
    response.writeHead(503).end();
  });
  const requester = {
    closed: false,
    onAbort: () => undefined,
    offAbort: () => undefined,
    trace: step,
  };
  const passed = {
    url: new URL(service.url),
    method: 'GET',
    headers: [['traceparent', `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01`]] as const,
    agent: new Agent(),
    body: undefined,
    dialTimeoutMs: 10_000,
    unreachable: (why: string) => newServiceUnavailable(why),
  };
  const opened = await openRequest(passed, undefined, requester, systemTimers);
  assert.equal(opened.kind, 'answered');
  service.close();
  step.end();
  await tracer.stop();
  const call = collector.spans.find(({ kind }) => kind === 3);
  assert.equal(seen[0], `00-${call?.traceId}-${call?.spanId}-01`);
  assert.equal(call?.failure, 'answered with status 503');
  collector.close();
});
