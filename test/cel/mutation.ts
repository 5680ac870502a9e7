/** Expressions with mistakes: real ones with characters and tokens put in, taken out and moved. */
import type { Prng } from '../../src/stdx/prng.ts';

export const seeds: readonly string[] = [
  "self.replicas <= self.maxReplicas && (self.name == 'a' || has(self.b.c))",
  "self.list.all(x, x.name.startsWith('a')) ? {'k': [1, 2u, 3.5e3]} : null",
  "object.spec.containers.filter(c, c.image.matches('^a[b-d]+$')).map(c, c.name).size() > -1",
  'a.?b[?0].orValue(c).exists(i, v, v in [b"x", r"\\d", """z"""])',
  "Msg{field: -1, ?other: !x}.field[0] % 2 == 1 || timestamp('2020-01-01T00:00:00Z') < now",
  "cel.bind(x, self.a + '\\u00e9\\n', x + x) != '' && duration('1h') > duration('3s')",
  '[[[1, 2], [3]], [[]]].map(a, b.all(c, c.exists(d, d == 1))).size() == 2',
];

const pieces: readonly string[] = [
  ...'()[]{}.,:?!-+*/%<>=&|\'"`\\ \n😁ü'.split(''),
  ...['&&', '||', '==', ' in ', 'true', 'null', '0x', '1e', '9999999999999999999', "'''"],
  ...['.all(x, x)', '.map(x, x, x)', 'has(', 'b"', 'r"', '\\x', '"""', '-1.', 'a.b.c{', '\ud800'],
];

export function mutated(prng: Prng): string {
  const below = (n: number): number => prng.uint32() % n;
  let text = seeds[below(seeds.length)] as string;
  for (let times = below(6); times >= 0; times -= 1) {
    const at = below(text.length + 1);
    const to = Math.min(text.length, at + below(8));
    const piece = pieces[below(pieces.length)] as string;
    const choices = [
      text.slice(0, at) + piece + text.slice(at),
      text.slice(0, at) + text.slice(to),
      text.slice(0, at) + text.slice(at, to).repeat(3) + text.slice(to),
      text.slice(0, at) + piece + text.slice(to),
      text.slice(at, to) + text,
    ];
    text = choices[below(choices.length)] as string;
  }
  return text;
}
