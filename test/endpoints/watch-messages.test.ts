/** Events as messages: what they are written to says how many writes a turn may have. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { inMessages } from '../../src/endpoints/watch-messages.ts';
import type { ResponseStream } from '../../src/transport/http-exchange.ts';

it('messages settle later where the stream below does, and each event is one', () => {
  const written: string[] = [];
  const below: ResponseStream = {
    closed: false,
    write: (chunk) => written.push(Buffer.from(chunk).toString()) > 0,
    onDrain: () => undefined,
    end: () => undefined,
    abort: () => undefined,
  };
  const messages = inMessages(below, 'json');
  assert.equal(messages.settlesLater, false);
  assert.equal(inMessages({ ...below, settlesLater: true }, 'json').settlesLater, true);
  messages.write(Buffer.from('{"a":1}\n{"b":2}\n'));
  assert.deepEqual(written, ['{"a":1}\n', '{"b":2}\n']);
});
