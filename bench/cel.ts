/**
 * The bench of expressions: `node dist/bench/cel.js [--smoke]` after a build.
 *
 * Questions: how long does it take to compile real rules, and how many evaluations a second does
 * one core do, on JSON data as it is decoded? How long is the longest part of an expression that
 * uses its whole budget, and the longest step of compiling one as long as an object may hold?
 *
 * What it does not answer: what a request with rules costs, or what schema-typed data add.
 *
 * Each rule is warmed up before it is measured; the figure is the best of three rounds. Beside it
 * stands the reference's library (cel-go, with its costs tracked and one core) in the same minute,
 * where it is installed with Go: test/support/clients/cel-go-peer.ts says where it is looked for.
 */
import { readFileSync } from 'node:fs';
import { costTables } from '../src/cel/cost-tables.ts';
import { createEnvironment } from '../src/cel/environment.ts';
import { compileSteps } from '../src/cel/expression.ts';
import { bindings } from '../src/cel/library/bindings.ts';
import { regexLibrary } from '../src/cel/library/regex-library.ts';
import { stringsLibrary } from '../src/cel/library/strings-library.ts';
import { dynType, intType, mapType, stringType } from '../src/cel/type.ts';
import type { Type } from '../src/cel/type.ts';
import type { Value } from '../src/cel/value.ts';
import { systemClock } from '../src/stdx/clock.ts';
import { findCelGo, startCelGo } from '../test/support/clients/cel-go-peer.ts';

interface Rule {
  readonly name: string;
  readonly rule: string;
  readonly variables: Readonly<Record<string, Value>>;
  /** Dyn where it is left out. */
  readonly type?: Type | undefined;
}

const route = {
  type: 'RequestHeaderModifier',
  requestHeaderModifier: { set: [{ name: 'a', value: 'b' }] },
  matches: [{ path: { type: 'PathPrefix', value: '/shop/cart' } }],
  backendRefs: [
    { name: 'one', port: 80 },
    { name: 'two', port: 81 },
  ],
};

const pod = {
  metadata: { name: 'web-1', namespace: 'prod', labels: { app: 'web', env: 'prod' } },
  spec: {
    replicas: 3,
    containers: [
      { name: 'web', image: 'registry.example.com/web:1.2.3' },
      { name: 'log', image: 'registry.example.com/log:2.0.0' },
    ],
  },
};

const replicas = { replicas: 2, maxReplicas: 3, minReplicas: 1 };

const rules: readonly Rule[] = [
  {
    name: 'two fields, typed',
    rule: 'self.replicas <= self.maxReplicas',
    variables: { self: replicas },
    type: mapType(stringType, intType),
  },
  { name: 'two fields', rule: 'self.replicas <= self.maxReplicas', variables: { self: replicas } },
  {
    name: 'three fields',
    rule: 'self.minReplicas <= self.replicas && self.replicas <= self.maxReplicas',
    variables: { self: replicas },
  },
  {
    name: 'filter type and its member',
    rule:
      "!(has(self.requestHeaderModifier) && self.type != 'RequestHeaderModifier') && " +
      "!(!has(self.requestHeaderModifier) && self.type == 'RequestHeaderModifier')",
    variables: { self: route },
  },
  {
    name: 'path prefix',
    rule: "self.matches.all(m, m.path.type != 'PathPrefix' || m.path.value.startsWith('/'))",
    variables: { self: route },
  },
  {
    name: 'unique names',
    rule: 'self.backendRefs.all(a, self.backendRefs.exists_one(b, a.name == b.name))',
    variables: { self: route },
  },
  {
    name: 'images of one registry',
    rule: "object.spec.containers.all(c, c.image.startsWith('registry.example.com/'))",
    variables: { object: pod },
  },
  {
    name: 'no latest tag',
    rule: "object.spec.containers.all(c, c.image.contains(':') && !c.image.endsWith(':latest'))",
    variables: { object: pod },
  },
  {
    name: 'replicas by environment',
    rule: "object.metadata.labels.env == 'prod' ? object.spec.replicas >= 3 : true",
    variables: { object: pod },
  },
  {
    name: 'name by pattern',
    rule: "object.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",
    variables: { object: pod },
  },
  {
    name: 'immutable once set',
    rule: '!has(oldObject.spec.class) || oldObject.spec.class == object.spec.class',
    variables: { object: pod, oldObject: pod },
  },
];

const isSmoke = process.argv.includes('--smoke');
const rounds = isSmoke ? 1 : 3;
const evaluations = isSmoke ? 1_000 : 300_000;
const compilations = isSmoke ? 10 : 500;

