/**
 * Validation rules of a schema (`x-kubernetes-validations`), compiled against the type of the
 * place that they stand at: `self`, and `oldSelf` for rules on transitions.
 *
 * What it is not: the walk over a schema, or over data; nor what a rule's message may look like.
 */
import type { Environment } from '../cel.ts';
import { compileExpression } from '../expression.ts';
import type { CompiledExpression, Expression } from '../expression.ts';
import type { Language } from '../language.ts';
import { boolType, optionalType, stringType } from '../type.ts';
import { schemaProvider, schemaSizes } from './schema-provider.ts';
import type { SchemaType } from './schema-type.ts';
import { requestBytesMax } from './schema-type.ts';

export interface ValidationRule {
  readonly rule: string;
  readonly messageExpression?: string | undefined;
  /** The rule is asked without an old value, too; then `oldSelf` is an optional. */
  readonly optionalOldSelf?: boolean | undefined;
}

export interface CompiledRule {
  readonly source: ValidationRule;
  /** Undefined: it is blank. */
  readonly rule: CompiledExpression | undefined;
  /** It compares with the old value: a rule on transitions. */
  readonly usesOldSelf: boolean;
  /** The most that one evaluation costs; 0 for what does not compile. */
  readonly maxCost: number;
  readonly message: CompiledExpression | undefined;
  readonly messageMaxCost: number;
}

/** How often data of a type can be in one request at most. */
export function cardinalityOf(type: SchemaType): number {
  return Math.floor(requestBytesMax / (type.minSerializedSize + 1));
}

/** `isStored`: whether this text was accepted before. */
export function compileRules(
  rules: readonly ValidationRule[],
  type: SchemaType,
  language: Language,
  isStored: (text: string) => boolean,
): readonly CompiledRule[] {
  return rules.map(ruleCompiler(type, language, isStored));
}

/** The same for one rule after the other. */
export function ruleCompiler(
  type: SchemaType,
  language: Language,
  isStored: (text: string) => boolean,
): (rule: ValidationRule) => CompiledRule {
  const environmentOf = ruleEnvironments(type, language);
  const sizes = schemaSizes(type);
  const costOf = (compiled: CompiledExpression | undefined): number =>
    compiled?.kind === 'ok' ? compiled.expression.estimate(sizes).max : 0;
  return (source) => {
    const { rule, messageExpression = '', optionalOldSelf = false } = source;
    const compile = (text: string, results: readonly [typeof boolType]): CompiledExpression =>
      compileExpression(environmentOf(isStored(text), optionalOldSelf), text, results);
    const compiled = rule.trim() === '' ? undefined : inWords(compile(rule, [boolType]), 'rule');
    // A message of a rule that is wrong itself is not looked at.
    const message =
      compiled?.kind === 'ok' && messageExpression.trim() !== ''
        ? inWords(compile(messageExpression, [stringType]), 'message')
        : undefined;
    return {
      source,
      rule: compiled,
      usesOldSelf: compiled?.kind === 'ok' && namesOldSelf(compiled.expression),
      maxCost: costOf(compiled),
      message,
      messageMaxCost: costOf(message),
    };
  };
}

/** Users of the reference know these words. */
function inWords(compiled: CompiledExpression, of: 'rule' | 'message'): CompiledExpression {
  if (compiled.kind === 'ok') return compiled;
  const { found, problem } = compiled;
  if (found !== undefined) {
    const wrong =
      of === 'rule'
        ? 'cel expression must evaluate to a bool'
        : 'messageExpression must evaluate to a string';
    return { kind: 'invalid', problem: wrong };
  }
  return { kind: 'invalid', problem: of === 'rule' ? problem : `messageExpression ${problem}` };
}

/** Of the rules that stand at one place: of new ones and of stored ones, with `oldSelf` as it is
 * or as an optional. Each is made when it is first asked for. */
export function ruleEnvironments(
  type: SchemaType,
  language: Language,
): (stored: boolean, optional: boolean) => Environment {
  const made = new Map<string, Environment>();
  return (stored, optional) => {
    const key = `${stored}${optional}`;
    const known = made.get(key);
    if (known !== undefined) return known;
    const place = {
      variables: [
        { name: 'self', type: type.type },
        { name: 'oldSelf', type: optional ? optionalType(type.type) : type.type },
      ],
      providers: [schemaProvider(type)],
    };
    const environment = stored ? language.forStored(place) : language.forNew(place);
    made.set(key, environment);
    return environment;
  };
}

/** Whether it compares with the old value: a rule on transitions. */
export function namesOldSelf({ ast }: Expression): boolean {
  return [...ast.references.values()].some(
    (reference) => reference.kind === 'variable' && reference.name === 'oldSelf',
  );
}
