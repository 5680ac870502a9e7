/** What a decoded body keeps alive: its values, and nothing else of the text that they stood in. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeJson } from '../../src/apimachinery/codecs/json.ts';
import { decodeYaml } from '../../src/apimachinery/codecs/yaml.ts';
import { heapBytes } from '../support/checks/heap.ts';

const bodies = 40;
const noise = 'x'.repeat(256 * 1024);

/** What is left behind by so many small objects in long bodies, in bodies. */
function keptOf(read: (at: number) => unknown): number {
  const kept: unknown[] = [read(0)];
  const before = heapBytes();
  for (let at = 1; at <= bodies; at += 1) kept.push(read(at));
  const grown = heapBytes() - before;
  assert.equal(kept.length, bodies + 1);
  return grown / noise.length;
}

describe('a small object in a long body', () => {
  const forms: readonly [form: string, text: (at: number) => string][] = [
    ['plain', (at) => `a-long-key-of-it-${at}: a long plain value ${at}`],
    ['in single quotes', (at) => `'a-long-key-of-it-${at}': 'a long quoted value ${at}'`],
    ['in double quotes', (at) => `"a-long-key-of-it-${at}": "a long quoted value ${at}"`],
    ['in a flow', (at) => `{a-long-key-of-it-${at}: [a long plain value ${at}]}`],
    ['of several lines', (at) => `a-long-key-of-it-${at}:\n  a long value ${at}\n  of two lines`],
    ['a block', (at) => `a-long-key-of-it-${at}: |\n  a long block of text ${at}\n  of two lines`],
    ['beyond one byte', (at) => `a-long-key-of-it-${at}: a long value of €${at}`],
  ];
  for (const [form, text] of forms) {
    it(`keeps nothing of the rest of its YAML: ${form}`, () => {
      const kept = keptOf((at) => {
        const decoded = decodeYaml(Buffer.from(`${text(at)}\n# ${noise}\n`));
        assert(decoded.kind === 'value');
        return decoded.value;
      });
      assert(kept < 10, `${kept.toFixed(1)} bodies of ${bodies} are kept`);
    });
  }

  it('keeps nothing of the rest of its JSON', () => {
    const kept = keptOf((at) => {
      const decoded = decodeJson(
        Buffer.from(`{"a-long-key":"a long value ${at}"}${' '.repeat(noise.length)}`),
      );
      assert(decoded.kind === 'value');
      return decoded.value;
    });
    assert(kept < 10, `${kept.toFixed(1)} bodies of ${bodies} are kept`);
  });

  it('reads as in a short one, whatever the characters', () => {
    for (const [, text] of forms) {
      const [short, long] = [`${text(7)}\n`, `${text(7)}\n# ${noise}\n`].map((body) =>
        decodeYaml(Buffer.from(body)),
      );
      assert.deepEqual(long, short);
    }
  });
});
