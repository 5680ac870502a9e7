/**
 * A node of a schema made ready for the validation of values: formats looked up, patterns compiled,
 * names of required fields listed. Made when a value first gets there, and kept with the node.
 */
import { supportedValues } from '../../apimachinery/field-error.ts';
import type { JsonValue } from '../../apimachinery/unstructured.ts';
import { hasManyAlternatives } from '../schema/alternatives.ts';
import { checkedFormat, formatCheck } from '../schema/formats.ts';
import type { FormatCheck } from '../schema/formats.ts';
import { goJson } from '../schema/go-text.ts';
import { compiledPattern } from '../schema/pattern.ts';
import type { CompiledPattern } from '../schema/pattern.ts';
import { propertyOf, valuesOf } from '../schema/structural-schema.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';

/** A class, so that all nodes have one shape, and what few of them need is made late. */
export class ValuePlan {
  readonly schema: StructuralSchema;
  readonly types: readonly string[];
  /** As errors name them. */
  readonly typeText: string;
  readonly nullable: boolean;
  readonly format: string;
  readonly checksFormat: FormatCheck | undefined;
  readonly enum: readonly JsonValue[];
  readonly required: readonly string[];
  /** There are numbers, texts, sizes or alternatives to look at. */
  readonly hasBounds: boolean;
  readonly hasJunctors: boolean;
  readonly items: ValuePlan | undefined;
  /** Something is said of members. */
  readonly hasMembers: boolean;
  /** Members that no property declares: undefined: anything; false: there may be none. */
  readonly values: ValuePlan | false | undefined;
  readonly #planner: ValuePlanner;
  #properties: Map<string, ValuePlan> | undefined;
  #pattern: CompiledPattern | undefined;
  #allowed: AllowedValues | undefined;
  #hasMany: boolean | undefined;
  #junctors: Junctors | undefined;

  constructor(schema: StructuralSchema, planner: ValuePlanner) {
    this.schema = schema;
    this.#planner = planner;
    this.types = typesOf(schema);
    this.typeText = this.types.join(',');
    this.nullable = schema.nullable === true;
    const [type] = this.types;
    const single = this.types.length === 1 ? type : undefined;
    this.format = checkedFormat(schema.format, single, planner.release);
    this.checksFormat = this.format === '' ? undefined : formatCheck(this.format, planner.release);
    this.enum = schema.enum ?? [];
    this.required = schema.required ?? [];
    this.hasBounds = boundNames.some((name) => schema[name] !== undefined);
    const { allOf, anyOf, not, oneOf } = schema;
    this.hasJunctors = [allOf, anyOf, not, oneOf].some((part) => part !== undefined);
    this.items = schema.items === undefined ? undefined : planner.planOf(schema.items);
    const values = valuesOf(schema);
    this.values =
      values !== undefined
        ? planner.planOf(values)
        : schema.additionalProperties === false
          ? false
          : undefined;
    this.hasMembers = values !== undefined || Object.keys(schema.properties ?? {}).length > 0;
  }

  /** Undefined: it is not declared. */
  property(name: string): ValuePlan | undefined {
    const known = this.#properties?.get(name);
    if (known !== undefined) return known;
    const declared = propertyOf(this.schema, name);
    if (declared === undefined) return undefined;
    const made = this.#planner.planOf(declared);
    (this.#properties ??= new Map()).set(name, made);
    return made;
  }

  get pattern(): CompiledPattern | undefined {
    const { pattern = '' } = this.schema;
    if (pattern === '') return undefined;
    return (this.#pattern ??= compiledPattern(pattern));
  }

  /** So many that they are looked at in steps. */
  get hasManyAlternatives(): boolean {
    return (this.#hasMany ??= this.hasJunctors && hasManyAlternatives(this.schema));
  }

  /** What `enum` lists. */
  get allowed(): AllowedValues {
    return (this.#allowed ??= allowedOf(this.enum));
  }

  get junctors(): Junctors {
    return (this.#junctors ??= junctorsOf(this.schema, this.#planner));
  }
}

export interface AllowedValues {
  readonly texts: ReadonlySet<string>;
  /** The allowed values that are not texts. */
  readonly others: readonly JsonValue[];
  /** How many values a comparison with all of `others` looks at. */
  readonly units: number;
  /** The allowed values, as the error lists them. */
  readonly detail: string;
}

function allowedOf(values: readonly JsonValue[]): AllowedValues {
  const isText = (value: JsonValue): value is string => typeof value === 'string';
  const others = values.filter((value) => !isText(value));
  return {
    texts: new Set(values.filter(isText)),
    others,
    units: others.reduce<number>((sum, value) => sum + countValues(value), 0),
    detail: supportedValues(values.map((value) => (isText(value) ? value : goJson(value)))),
  };
}

/** The value itself and all values inside it. Recurses as deep as a schema may nest. */
function countValues(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const inner of Object.values(value) as JsonValue[]) count += countValues(inner);
  return count;
}

export interface Junctors {
  readonly allOf: Alternatives;
  readonly anyOf: Alternatives;
  readonly oneOf: Alternatives;
  readonly not: Alternatives;
}

/** Of a schema there may be tens of thousands: each is made ready when a value gets there. */
export interface Alternatives {
  readonly count: number;
  /** `spend`: is told what it took. */
  planAt(at: number, spend: (units: number) => void): ValuePlan;
}

/** What it takes to make a plan, in looks at a value. */
const planUnits = 20;

function alternativesOf(
  schemas: readonly StructuralSchema[] | undefined,
  planner: ValuePlanner,
): Alternatives {
  const plans: ValuePlan[] = [];
  return {
    count: schemas?.length ?? 0,
    planAt(at, spend) {
      const known = plans[at];
      if (known !== undefined) return known;
      spend(planUnits);
      const made = planner.planOf(schemas?.[at] as StructuralSchema);
      plans[at] = made;
      return made;
    },
  };
}

export interface ValuePlanner {
  readonly release: number | undefined;
  planOf(schema: StructuralSchema): ValuePlan;
}

export function createValuePlanner(release: number | undefined): ValuePlanner {
  const plans = new WeakMap<StructuralSchema, ValuePlan>();
  const planner: ValuePlanner = {
    release,
    planOf: (schema) => {
      const known = plans.get(schema);
      if (known !== undefined) return known;
      const made = new ValuePlan(schema, planner);
      plans.set(schema, made);
      return made;
    },
  };
  return planner;
}

const boundNames = [
  'maximum',
  'minimum',
  'multipleOf',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'maxProperties',
  'minProperties',
] as const;

function typesOf(schema: StructuralSchema): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  const { type = '' } = schema;
  return type === '' ? [] : [type];
}

function junctorsOf(schema: StructuralSchema, planner: ValuePlanner): Junctors {
  const { allOf, anyOf, not, oneOf } = schema;
  return {
    allOf: alternativesOf(allOf, planner),
    anyOf: alternativesOf(anyOf, planner),
    oneOf: alternativesOf(oneOf, planner),
    not: alternativesOf(not === undefined ? undefined : [not], planner),
  };
}
