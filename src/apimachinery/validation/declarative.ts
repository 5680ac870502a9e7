/**
 * Validation by declaration: rules are rows of text beside the paths they hold for, and one walk
 * checks them all (spec 1, section 9, rule 7).
 *
 *     spec.pool.name            required maxLength=253 format=pool-name immutable
 *     spec.devices              maxItems=128 unique=name
 *     spec.devices[].name       required format=dns-label
 *     spec.attributes{}         keys=qualified-name oneOf=bool|int|string
 *
 *   paths    a.b for members, a[] for each item of a list, a{} for each value of a map
 *   markers  see `checks`: each takes one value and gives errors
 *
 * Invariants: a row that cannot be read throws when it is read, never when it is run. Rows run in
 * their order; below a list with too many items nothing is looked at. Linear in the object.
 */
import { assert } from '../../stdx/assert.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import { lookup } from '../../stdx/lookup.ts';
import {
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
} from '../field-error.ts';
import type { FieldError } from '../field-error.ts';
import type { JsonObject, JsonValue } from '../unstructured.ts';
import { isJsonObject } from '../unstructured.ts';

export type Format = (value: string) => readonly string[];

export interface DeclaredRules {
  /** `current` is what is stored, in an update. */
  validate(object: JsonObject, current: JsonObject | undefined): readonly FieldError[];
}

interface FieldLocation {
  readonly field: string;
  readonly value: JsonValue | undefined;
  /** The member of a map that the value is of, else empty. */
  readonly key: string;
}

interface Run {
  readonly current: JsonObject | undefined;
  readonly path: readonly string[];
  readonly errors: FieldError[];
  /** Paths below which nothing is looked at. */
  readonly closed: Set<string>;
}

type Check = (location: FieldLocation, run: Run) => void;
type MakeCheck = (argument: string, formats: Readonly<Record<string, Format>>) => Check;

/** Of an empty text, too. */
function givenForm(argument: string, formats: Readonly<Record<string, Format>>): Check {
  const check = formatOf(argument, formats);
  return ({ field, value }, { errors }) => {
    if (typeof value !== 'string') return;
    for (const problem of check(value)) errors.push(invalid(field, value, problem));
  };
}

const checks: Readonly<Record<string, MakeCheck>> = lookup({
  required:
    () =>
    ({ field, value }, { errors }) => {
      const none = value === undefined || value === '' || (Array.isArray(value) && !value.length);
      if (none) errors.push(required(field));
    },
  minimum: (argument) => {
    const least = BigInt(argument);
    const detail = `must be greater than or equal to ${argument}`;
    return ({ field, value }, { errors }) => {
      if (typeof value !== 'number' && typeof value !== 'bigint') return;
      if (value < least) errors.push(invalid(field, value, detail));
    };
  },
  maxLength:
    (argument) =>
    ({ field, value }, { errors }) => {
      if (typeof value !== 'string') return;
      if (Buffer.byteLength(value, 'utf8') > Number(argument)) {
        errors.push(tooLong(field, Number(argument)));
      }
    },
  maxItems:
    (argument) =>
    ({ field, value }, { errors, closed }) => {
      if (!Array.isArray(value) || value.length <= Number(argument)) return;
      errors.push(tooMany(field, value.length, Number(argument)));
      closed.add(field);
    },
  oneItem:
    () =>
    ({ field, value }, { errors }) => {
      if (!Array.isArray(value) || value.length <= 1) return;
      errors.push(invalid(field, value, 'must have exactly one item'));
    },
  only:
    (argument) =>
    ({ field, value }, { errors }) => {
      if (value !== argument) errors.push(invalid(field, value ?? '', `must be '${argument}'`));
    },
  /** How many values go with an operator on labels. */
  valuesOf: (argument) => countCheck(argument, valueCounts),
  /** Likewise, with one on fields. */
  fieldValuesOf: (argument) => countCheck(argument, fieldValueCounts),
  /** Together: the members of the named maps. */
  maxMembers: (argument) => {
    const [names = '', most = ''] = argument.split(':');
    return ({ field, value }, { errors }) => {
      if (!isJsonObject(value)) return;
      const count = names.split(',').reduce((sum, name) => {
        const map = value[name];
        return sum + (isJsonObject(map) ? Object.keys(map).length : 0);
      }, 0);
      const detail = `${names.replace(',', ' and ')} must not exceed ${most} together`;
      if (count > Number(most)) errors.push(invalid(field, count, detail));
    };
  },
  unique:
    (argument) =>
    ({ field, value }, { errors, closed }) => {
      if (!Array.isArray(value) || closed.has(field)) return;
      const seen = new Set<JsonValue>();
      for (const [at, item] of (value as readonly JsonValue[]).entries()) {
        const key = isJsonObject(item) ? (item[argument] ?? '') : '';
        if (seen.has(key)) errors.push(duplicate(`${field}[${at}].${argument}`, key));
        seen.add(key);
      }
    },
  enum: (argument) => {
    const values = argument.split('|');
    return ({ field, value }, { errors }) => {
      if (typeof value !== 'string' || value === '' || values.includes(value)) return;
      errors.push(notSupported(field, value, values));
    };
  },
  format: (argument, formats) => {
    const check = givenForm(argument, formats);
    return (location, run) => (location.value === '' ? undefined : check(location, run));
  },
  givenFormat: givenForm,
  /** Likewise of one that is absent. */
  textFormat: (argument, formats) => {
    const check = givenForm(argument, formats);
    return (location, run) => {
      check(location.value === undefined ? { ...location, value: '' } : location, run);
    };
  },
  keys: (argument, formats) => {
    const check = formatOf(argument, formats);
    return ({ field, key }, { errors }) => {
      for (const problem of check(key)) errors.push(invalid(field, key, problem));
    };
  },
  immutable:
    () =>
    ({ field, value }, { errors, current, path }) => {
      if (current === undefined || deepEqual(value, memberAt(current, path))) return;
      errors.push(invalid(field, value ?? null, 'field is immutable'));
    },
  trueOrUnset:
    () =>
    ({ field, value }, { errors }) => {
      if (value === false)
        errors.push(invalid(field, value, 'must be either unset or set to true'));
    },
  /** Exactly one is set; false and an empty text are not. */
  union: (argument) => exactlyOne(argument.split('|'), (value) => value !== false && value !== ''),
  /** Exactly one is there, whatever its value. */
  oneOf: (argument) => exactlyOne(argument.split('|'), () => true),
});

