/** What is sent to a conversion webhook at a time is small, and is made and read in steps. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { bodyValuesMax } from '../../src/apimachinery/codecs/body-bounds.ts';
import { ConversionMissing } from '../../src/apimachinery/object-version.ts';
import type { ApiObject, JsonObject } from '../../src/apimachinery/unstructured.ts';
import { createRememberedConversions } from '../../src/apiextensions/serving/remembered-conversions.ts';
import { webhookConversion } from '../../src/apiextensions/serving/webhook-conversion.ts';
import { systemClock, systemTimers } from '../../src/stdx/clock.ts';
import { createTurns } from '../../src/stdx/turns.ts';
import { collectGarbage } from '../support/checks/heap.ts';

const [from, to] = ['shop.example/v1', 'shop.example/v2'];

interface Review extends JsonObject {
  readonly request: { readonly uid: string; readonly objects: readonly ApiObject[] } & JsonObject;
}

function widget(at: number, spec: JsonObject): ApiObject {
  return { apiVersion: from, kind: 'Widget', metadata: { name: `w${at}` }, spec };
}

/** `asked`: how many objects and characters each call had. */
function bench(remembered = createRememberedConversions(), reader = 'r') {
  const asked: { readonly count: number; readonly chars: number }[] = [];
  let steps = 0;
  const turns = createTurns({ clock: systemClock, timers: systemTimers });
  let uids = 0;
  const conversion = webhookConversion({
    group: 'apiextensions.k8s.io',
    reviewVersions: () => ['v1'],
    uuid: () => `${reader}${(uids += 1)}`,
    turns: {
      run: (step) =>
        turns.run(() => {
          steps += 1;
          // Each step is the last of its part.
          return step(() => true);
        }),
    },
    remembered,
    read: (object) => object,
    call: (body) => {
      const { apiVersion, kind, request } = JSON.parse(body) as Review;
      asked.push({ count: request.objects.length, chars: body.length });
      const convertedObjects = request.objects.map((object) => ({ ...object, apiVersion: to }));
      const response = { uid: request.uid, result: { status: 'Success' }, convertedObjects };
      return Promise.resolve({ apiVersion, kind, response } as unknown as JsonObject);
    },
  });
  return { asked, conversion, steps: () => steps };
}

async function converted(given: readonly (ApiObject | undefined)[], parts = 1) {
  const { asked, conversion, steps } = bench();
  const answer = await conversion.convert(given, to, function* ({ apiVersion, metadata }) {
    for (let part = 1; part < parts; part += 1) yield;
    return `${apiVersion} ${metadata.name ?? ''}`;
  });
  assert.ok(answer.kind === 'ok');
  const objects = given.filter((each) => each !== undefined);
  assert.deepEqual(
    answer.objects,
    objects.map(({ metadata }) => `${to} ${metadata.name ?? ''}`),
  );
  return { asked, steps: steps() };
}

describe('objects that a webhook converts', () => {
  it('are read and shown in as many steps as they take', async () => {
    const objects = [widget(0, {}), { ...widget(1, {}), apiVersion: to }];
    const { steps } = await converted(objects);
    const inParts = await converted([undefined, objects[0], undefined, objects[1]], 4);
    assert.ok(inParts.steps >= steps + 2 + 2 * 3, `${steps}, then ${inParts.steps}`);
  });

  it('come back in their order, also where some need no conversion, in steps of one each', async () => {
    const objects = Array.from({ length: 1_200 }, (_, at) =>
      at % 3 === 0 ? { ...widget(at, {}), apiVersion: to } : widget(at, { at }),
    );
    const { asked, steps } = await converted(objects);
    assert.deepEqual(
      asked.map(({ count }) => count),
      [500, 300],
    );
    assert.ok(steps > objects.length, 'each of them has a step');
  });

  it('are sent a MiB at a time, or one of them', async () => {
    const objects = Array.from({ length: 12 }, (_, at) =>
      widget(at, { text: 'x'.repeat(at === 5 ? 2_000_000 : 300_000) }),
    );
    const { asked } = await converted(objects);
    assert.equal(asked.length, 4);
    for (const { chars } of asked) assert.ok(chars < 3_200_000);
  });

  it('are sent so many values at a time as a body may hold, and one object more', async () => {
    const list = Array.from({ length: 5_000 }, (_, at) => at);
    const { asked } = await converted(Array.from({ length: 20 }, (_, at) => widget(at, { list })));
    for (const { count } of asked) assert.ok(count * 5_000 <= bodyValuesMax);
  });
});

describe('what is remembered of conversions', () => {
  it('is bounded for all types together, and the newest is kept however large it is', async () => {
    const remembered = createRememberedConversions();
    const nameOf = (at: number): string => `${at}${'x'.repeat(8 * 1024 * 1024)}`;
    for (let at = 0; at < 10; at += 1) remembered.set(nameOf(at), widget(at, {}));
    await nextTurn();
    // What nobody holds.
    collectGarbage();
    const known = Array.from({ length: 10 }, (_, at) => remembered.get(nameOf(at)));
    assert.ok(known.filter((each) => each !== undefined).length <= 3);
    assert.equal(known[9]?.metadata.name, 'w9');
    const object = widget(10, {});
    remembered.set('y'.repeat(30 * 1024 * 1024), object);
    assert.equal(remembered.get('y'.repeat(30 * 1024 * 1024)), object);
  });

  it('is not shared by two readers of the same answers', async () => {
    const remembered = createRememberedConversions();
    const one = bench(remembered, 'a').conversion;
    const another = bench(remembered, 'b').conversion;
    await one.remember(widget(0, {}), to, widget(0, { read: 'by one' }));
    assert.equal(one.need(widget(0, {}), to).metadata.name, 'w0');
    assert.throws(() => another.need(widget(0, {}), to), ConversionMissing);
  });

  it('is written down in turns with others, and an object is written once', async () => {
    const { conversion, steps } = bench();
    let written = 0;
    const spec = Object.defineProperty({}, 'text', {
      enumerable: true,
      get: () => {
        written += 1;
        return 'x';
      },
    });
    const object = widget(0, spec);
    assert.throws(() => conversion.need(object, to), ConversionMissing);
    const once = written;
    await conversion.remember(object, to, widget(0, {}));
    assert.equal(conversion.need(object, to).metadata.name, 'w0');
    assert.equal(written, once);
    assert.ok(steps() > 1);
  });
});