/** Runs per second, the best of all rounds. */
function rate(count: number, run: () => void): number {
  let best = 0;
  for (let round = -1; round < rounds; round += 1) {
    const start = systemClock.monotonicMs();
    for (let i = 0; i < count; i += 1) run();
    const perSecond = (count * 1000) / (systemClock.monotonicMs() - start);
    if (round >= 0) best = Math.max(best, perSecond);
  }
  return best;
}

const found = findCelGo();
if (found.kind === 'missing') console.log(`without cel-go: ${found.reason}`);
const peer = found.kind === 'found' ? await startCelGo(found) : undefined;
const perSecondText = (rate: number): string => Math.round(rate).toLocaleString('en-US');

for (const { name, rule, variables, type } of rules) {
  const environment = createEnvironment({
    costs: costTables.kubernetes,
    libraries: [bindings, stringsLibrary],
    variables: Object.keys(variables).map((variable) => ({
      name: variable,
      type: type ?? dynType,
    })),
    crossTypeComparisons: true,
    optionals: true,
  });
  const { ast, text } = environment.compile(rule);
  if (ast === undefined) throw new Error(`${rule}: ${text}`);
  const program = environment.program(ast);
  const first = program.evaluate(variables);
  if (first.kind !== 'value' || first.value !== true) throw new Error(`${rule}: ${first.kind}`);
  const perSecond = rate(evaluations, () => void program.evaluate(variables));
  const compiles = rate(compilations, () => {
    environment.program(environment.compile(rule).ast ?? ast);
  });
  const evaluated = perSecondText(perSecond).padStart(12);
  let line = `${name.padEnd(28)}${evaluated}/s   compile ${Math.round(1e6 / compiles)} us`;
  if (peer !== undefined) {
    const types = type === undefined ? {} : { self: type.text };
    const theirs = await peer.measure({ rule, variables, types, ms: isSmoke ? 10 : 500 });
    const ratio = (perSecond / theirs.evaluations).toFixed(1);
    line += `   cel-go ${perSecondText(theirs.evaluations).padStart(10)}/s (${ratio} times)`;
    line += `, compile ${Math.round(1e6 / theirs.compilations)} us`;
  }
  console.log(line);
}
peer?.close();

/** Milliseconds of processor time: of the thread that runs JavaScript where that is known. */
function processorMs(): number {
  try {
    const [nanos = ''] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(
      ' ',
    );
    return Number(nanos) / 1e6;
  } catch {
    const { system, user } = process.cpuUsage();
    return (system + user) / 1000;
  }
}

/** The longest of what is done at once, and how many there were. */
function parts(next: () => boolean): string {
  let [longest, count] = [0, 0];
  for (let done = false; !done; count += 1) {
    const start = processorMs();
    done = next();
    longest = Math.max(longest, processorMs() - start);
  }
  return `${count} parts, the longest ${longest.toFixed(1)} ms of processor time`;
}

const scale = isSmoke ? 100 : 1;
const numbers = Array.from({ length: 300_000 / scale }, (_none, i) => i);
const large: Readonly<Record<string, Value>> = {
  l: numbers,
  s: 'a'.repeat(1_400_000 / scale),
  m: Object.fromEntries(numbers.slice(0, 30_000).map((i) => [`k${i}`, i])),
  nested: numbers.slice(0, 100_000).map((i) => ({ a: i, b: [i] })),
};
const bombs: readonly string[] = [
  'l.all(a, l.all(b, a + b >= 0))',
  'l.map(a, l.map(b, a)).size() == 0',
  'l.exists(a, dyn(a).b == 1)',
  'l.all(a, s.size() > a - 1000000)',
  'l.all(a, m.size() > 0)',
  'l.all(a, nested == nested)',
  'nested == nested',
  'm == m',
  "l.all(a, !s.matches('(a|aa)*b'))",
  "s.findAll('a').size() == 0",
  "'%s'.format([nested]) == ''",
];
const dynamic = createEnvironment({
  costs: costTables.kubernetes,
  libraries: [bindings, stringsLibrary, regexLibrary],
  variables: Object.keys(large).map((name) => ({ name, type: dynType })),
  crossTypeComparisons: true,
});
for (const bomb of bombs) {
  const { ast, text } = dynamic.compile(bomb);
  if (ast === undefined) throw new Error(`${bomb}: ${text}`);
  const evaluation = dynamic.program(ast).begin(large, { budget: 1_000_000 });
  console.log(`${bomb.padEnd(36)} ${parts(() => evaluation.next() !== undefined)}`);
}
const term = "(l.size() <= 3 || s.startsWith('abc') && has(m.k)) && ";
const long = `${term.repeat(Math.floor(10_000 / term.length))}true`;
for (let round = 0; round < 3; round += 1) {
  const compiling = compileSteps(dynamic, long);
  console.log(
    `compile ${long.length} characters`.padEnd(37) + parts(() => compiling.next().done === true),
  );
}
