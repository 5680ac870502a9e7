/** What has been chosen and is not claimed: who waits for it hears when it is free again. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NEVER, Subscription } from 'rxjs';
import { createRecentChoices } from '../../../src/admission/addresses/recent-choices.ts';
import type { RecentChoicesDeps } from '../../../src/admission/addresses/recent-choices.ts';
import type { TimerHandle } from '../../../src/stdx/clock.ts';

/** No timer ever fires here, and no claim is ever seen. */
function choicesAt() {
  let nowMs = 0;
  const streams = {
    followers: { follow: () => new Subscription() },
    resourceEvents: () => NEVER,
  } as unknown as RecentChoicesDeps['streams'];
  const idle: TimerHandle = { cancel: () => undefined };
  const clock = { monotonicMs: () => nowMs };
  const choices = createRecentChoices(
    { clock, streams, timers: { after: () => idle } },
    { group: '', resource: 'nodeports' },
  );
  return { choices, pass: (ms: number) => void (nowMs += ms) };
}

describe('what was chosen a moment ago', () => {
  it('is free for the next in line also where the next choice finds that it is old', async () => {
    const { choices, pass } = choicesAt();
    choices.add('30000');
    pass(1_000);
    const looked: string[] = [];
    const first = choices.nextFree(1_000).then(() => looked.push('first'));
    void choices.nextFree(1_000).then(() => looked.push('second'));
    pass(1_000);
    choices.add('30001');
    assert.equal(choices.has('30000'), false);
    await first;
    assert.deepEqual(looked, ['first']);
  });
});
