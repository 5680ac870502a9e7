/** The steps of one trace are bounded, and its IDs and times are the server's. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededPrng } from '../../src/stdx/prng.ts';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import { createOpenTelemetryTracer } from '../../src/tracing/open-telemetry.ts';
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
