/** How the params of a binding are looked for. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { KindInfo } from '../../src/apimachinery/scheme.ts';
import { labelSelectorFromSpec } from '../../src/apimachinery/selectors/label-selector.ts';
import { paramReader } from '../../src/server/compose/policies.ts';

async function stepsFor(requirements: number): Promise<number> {
  const matchExpressions = Array.from({ length: requirements }, (_, at) => ({
    key: `k${at}`,
    operator: 'DoesNotExist',
  }));
  const selector = labelSelectorFromSpec({ matchExpressions });
  assert.ok('matches' in selector);
  const entry = { labels: {}, bytes: new Uint8Array() };
  const entries = () => Array.from({ length: 400 }, () => entry).values();
  let steps = 1;
  const reader = paramReader({
    scheme: undefined as never,
    streams: { snapshot: () => ({ entries }) } as never,
    turns: {
      run(step) {
        do steps += 1;
        while (step(() => true));
      },
      pause: () => Promise.resolve(),
    },
  });
  const { looked, params } = await reader.list({} as KindInfo, 'a', selector, 10_000);
  assert.deepEqual([looked, params.length], [400, 400]);
  return steps;
}

it('a long selector is compared with a few objects at a time', async () => {
  assert.equal(await stepsFor(1), 1);
  const steps = await stepsFor(4_000);
  assert.ok(steps >= (400 * 4_000) / 16_000, `${steps} steps`);
});
