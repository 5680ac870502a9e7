/** Questions about tokens wait in turn, network by network, and nobody's many keep others out. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createQuestionLine, questionLineLimits } from '../../src/authentication/question-line.ts';
import { manualTime } from '../support/doubles/manual-time.ts';

const { networkMax, placesMax, strangersMax, waitMaxMs, waitingMax } = questionLineLimits;

/** Questions that are answered when told, by their names. */
function harness() {
  const time = manualTime();
  const line = createQuestionLine(time.timers);
  const begun: string[] = [];
  const turnedAway: string[] = [];
  const answers = new Map<string, () => void>();
  const ask = (network: string, name: string, isKnown = false): void => {
    const question = (): Promise<string> => {
      begun.push(name);
      return new Promise((resolve) => answers.set(name, () => resolve(name)));
    };
    void line.ask({ network, isKnown }, question).then((answer) => {
      if (answer === undefined) turnedAway.push(name);
    });
  };
  const askMany = (network: string, count: number): void => {
    for (let i = 0; i < count; i += 1) ask(network, `${network}-${i}`);
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const settled = async (): Promise<void> => {
    await turn();
    await turn();
  };
  const answer = async (name: string): Promise<void> => {
    answers.get(name)?.();
    await settled();
  };
  return { ask, askMany, answer, begun, settled, time, turnedAway };
}

describe('questions about tokens', () => {
  it('of one network leave places to others', () => {
    const { ask, askMany, begun } = harness();
    askMany('a', 300);
    assert.equal(begun.length, networkMax);
    ask('b', 'another');
    assert.equal(begun.at(-1), 'another');
  });

  it('about tokens that were good before have places of their own', () => {
    const { ask, askMany, begun } = harness();
    for (const network of ['a', 'b', 'c']) askMany(network, 200);
    assert.equal(begun.length, strangersMax);
    for (let i = 0; i < 100; i += 1) ask('a', `known-${i}`, true);
    assert.equal(begun.length, placesMax);
    assert.equal(begun.at(-1), `known-${placesMax - strangersMax - 1}`);
  });

  it('that wait begin in turn, network by network', async () => {
    const { ask, askMany, answer, begun } = harness();
    askMany('a', 128);
    askMany('b', 128);
    ask('a', 'a-last');
    ask('c', 'c-1');
    ask('c', 'c-2');
    for (let i = 0; i < 4; i += 1) await answer(`a-${i}`);
    assert.deepEqual(begun.slice(strangersMax), ['b-64', 'a-last', 'c-1', 'b-65']);
  });

  it('wait no longer than their time', async () => {
    const { ask, askMany, answer, begun, settled, time, turnedAway } = harness();
    askMany('a', networkMax);
    ask('a', 'late');
    time.advance(waitMaxMs - 1);
    ask('a', 'later');
    time.advance(1);
    await settled();
    assert.deepEqual(turnedAway, ['late']);
    await answer('a-0');
    assert.equal(begun.at(-1), 'later');
    assert.equal(time.pendingCount, 0);
  });

  it('fill the line with no more than the share of their network', async () => {
    const { ask, askMany, answer, begun, settled, turnedAway } = harness();
    askMany('a', networkMax + waitingMax + 5);
    await settled();
    assert.equal(turnedAway.length, 5, 'the line is full');
    askMany('b', strangersMax - networkMax);
    ask('b', 'b-waits');
    await settled();
    assert.equal(turnedAway.at(-1), `a-${networkMax + waitingMax - 1}`, 'the newest of the most');
    await answer('a-0');
    await answer('a-1');
    assert.equal(begun.at(-1), 'b-waits');
  });
});
