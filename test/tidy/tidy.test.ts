/** The rules that neither the compiler nor the linter knows: layers, doors, cycles, sizes, names. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { layers, libraryDoors, testLibraries, usedByTestsAlone } from './layers.ts';
import type { LayerRule } from './layers.ts';

interface SourceFile {
  readonly name: string;
  readonly text: string;
  readonly imports: readonly string[];
}

const roots = ['src', 'actors', 'streams', 'bench', 'generate', 'test'];
const importPattern =
  /^\s*(?:import|export)\s+(?:type\s+)?(?:[^'";]*?\s+from\s+)?'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/gm;
/** How an optional package of the old module format comes in. */
const requirePattern = /\brequire\(\s*'([^']+)'\s*\)/g;

const namedImports = /^import (?:type )?\{([^}]*)\} from '(\.[^']+)'/gm;
/** Of all that a module has: at once, or while the program runs. */
const wholeImports = /^import \* as \w+ from '([^']+)'|\bimport\(\s*'([^']+)'/gm;
const exportedType = /^export (?:interface|type) (\w+)/gm;
const exportedValue = /^export (?:async )?(?:const|let|class|function\*?) (\w+)/gm;

function sourceFiles(): SourceFile[] {
  const names = roots.flatMap((root) =>
    existsSync(root)
      ? readdirSync(root, { recursive: true, encoding: 'utf8' }).map((n) => path.join(root, n))
      : [],
  );
  return names
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => {
      const text = readFileSync(name, 'utf8');
      const matches = [...text.matchAll(importPattern), ...text.matchAll(requirePattern)];
      const imports = matches.map((m) => (m[1] ?? m[2]) as string);
      return { name, text, imports };
    });
}

const files = sourceFiles();
const production = files.filter((f) => !/^(test|bench|generate)\//.test(f.name));
const resolved = (file: SourceFile, target: string): string =>
  path.normalize(path.join(path.dirname(file.name), target));
const under = (name: string, folder: string): boolean =>
  name === folder || name.startsWith(`${folder}/`);
const library = (specifier: string): string =>
  specifier.startsWith('@') ? specifier.split('/').slice(0, 2).join('/') : specifier.split('/')[0]!;

const ruleOf = (name: string): LayerRule | undefined =>
  layers
    .filter(({ folder }) => under(name, folder))
    .sort((a, b) => b.folder.length - a.folder.length)[0];
const allows = (may: string, target: string): boolean =>
  may.endsWith('.ts') ? target === may : under(target, may);

test('every import of a project file goes down the layers, and every permission is used', () => {
  const wrong: string[] = [];
  const unused = new Set(layers.flatMap(({ folder, may }) => may.map((m) => `${folder} -> ${m}`)));
  for (const file of production) {
    const rule = ruleOf(file.name);
    assert.ok(rule, `${file.name} belongs to no layer: add it to test/tidy/layers.ts`);
    for (const specifier of file.imports.filter((i) => i.startsWith('.'))) {
      const target = resolved(file, specifier);
      if (ruleOf(target) === rule) continue;
      const permissions = rule.may.filter((may) => allows(may, target));
      for (const may of permissions) unused.delete(`${rule.folder} -> ${may}`);
      if (permissions.length === 0) {
        wrong.push(`${file.name} imports ${target}; ${rule.folder} may import ${rule.may.join()}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
  assert.deepEqual([...unused], []);
});

test('every library comes in by its one door', () => {
  const wrong: string[] = [];
  for (const file of files) {
    for (const specifier of file.imports) {
      if (specifier.startsWith('.') || specifier.startsWith('node:')) continue;
      const doors = libraryDoors[library(specifier)];
      const inTest = /^(test|bench|generate)\//.test(file.name);
      if (inTest && testLibraries.some((l) => library(l) === library(specifier))) continue;
      if (!doors?.some((door) => under(file.name, door))) {
        wrong.push(`${file.name} imports ${specifier}; its doors: ${doors?.join() ?? 'none'}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
});

test('there is no import cycle', () => {
  const graph = new Map(
    files.map((f) => [
      f.name,
      f.imports.filter((i) => i.startsWith('.')).map((i) => resolved(f, i)),
    ]),
  );
  const done = new Set<string>();
  const visit = (name: string, trail: readonly string[]): void => {
    if (trail.includes(name)) {
      assert.fail(`cycle: ${[...trail.slice(trail.indexOf(name)), name].join(' -> ')}`);
    }
    if (done.has(name)) return;
    for (const next of graph.get(name) ?? []) visit(next, [...trail, name]);
    done.add(name);
  };
  for (const name of graph.keys()) visit(name, []);
});

test('imports name a file with its extension, and no file is a barrel', () => {
  const wrong = files.flatMap((f) =>
    f.imports
      .filter((i) => i.startsWith('.') && !existsSync(resolved(f, i)))
      .map((i) => `${f.name}: ${i}`),
  );
  assert.deepEqual(wrong, []);
  const barrels = files.filter((f) => /^\s*export\s+(\*|\{[^}]*\})\s+from/m.test(f.text));
  assert.deepEqual(
    barrels.map((f) => f.name),
    [],
  );
});

/** What other files import of each file, as `file name`; and files that are imported whole. */
function importsOf(importers: readonly SourceFile[]): {
  readonly names: ReadonlySet<string>;
  readonly whole: ReadonlySet<string>;
} {
  const names = new Set<string>();
  const whole = new Set<string>();
  for (const file of importers) {
    for (const [, list = '', from = ''] of file.text.matchAll(namedImports)) {
      for (const name of list.split(',')) {
        names.add(`${resolved(file, from)} ${name.trim().split(' ')[0]}`);
      }
    }
    for (const [, from, late = ''] of file.text.matchAll(wholeImports)) {
      whole.add(resolved(file, from ?? late));
    }
  }
  return { names, whole };
}

const exportedValues = (exporters: readonly SourceFile[], whole: ReadonlySet<string>): string[] =>
  exporters
    .filter(({ name }) => !whole.has(name))
    .flatMap(({ name, text }) =>
      [...text.matchAll(exportedValue)].map(([, value]) => `${name} ${value}`),
    );

/** What stands in `${...}` stays. */
const withoutTexts = (code: string): string =>
  code
    .replace(/'[^'\n]*'/g, "''")
    .replace(/`(?:[^`\\]|\\.)*`/g, (text) => (text.match(/\$\{[^}]*\}/g) ?? []).join(' '));

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');

test('handlers return their answers, and one place sends them', () => {
  const senders = ['list-response', 'object-response', 'send-answer', 'status-response'].map(
    (name) => `src/endpoints/${name}.ts`,
  );
  const endpoints = production.filter(({ name }) => under(name, 'src/endpoints'));
  const writers = endpoints.filter(({ text }) => /exchange\.(?:send|stream)\(/.test(text));
  assert.deepEqual(writers.map(({ name }) => name).sort(), senders);
  const { names } = importsOf(endpoints.filter(({ name }) => !senders.includes(name)));
  const sending = [...names].filter((value) => / send[A-Z]/.test(value));
  assert.deepEqual(sending, ['src/endpoints/send-answer.ts sendAnswer']);
});

test('a value that is exported is imported by another file', () => {
  const { names, whole } = importsOf(files);
  assert.deepEqual(
    exportedValues(files, whole).filter((value) => !names.has(value)),
    [],
  );
});

test('what production exports is used by production, and not by tests alone', () => {
  const { names, whole } = importsOf(production);
  const code = new Map(production.map(({ name, text }) => [name, withoutComments(text)]));
  const usesOwn = (exported: string): boolean => {
    const [file = '', name = ''] = exported.split(' ');
    const declared = new RegExp(`export (?:async )?(?:const|let|class|function\\*?) ${name}\\b`);
    const rest = withoutTexts(code.get(file)?.replace(declared, '') ?? '');
    // Not as a member, nor as the name of one.
    return new RegExp(`(?<!\\w|(?<!\\.\\.)\\.)${name}\\b(?!\\??:)`).test(rest);
  };
  const unused = exportedValues(production, whole).filter(
    (value) => !names.has(value) && !usesOwn(value),
  );
  assert.deepEqual(unused.sort(), [...usedByTestsAlone.keys()].sort());
});

test('a type that is exported is used, by its own file at least', () => {
  const named = new Map<string, number>();
  for (const { text } of files) {
    for (const [word] of withoutComments(text).matchAll(/\b[A-Z]\w*/g)) {
      named.set(word, (named.get(word) ?? 0) + 1);
    }
  }
  const unused = files.flatMap(({ name, text }) =>
    [...text.matchAll(exportedType)]
      .filter(([, type = '']) => (named.get(type) ?? 0) < 2)
      .map(([, type]) => `${name} ${type}`),
  );
  assert.deepEqual(unused, []);
});

test('files open with a header, are named in kebab-case and stay below 600 lines', () => {
  const wrong: string[] = [];
  for (const file of files) {
    const base = path.basename(file.name).replace(/(\.test|\.gen)?\.ts$/, '');
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(base)) wrong.push(`${file.name}: not kebab-case`);
    if (/^(utils?|helpers?|common|misc|types|index)$/.test(base)) wrong.push(`${file.name}: name`);
    // A test's titles say what it is; everything else says it in a header.
    const isTest = file.name.endsWith('.test.ts');
    const opensWell = file.text.trimStart().startsWith('/**') || file.text.startsWith('#!');
    if (!isTest && !opensWell) {
      wrong.push(`${file.name}: no header comment`);
    }
    if (/^\s*(\/\*\*|\/\/|\*).*\b(TODO|FIXME)\b/m.test(file.text)) {
      wrong.push(`${file.name}: something is left to do`);
    }
    const lines = file.text.split('\n');
    if (file.name.endsWith('.gen.ts')) continue;
    if (lines.length > 601) wrong.push(`${file.name}: ${lines.length} lines`);
    lines.forEach((line, index) => {
      // Titles in tests are sentences, and prettier does not break strings. The line that names
      // the interpreter cannot be broken; older kernels read 127 characters of it.
      const isInterpreter = index === 0 && line.startsWith('#!');
      const columnsMax = isInterpreter ? 127 : file.name.startsWith('test/') ? 150 : 100;
      if ([...line].length > columnsMax) {
        wrong.push(`${file.name}:${index + 1}: ${line.length} columns`);
      }
    });
  }
  assert.deepEqual(wrong, []);
});

test('a file that a comment names exists', () => {
  const wrong: string[] = [];
  for (const file of files) {
    for (const [comment] of file.text.matchAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm)) {
      // By its path, or by its name alone. What begins with a star is a pattern.
      for (const [named] of comment.matchAll(/(?<![\w.*-])(?:[\w.-]+\/)*[\w.-]+\.ts\b/g)) {
        const tail = `/${named.replace(/^(\.\.?\/)+/, '')}`;
        const exists = existsSync(named) || files.some(({ name }) => name.endsWith(tail));
        if (!exists) wrong.push(`${file.name}: ${named}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
});

test('tests have their directories from test-directories.ts', () => {
  // It is made while modules are loaded, and goes with the process.
  const another = ['test/support/data/corpora.ts'];
  const makers = files.filter(({ name, text }) => {
    return name.startsWith('test/') && /mkdtemp(?:Sync)?\((?:path\.)?join\(tmpdir/.test(text);
  });
  assert.deepEqual(
    makers.map(({ name }) => name),
    another,
  );
});

test('nothing but the identity spells a domain of either identity', () => {
  const wrong: string[] = [];
  for (const file of production.filter((f) => f.name !== 'src/apimachinery/identity.ts')) {
    const code = file.text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/.*$/gm, '');
    for (const match of code.matchAll(/['"`][^'"`\n]*\b(k8s\.io|kubernetes\.io|svc\.io)\b/g)) {
      wrong.push(`${file.name}: ${match[0]}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('every dependency is exact in the manifest', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<
    string,
    Record<string, string> | undefined
  >;
  for (const group of ['dependencies', 'devDependencies', 'optionalDependencies']) {
    for (const [name, version] of Object.entries(manifest[group] ?? {})) {
      assert.match(version, /^(npm:.+@)?\d+\.\d+\.\d+(-[\w.]+)?$/, `${name}@${version}`);
    }
  }
});
