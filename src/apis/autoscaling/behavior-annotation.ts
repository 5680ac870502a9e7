/**
 * The scaling rules of an autoscaler as the annotation that holds them in versions without a
 * field for them.
 *
 * Clients of the reference write the names of its own types there, with capital letters, and read
 * any case; so does this. What has another form says nothing, as in the reference: no part of it
 * enters the object.
 *
 * Bound: both ways are made in one piece, for each version that somebody has written in. No write
 * leaves rules of more than `behaviorValuesMax`.
 */
import { parseJsonText, stringifyJson } from '../../apimachinery/codecs/lossless.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { defined, isList, without } from '../conversion/fields.ts';

/** Members and items of scaling rules, those inside one another counted: 240 policies. */
export const behaviorValuesMax = 1_000;

const scalingPeriodSeconds = 15;

const doubling: JsonObject = { type: 'Percent', value: 100, periodSeconds: scalingPeriodSeconds };

const fourPods: JsonObject = { type: 'Pods', value: 4, periodSeconds: scalingPeriodSeconds };

/** How fast, where a behavior is given at all. Down, the controller's own setting waits. */
const scaleUp: JsonObject = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [fourPods, doubling],
};

const scaleDown: JsonObject = { selectPolicy: 'Max', policies: [doubling] };

export const scalingRules = { scaleUp, scaleDown } as const;

interface Members {
  readonly [name: string]: Form;
}

/** A plain value, an object of these members, or a list of such objects. */
type Form = 'text' | 'number' | 'amount' | Members | readonly [Members];

const rules: Members = {
  stabilizationWindowSeconds: 'number',
  selectPolicy: 'text',
  policies: [{ type: 'text', value: 'number', periodSeconds: 'number' }],
  tolerance: 'amount',
};

const behavior: Members = { scaleUp: rules, scaleDown: rules };

/** Undefined: the text says nothing. */
export function behaviorOf(text: string): JsonObject | undefined {
  try {
    const said = parseJsonText(text);
    const value = formed(said, behavior);
    if (!isJsonObject(said) || !isJsonObject(value) || Object.keys(value).length === 0) {
      return undefined;
    }
    // No version whose defaults would do it comes by. What is said to be null was never given.
    return { ...without(scalingRules, ...namesIn(said)), ...value };
  } catch {
    return undefined;
  }
}

function namesIn(said: JsonObject): readonly string[] {
  const names = new Set(Object.keys(said).map((name) => name.toLowerCase()));
  return Object.keys(behavior).filter((name) => names.has(name.toLowerCase()));
}

export function behaviorText(value: JsonValue): string {
  return stringifyJson(capital(value, behavior));
}

function formed(value: JsonValue, form: Form): JsonValue | undefined {
  if (value === null) return undefined;
  if (typeof form === 'string') return plain(value, form);
  if (isListForm(form)) return listed(value).map((item) => formed(item, form[0]) ?? {});
  if (!isJsonObject(value)) throw new Error('another form');
  const said = new Map(Object.entries(value).map(([name, each]) => [name.toLowerCase(), each]));
  return defined(
    mapMembers(form, (name, inner) => {
      const each = said.get(name.toLowerCase());
      return each === undefined ? undefined : formed(each, inner);
    }),
  );
}

function listed(value: JsonValue): readonly JsonValue[] {
  if (!isList(value)) throw new Error('another form');
  return value;
}

function plain(value: JsonValue, form: 'text' | 'number' | 'amount'): JsonValue {
  const is = typeof value;
  const fits = is === 'string' ? form !== 'number' : is === 'number' && form !== 'text';
  if (!fits) throw new Error('another form');
  return value;
}

function capital(value: JsonValue | undefined, form: Form): JsonValue {
  if (value === undefined) return null;
  if (typeof form === 'string') return value;
  if (isListForm(form)) return isList(value) ? value.map((each) => capital(each, form[0])) : value;
  if (!isJsonObject(value)) return value;
  const members = mapMembers(form, (name, inner) => capital(value[name], inner));
  return Object.fromEntries(
    Object.entries(members).map(([name, each]) => [name[0]?.toUpperCase() + name.slice(1), each]),
  );
}

function isListForm(form: Members | readonly [Members]): form is readonly [Members] {
  return Array.isArray(form);
}

function mapMembers<Value>(
  form: Members,
  change: (name: string, inner: Form) => Value,
): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(form).map(([name, inner]) => [name, change(name, inner)]),
  );
}
