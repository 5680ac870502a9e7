/**
 * Each map, set or cache that a module declares empty, and so fills while the process runs, stands
 * in docs/memory.md with its bound. Those that functions and objects make for themselves are not
 * seen, nor are weak ones, which end with what they are about.
 */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const declared =
  /^(?:export )?(?:const|let) (\w+)(?:: ([^=]+?))? = (?:new (?:Map|Set)(?:<.*>)?\(\)|create(?:Text|Pair)Cache<.*>\()/gm;

/** Of a type that nobody can fill. */
const isFixed = (type: string | undefined): boolean =>
  type !== undefined && /^(?:Readonly(?:Map|Set)|QueryParameters|\w+\[')/.test(type);

function keptIn(text: string): readonly string[] {
  return [...text.matchAll(declared)]
    .filter(([, , type]) => !isFixed(type))
    .map(([, name = '']) => name);
}

test('what is declared empty is found, and what is fixed is not', () => {
  const text = [
    'const kept = new Map<string, Map<string, string>>();',
    'let recent = new Map<string, number>();',
    'export const texts = createTextCache<string>(5);',
    'const nothing: ReadonlyMap<string, string> = new Map();',
    "const words = new Set(['a']);",
    '  const inner = new Map<string, string>();',
  ].join('\n');
  assert.deepEqual(keptIn(text), ['kept', 'recent', 'texts']);
});

test('docs/memory.md has the bound of everything that modules keep, and nothing else', () => {
  const page = readFileSync('docs/memory.md', 'utf8');
  const rows = page.split('\n').filter((line) => /^\| `[\w./-]+\.ts` `/.test(line));
  const told = rows.flatMap((line) => {
    const [, file = '', names = ''] = /^\| `([^`]+)` ([^|]+) \|/.exec(line) ?? [];
    return [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => `${file} ${name}`);
  });
  const kept = ['src', 'actors', 'streams']
    .flatMap((root) =>
      readdirSync(root, { recursive: true, encoding: 'utf8' }).map((each) => path.join(root, each)),
    )
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => keptIn(readFileSync(name, 'utf8')).map((each) => `${name} ${each}`));
  assert.deepEqual([...told].sort(), [...kept].sort());
});
