/**
 * A kind whose rules are both written by hand and declared: both run, their errors are compared,
 * and one of them answers (spec 1, section 9, rule 7).
 *
 *     DeclarativeValidation           takeover     who runs                 who answers
 *     off                             whatever     the hand-written         the hand-written
 *     on                              off          both, compared           the hand-written
 *     on                              on           both, compared           the declared
 *
 * Errors agree when they are of the same types on the same fields; texts may differ. Declared rules
 * that throw are counted and logged, and the hand-written ones answer: a mistake in a declaration
 * never fails a request.
 *
 * Bound: a mismatch is logged with at most `loggedErrorsMax` errors of each side.
 */
import type { FieldError } from '../../apimachinery/field-error.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import type { KindRules } from './kind-rules.ts';

const loggedErrorsMax = 10;

export interface MigrationReport {
  /** Of one request: the declared and the hand-written errors differ. */
  mismatch(resource: string, details: MismatchDetails): void;
  panic(resource: string, error: unknown): void;
}

export interface MismatchDetails {
  /** `<type> <field>`: what only one side has found. */
  readonly onlyDeclared: readonly string[];
  readonly onlyHandwritten: readonly string[];
}

export interface Migration {
  /** Gate DeclarativeValidation. */
  readonly compare: boolean;
  /** Gate DeclarativeValidationTakeover; nothing without the other one. */
  readonly takeover: boolean;
  readonly report: MigrationReport;
}

export type Rules = (object: ApiObject, current: ApiObject | undefined) => readonly FieldError[];

/** For a run that compares nothing. */
export const notMigrated: Migration = {
  compare: false,
  takeover: false,
  report: { mismatch: () => undefined, panic: () => undefined },
};

export interface MigratedRules {
  readonly resource: string;
  readonly handwritten: Rules;
  readonly declared: Rules;
}

/** An update is validated as a whole: with what is stored, and only once. */
export function migratedRules(rules: MigratedRules, migration: Migration): KindRules {
  const validate: Rules = (object, current) => {
    const handwritten = rules.handwritten(object, current);
    if (!migration.compare) return handwritten;
    const declared = declaredErrors(rules, migration, object, current);
    if (declared === undefined) return handwritten;
    const details = difference(declared, handwritten);
    if (details !== undefined) migration.report.mismatch(rules.resource, details);
    return migration.takeover ? declared : handwritten;
  };
  return {
    validateCreate: (object) => validate(object, undefined),
    validateUpdate: (next, current) => validate(next, current),
  };
}

/** Undefined when they threw. */
function declaredErrors(
  rules: MigratedRules,
  migration: Migration,
  object: ApiObject,
  current: ApiObject | undefined,
): readonly FieldError[] | undefined {
  try {
    return rules.declared(object, current);
  } catch (error) {
    migration.report.panic(rules.resource, error);
    return undefined;
  }
}

function difference(
  declared: readonly FieldError[],
  handwritten: readonly FieldError[],
): MismatchDetails | undefined {
  const keys = (errors: readonly FieldError[]): ReadonlySet<string> =>
    new Set(errors.map((error) => `${error.type} ${error.field}`));
  const [left, right] = [keys(declared), keys(handwritten)];
  const onlyDeclared = [...left].filter((key) => !right.has(key));
  const onlyHandwritten = [...right].filter((key) => !left.has(key));
  if (onlyDeclared.length === 0 && onlyHandwritten.length === 0) return undefined;
  return {
    onlyDeclared: onlyDeclared.slice(0, loggedErrorsMax),
    onlyHandwritten: onlyHandwritten.slice(0, loggedErrorsMax),
  };
}
