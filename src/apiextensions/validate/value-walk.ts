/**
 * The state of a validation of values: its open places and the errors found so far.
 *
 * Bounds: `valueErrorsMax` errors are kept; the rest would be of the same kinds. All of it takes
 * `schemaStepsMax`: a value of a body's size may meet thousands of alternatives in every part.
 */
import { FieldErrorType } from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import type { JsonValue } from '../../apimachinery/unstructured.ts';
import { goDouble, shownAsJson } from '../schema/go-text.ts';

const valueErrorsMax = 1000;
/** Units of work in one step: a millisecond or two. */
const stepUnits = 2000;
/** What an error costs, whose text may show thousands of characters of a value. */
const errorUnits = 100;

/** Looks at values that one write may take, of about a microsecond each: eighty for each value that
 * a body may hold. Above it 422. */
export const schemaStepsMax = 2_000_000;
/** What an error costs of them: it is made, and most alternatives that fail throw it away. */
const errorLooks = 1;
/** Comparisons with a listed value that take as long as one look. */
const comparisonsOfLook = 32;

/** What is left of `schemaStepsMax`; several validations may share it. */
export interface StepsLeft {
  looks: number;
}

/** Thrown where it is used up. */
export class TooManySchemaSteps extends Error {}

/** What stands for no path at all. */
export const noField = '<nil>';

/** Whether a text matches the pattern of its schema. */
export type Verdict = boolean | 'unknown';

export class ValueWalk {
  /** Of the value that is validated: `status`, or nothing. */
  readonly prefix: string;
  /** `keys[0..depth)` lead to where the walk is. */
  readonly keys: (string | number)[] = [];
  depth = 0;
  errors: FieldError[] = [];
  /** Work since the step began. */
  #units = 0;
  readonly #left: StepsLeft;

  constructor(prefix: string, left: StepsLeft = { looks: schemaStepsMax }) {
    this.prefix = prefix;
    this.#left = left;
  }

  /** What was found out in parts about the text that is checked next. */
  #verdict: { plan: object; text: string; matches: Verdict } | undefined;

  giveVerdict(plan: object, text: string, matches: Verdict): void {
    this.#verdict = { plan, text, matches };
  }

  takeVerdict(plan: object, text: string): Verdict | undefined {
    const verdict = this.#verdict;
    this.#verdict = undefined;
    return verdict?.plan === plan && verdict.text === text ? verdict.matches : undefined;
  }

  /**
   * Counts work that has been done; to look at a value is one unit. `looks`: what it takes of all
   * that a write may take, where units reckon with the worst that can be in one step.
   *
   * @throws TooManySchemaSteps
   */
  spend(units: number, looks = units): void {
    this.#units += units;
    this.#left.looks -= looks;
    if (this.#left.looks < 0) throw new TooManySchemaSteps();
  }

  /** Counts comparisons with what a schema lists. */
  spendComparisons(count: number): void {
    this.spend(count, count / comparisonsOfLook);
  }

  /** True: a step is over, and maybe more: work that could not be parted counts as several. */
  endsStep(): boolean {
    if (this.#units < stepUnits) return false;
    this.#units -= stepUnits;
    return true;
  }

  /** Nothing that is reported is kept, so nobody need find words for it. */
  get isFull(): boolean {
    return this.errors.length >= valueErrorsMax;
  }

  /** `spec.a[0].b`, as texts of errors say it. */
  get path(): string {
    let path = '';
    for (let at = 0; at < this.depth; at += 1) {
      const key = this.keys[at] as string | number;
      path += typeof key === 'number' ? `[${key}]` : path === '' ? key : `.${key}`;
    }
    return path;
  }

  fieldOf(path: string): string {
    if (this.prefix === '') return path === '' ? noField : path;
    return path === '' ? this.prefix : `${this.prefix}.${path}`;
  }

  report(error: FieldError): void {
    if (this.isFull) return;
    this.spend(errorUnits, errorLooks);
    this.errors.push(error);
  }

  /** The value at this place is wrong: `<path> in body <text>`. */
  invalid(text: string, value: JsonValue, type: FieldErrorType = FieldErrorType.invalid): void {
    if (!this.isFull) this.report(shownAsJson(this.#invalidPart(text, value, type)));
  }

  /** A number that was compared as a double is shown as one. */
  invalidDouble(text: string, value: number | bigint): void {
    if (this.isFull) return;
    const shown = goDouble(Number(value));
    this.report({ ...this.#invalidPart(text, value, FieldErrorType.invalid), shown });
  }

  #invalidPart(text: string, value: JsonValue, type: FieldErrorType): FieldError {
    const { path } = this;
    return { type, field: this.fieldOf(path), value, detail: `${path} in body ${text}` };
  }

  /** Of a part as a whole: errors of this kind name no field. */
  whole(detail: string): void {
    if (this.isFull) return;
    const field = this.prefix === '' ? noField : this.prefix;
    this.report({ type: FieldErrorType.invalid, field, value: '', detail });
  }
}