type Count = 'none' | 'one' | 'some';

const valueCounts: Readonly<Record<string, Count>> = lookup({
  In: 'some',
  NotIn: 'some',
  Exists: 'none',
  DoesNotExist: 'none',
  Gt: 'one',
  Lt: 'one',
});

const fieldValueCounts: Readonly<Record<string, Count>> = lookup({ In: 'one', NotIn: 'one' });

function countCheck(name: string, counts: Readonly<Record<string, Count>>): Check {
  return ({ field, value }, { errors }) => {
    if (!isJsonObject(value)) return;
    const { [name]: operator, values } = value;
    const count = Array.isArray(values) ? values.length : 0;
    const wanted = typeof operator === 'string' ? counts[operator] : undefined;
    const where = `${field}.values`;
    if (wanted === undefined) {
      errors.push(invalid(`${field}.${name}`, operator ?? '', 'not a valid selector operator'));
    } else if (wanted === 'none' && count > 0) {
      errors.push(forbidden(where, 'may not be specified with this operator'));
    } else if (wanted === 'one' && count !== 1) {
      errors.push(required(where, 'must be one value with this operator'));
    } else if (wanted === 'some' && count === 0) {
      errors.push(required(where, 'must be specified with this operator'));
    }
  };
}

function exactlyOne(names: readonly string[], isSet: (value: JsonValue) => boolean): Check {
  const detail = `exactly one of ${names.map((name) => `\`${name}\``).join(', ')} is required`;
  return ({ field, value }, { errors }) => {
    if (!isJsonObject(value)) return;
    const given = names.filter((name) => {
      const member = value[name];
      return member !== undefined && isSet(member);
    });
    if (given.length === 0) errors.push(required(field, detail));
    if (given.length > 1) errors.push(invalid(field, given, detail));
  };
}

function formatOf(name: string, formats: Readonly<Record<string, Format>>): Format {
  const found = formats[name];
  assert(found !== undefined, `there is a format ${name}`);
  return found;
}

interface Row {
  readonly path: readonly string[];
  readonly checks: readonly Check[];
}

export function readDeclarations(
  text: string,
  formats: Readonly<Record<string, Format>>,
): DeclaredRules {
  const rows = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => readRow(line, formats));
  return {
    validate(object, current) {
      const errors: FieldError[] = [];
      const closed = new Set<string>();
      for (const row of rows) {
        const run: Run = { current, path: row.path, errors, closed };
        walk({ value: object, field: '', key: '' }, row.path, closed, (location) => {
          for (const check of row.checks) check(location, run);
        });
      }
      return errors;
    },
  };
}

function readRow(line: string, formats: Readonly<Record<string, Format>>): Row {
  const [path = '', ...markers] = line.split(/\s+/);
  assert(markers.length > 0, `a declaration says something: ${line}`);
  return {
    // `a[].b{}` is a, [], b, {}
    path: path.replaceAll('[]', '.[]').replaceAll('{}', '.{}').split('.'),
    checks: markers.map((marker) => {
      const at = marker.indexOf('=');
      const make = checks[at === -1 ? marker : marker.slice(0, at)];
      assert(make !== undefined, `there is a marker ${marker}`);
      return make(at === -1 ? '' : marker.slice(at + 1), formats);
    }),
  };
}

/** Every location that the path leads to. The last member may be absent, its object may not. */
function walk(
  from: FieldLocation & { readonly value: JsonValue },
  path: readonly string[],
  closed: ReadonlySet<string>,
  visit: (location: FieldLocation) => void,
): void {
  const { field, value } = from;
  const [step, ...rest] = path;
  if (step === undefined) {
    visit(from);
    return;
  }
  if (step === '[]') {
    if (!Array.isArray(value) || closed.has(field)) return;
    for (const [at, item] of (value as readonly JsonValue[]).entries()) {
      walk({ value: item, field: `${field}[${at}]`, key: '' }, rest, closed, visit);
    }
    return;
  }
  if (!isJsonObject(value)) return;
  if (step === '{}') {
    for (const [name, member] of Object.entries(value)) {
      const location = { value: member ?? null, field: `${field}[${name}]`, key: name };
      walk(location, rest, closed, visit);
    }
    return;
  }
  const inner = field === '' ? step : `${field}.${step}`;
  const member = value[step];
  if (member !== undefined) walk({ value: member, field: inner, key: '' }, rest, closed, visit);
  else if (rest.length === 0) visit({ field: inner, value: undefined, key: '' });
}

function memberAt(object: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const step of path) value = isJsonObject(value) ? value[step] : undefined;
  return value;
}
