/**
 * Paths of declared fields: the `fieldPath` of a rule (`.a['b.c']`, relative to where the rule
 * stands) and what a field selector may name (`.spec.color`). There are no indexes of lists.
 */
import { lookup } from '../../stdx/lookup.ts';
import { propertyOf, valuesOf } from './structural-schema.ts';
import type { StructuralSchema } from './structural-schema.ts';

export type RulePath =
  | {
      readonly kind: 'ok';
      /** As errors name it: `a.b`, `labels[x]`. */
      readonly field: string;
      /** The first step. */
      readonly root: string;
      readonly schema: StructuralSchema | undefined;
    }
  | { readonly kind: 'invalid'; readonly problem: string };

export interface RulePathOptions {
  /** `['a']` is taken, too. Default: it is. */
  readonly brackets?: boolean | undefined;
}

const escapes = lookup<string>({
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
});

export function rulePath(
  path: string,
  schema: StructuralSchema,
  { brackets = true }: RulePathOptions = {},
): RulePath {
  const tokens = tokensOf(path);
  let place: StructuralSchema | undefined = schema;
  let field = '';
  let root = '';
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    let name: string;
    if (token === '.') {
      at += 1;
      const next = tokens[at];
      if (next === undefined) return invalid('unexpected end of JSON path');
      name = next;
    } else if (token === '[') {
      if (!brackets) return invalid('array notation is not allowed');
      const text = tokens[at + 1];
      if (text === undefined) return invalid('unexpected end of JSON path');
      if (!/^'.*'$/s.test(text) || text.length < 2) {
        return invalid(`expected single quoted string but got ${text}`);
      }
      const unescaped = unescape(text.slice(1, -1));
      if (unescaped.kind === 'invalid') return unescaped;
      name = unescaped.text;
      const close = tokens[at + 2];
      if (close === undefined) return invalid('unexpected end of JSON path');
      if (close !== ']') return invalid(`expected ] but got ${close}`);
      at += 2;
    } else {
      return invalid(`expected [ or . but got: ${token}`);
    }
    if (place === undefined) return invalid('does not refer to a valid field');
    const step = stepInto(place, name);
    if (step === undefined) return invalid('does not refer to a valid field');
    place = step.schema;
    if (root === '') root = name;
    if (!step.named) field += `[${name}]`;
    else field += field === '' ? name : `.${name}`;
  }
  return { kind: 'ok', field, root, schema: place };
}

function invalid(problem: string): { readonly kind: 'invalid'; readonly problem: string } {
  return { kind: 'invalid', problem };
}

function stepInto(
  place: StructuralSchema,
  name: string,
): { readonly schema: StructuralSchema | undefined; readonly named: boolean } | undefined {
  if (Object.keys(place.properties ?? {}).length > 0) {
    const schema = propertyOf(place, name);
    return schema && { schema, named: true };
  }
  if (place.additionalProperties === undefined) return undefined;
  return { schema: valuesOf(place), named: false };
}

/** More than the path to the deepest field has. Policy: what is behind them is not looked at. */
const tokensMax = 10_000;

/** Dots, brackets, texts in quotation marks, and what is between. */
function tokensOf(path: string): readonly string[] {
  const tokens: string[] = [];
  let at = 0;
  while (at < path.length && tokens.length < tokensMax) {
    const end = endOfToken(path, at);
    tokens.push(path.slice(at, end));
    at = end;
  }
  return tokens;
}

function endOfToken(path: string, from: number): number {
  if (path[from] === "'") {
    for (let at = from + 1; at < path.length; at += 1) {
      if (path[at] === "'" && path[at - 1] !== '\\') return at + 1;
    }
    return path.length;
  }
  if ('.[]'.includes(path[from] as string)) return from + 1;
  let at = from + 1;
  while (at < path.length && !'.[]'.includes(path[at] as string)) at += 1;
  return at;
}

function unescape(
  quoted: string,
): { readonly kind: 'ok'; readonly text: string } | ReturnType<typeof invalid> {
  let wrong: string | undefined;
  const text = quoted.replace(/\\(.)/g, (all, char: string) => {
    const meant = escapes[char];
    if (meant === undefined) wrong ??= all;
    return meant ?? '';
  });
  if (wrong === undefined) return { kind: 'ok', text };
  return invalid(`invalid string literal: invalid escape char ${wrong}`);
}
