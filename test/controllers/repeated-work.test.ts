import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { repeatWork } from '../../src/controllers/repeated-work.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

/** A run stands at its gate until the test opens it. */
function bench(afterSuccessMs: number | undefined) {
  const time = manualTime();
  const errors: unknown[] = [];
  const seen = { runs: 0, stopped: () => false };
  let open: (failure?: Error) => void = () => undefined;
  const controller = repeatWork({
    timers: time.timers,
    async work(stopped) {
      seen.runs += 1;
      seen.stopped = stopped;
      await new Promise<void>((resolve, reject) => {
        open = (failure) => (failure === undefined ? resolve() : reject(failure));
      });
    },
    afterSuccessMs,
    afterFailureMs: 10,
    onError: (error) => errors.push(error),
  });
  const end = async (failure?: Error): Promise<void> => {
    open(failure);
    for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
  };
  return { controller, end, errors, seen, time };
}

describe('repeated work', () => {
  it('runs again the given time after a run has ended, never before', async () => {
    const { controller, end, seen, time } = bench(100);
    controller.start();
    time.advance(1000);
    assert.equal(seen.runs, 1);
    await end();
    time.advance(99);
    assert.equal(seen.runs, 1);
    time.advance(1);
    assert.equal(seen.runs, 2);
  });

  it('tells of what failed, and tries it again sooner', async () => {
    const { controller, end, errors, seen, time } = bench(100);
    controller.start();
    const failure = new Error('refused');
    await end(failure);
    assert.deepEqual(errors, [failure]);
    time.advance(10);
    assert.equal(seen.runs, 2);
  });

  it('is over with the first success where nothing is to come after it', async () => {
    const { controller, end, seen, time } = bench(undefined);
    controller.start();
    await end(new Error('refused'));
    time.advance(10);
    await end();
    time.advance(100_000);
    assert.equal(seen.runs, 2);
  });

  it('stops when the run in hand has ended, and begins no other', async () => {
    const { controller, end, seen, time } = bench(100);
    controller.start();
    assert.equal(seen.stopped(), false);
    let isOver = false;
    const over = controller.stop().then(() => {
      isOver = true;
    });
    assert.equal(seen.stopped(), true);
    await Promise.resolve();
    assert.equal(isOver, false);
    await end();
    await over;
    time.advance(1000);
    assert.equal(seen.runs, 1);
  });

  it('stops between two runs', async () => {
    const { controller, end, seen, time } = bench(100);
    controller.start();
    await end();
    await controller.stop();
    time.advance(1000);
    assert.equal(seen.runs, 1);
  });
});
