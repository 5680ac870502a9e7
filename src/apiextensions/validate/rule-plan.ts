/**
 * A node of a schema made ready for its rules: their types, and the rules compiled, each when it is
 * first needed (spec 2, section 2.2).
 *
 * The type of a node is a part of the type of the node above; it is made anew at the topmost node
 * that has rules, and where the name of a property cannot be written in expressions. What has no
 * type in expressions has no rules that can be run.
 *
 * Invariants: rules were accepted once, so they are compiled as stored ones. A rule that does not
 * compile all the same is an error of every object that it is asked of.
 */
import type { Environment, Program } from '../../cel/cel.ts';
import { compileSteps } from '../../cel/expression.ts';
import type { CompiledExpression, Expression } from '../../cel/expression.ts';
import type { Language } from '../../cel/language.ts';
import { escapeProperty } from '../../cel/schema/property-names.ts';
import { namesOldSelf, ruleEnvironments } from '../../cel/schema/schema-rules.ts';
import { schemaType } from '../../cel/schema/schema-type.ts';
import type { SchemaType } from '../../cel/schema/schema-type.ts';
import { boolType, stringType } from '../../cel/type.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { rulePath } from '../schema/rule-path.ts';
import {
  belowOf,
  isEmbedded,
  propertyOf,
  spineMemo,
  valuesOf,
} from '../schema/structural-schema.ts';
import type { SchemaRule, StructuralSchema } from '../schema/structural-schema.ts';

const rulesOf = (schema: StructuralSchema): readonly SchemaRule[] =>
  schema['x-kubernetes-validations'] ?? [];

/** Rules here or below. */
export const hasRules = spineMemo((schema) => rulesOf(schema).length > 0);

/** Of one part: to compile them takes a few milliseconds, the first time. */
const fewRules = 64;

/** More than a few of one part, here or below. */
export const hasManyRules = spineMemo((schema) => rulesOf(schema).length > fewRules);

export class RulePlan {
  readonly schema: StructuralSchema;
  /** Undefined: nothing above or here needs one, or there is none. */
  readonly type: SchemaType | undefined;
  readonly rules: readonly PlannedRule[];
  readonly #language: Language;
  /** False: there is none. */
  readonly #properties = new Map<string, RulePlan | false>();
  #hasInner: boolean | undefined;
  #items: RulePlan | false | undefined;
  #values: RulePlan | false | undefined;

  constructor(
    schema: StructuralSchema,
    above: SchemaType | undefined,
    isResource: boolean,
    language: Language,
  ) {
    const rules = rulesOf(schema);
    const isNeeded = above === undefined && rules.length > 0;
    this.schema = schema;
    this.type = isNeeded ? typeOf(schema, isResource) : above;
    this.#language = language;
    const { type } = this;
    const environments =
      type === undefined || rules.length === 0 ? undefined : ruleEnvironments(type, language);
    this.rules = rules.map((rule) => new PlannedRule(rule, schema, environments));
  }

  /** There are rules of what is in it, not of itself alone. */
  get hasInner(): boolean {
    return (this.#hasInner ??= belowOf(this.schema).some(hasRules));
  }

  get items(): RulePlan | undefined {
    this.#items ??= this.#belowAll(this.schema.items) ?? false;
    return this.#items === false ? undefined : this.#items;
  }

  /** Of members that no property declares. */
  get values(): RulePlan | undefined {
    this.#values ??= this.#belowAll(valuesOf(this.schema)) ?? false;
    return this.#values === false ? undefined : this.#values;
  }

  /** Undefined: it has no rules. */
  property(name: string): RulePlan | undefined {
    const known = this.#properties.get(name);
    if (known !== undefined) return known === false ? undefined : known;
    const property = propertyOf(this.schema, name);
    if (property === undefined) return undefined;
    const made = this.#part(property, () => {
      const escaped = escapeProperty(name);
      if (escaped === undefined) return typeOf(property, isEmbedded(property));
      return this.type?.fields.get(escaped)?.type;
    });
    this.#properties.set(name, made ?? false);
    return made;
  }

  #belowAll(schema: StructuralSchema | undefined): RulePlan | undefined {
    return schema && this.#part(schema, () => this.type?.element);
  }

  #part(schema: StructuralSchema, typeBelow: () => SchemaType | undefined): RulePlan | undefined {
    if (!hasRules(schema)) return undefined;
    const type = this.type === undefined ? undefined : typeBelow();
    // What has no type in its parent is left out of expressions altogether.
    if (this.type !== undefined && type === undefined) return undefined;
    return new RulePlan(schema, type, isEmbedded(schema), this.#language);
  }
}

/** Undefined: no data of this schema can be named in expressions. */
function typeOf(schema: StructuralSchema, isResource: boolean): SchemaType | undefined {
  return schemaType(schema, { name: 'selfType', resource: isResource });
}

export interface ShortRule {
  readonly program: Program;
  readonly usesOldSelf: boolean;
}

type Environments = (stored: boolean, optional: boolean) => Environment;

export class PlannedRule {
  readonly source: SchemaRule;
  readonly isBlank: boolean;
  readonly #schema: StructuralSchema;
  readonly #environments: Environments | undefined;
  #rule: CompiledExpression | undefined;
  #short: ShortRule | undefined;
  #message: CompiledExpression | undefined;
  #usesOldSelf: boolean | undefined;
  #path: string | undefined;

  constructor(
    source: SchemaRule,
    schema: StructuralSchema,
    environments: Environments | undefined,
  ) {
    this.source = source;
    this.isBlank = source.rule.trim() === '';
    this.#schema = schema;
    this.#environments = environments;
  }

  /** Undefined: nobody has asked for it yet. */
  get compiled(): CompiledExpression | undefined {
    return this.#rule;
  }

  /** Undefined: the rule has not been compiled, or is so long that it may have to pause. */
  get short(): ShortRule | undefined {
    return this.#short;
  }

  /** Compiled in parts, once. */
  *rule(): Steps<CompiledExpression> {
    if (this.#rule !== undefined) return this.#rule;
    const rule = yield* this.#compile(this.source.rule, boolType);
    this.#rule = rule;
    if (rule.kind === 'ok' && rule.expression.program.isShort) {
      const { program } = rule.expression;
      this.#short = { program, usesOldSelf: this.usesOldSelf(rule) };
    }
    return rule;
  }

  /** Undefined: it has none. */
  *message(): Steps<CompiledExpression | undefined> {
    const { messageExpression = '' } = this.source;
    if (messageExpression.trim() === '') return undefined;
    return (this.#message ??= yield* this.#compile(messageExpression, stringType));
  }

  /** Of a rule that is compiled. */
  usesOldSelf({ expression }: { readonly expression: Expression }): boolean {
    return (this.#usesOldSelf ??= namesOldSelf(expression));
  }

  /** What its `fieldPath` adds to the path of the place: `a.b`; '' for none. */
  get fieldPath(): string {
    const { fieldPath = '' } = this.source;
    if (this.#path !== undefined || fieldPath === '') return this.#path ?? '';
    const path = rulePath(fieldPath, this.#schema);
    return (this.#path = path.kind === 'ok' ? path.field : '');
  }

  *#compile(text: string, result: typeof boolType): Steps<CompiledExpression> {
    const environments = this.#environments;
    if (environments === undefined) return { kind: 'invalid', problem: 'it has no type' };
    const environment = environments(true, this.source.optionalOldSelf === true);
    return yield* compileSteps(environment, text, [result]);
  }
}
