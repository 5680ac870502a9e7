/**
 * Validation rules of a schema (`x-kubernetes-validations`), compiled against the type of
 * the schema node that they belong to: `self`, and `oldSelf` for rules on transitions.
 */
import type { Environment } from '../cel.ts';
import type { SizeHints } from '../cost.ts';
import { compileSteps } from '../expression.ts';
import type { CompiledExpression, Expression } from '../expression.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { Language } from '../language.ts';
import { boolType, optionalType, stringType } from '../type.ts';
import { schemaProvider, schemaSizes } from './schema-provider.ts';
import type { SchemaType } from './schema-type.ts';
import { requestBytesMax } from './schema-type.ts';
import { typeIdentities } from './type-identity.ts';

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

/** Rules that have been compiled, by their texts and the identity of their types. */
export interface RuleMemo {
  readonly identityOf: (type: SchemaType) => number;
  readonly rules: Map<string, CompiledRule>;
}

/** For the rules of one definition: no longer, for it has no bounds of its own. */
export function ruleMemo(): RuleMemo {
  return { identityOf: typeIdentities(), rules: new Map() };
}

/** Yields between its steps. `isStored`: whether this text was accepted before. What is in the memo
 * is not compiled again. */
export function* compileRules(
  rules: readonly ValidationRule[],
  type: SchemaType,
  language: Language,
  isStored: (text: string) => boolean,
  memo: RuleMemo = ruleMemo(),
): Steps<readonly CompiledRule[]> {
  const environmentOf = ruleEnvironments(type, language);
  const sizes = schemaSizes(type);
  const compiled: CompiledRule[] = [];
  for (const source of rules) {
    const { rule, messageExpression = '', optionalOldSelf = false } = source;
    const stored = [isStored(rule), isStored(messageExpression)];
    const key = JSON.stringify([
      memo.identityOf(type),
      stored,
      optionalOldSelf,
      rule,
      messageExpression,
    ]);
    const known = memo.rules.get(key);
    const made =
      known ??
      (yield* compileRule(source, sizes, (text) => environmentOf(isStored(text), optionalOldSelf)));
    // What is wrong is said with the names of the types of its place.
    if (isSound(made)) memo.rules.set(key, made);
    compiled.push(made);
  }
  return compiled;
}

function isSound({ message, rule }: CompiledRule): boolean {
  return rule?.kind === 'ok' && message?.kind !== 'invalid';
}

function* compileRule(
  source: ValidationRule,
  sizes: SizeHints,
  environmentOf: (text: string) => Environment,
): Steps<CompiledRule> {
  const { rule: text, messageExpression = '' } = source;
  const none = { source, rule: undefined, usesOldSelf: false, maxCost: 0 } as const;
  if (text.trim() === '') return { ...none, message: undefined, messageMaxCost: 0 };
  const rule = inWords(yield* compileSteps(environmentOf(text), text, [boolType]), 'rule');
  yield;
  const maxCost = maxCostOf(rule, sizes);
  yield;
  // A message of a rule that is wrong itself is not looked at.
  const hasMessage = rule.kind === 'ok' && messageExpression.trim() !== '';
  const message = hasMessage
    ? inWords(
        yield* compileSteps(environmentOf(messageExpression), messageExpression, [stringType]),
        'message',
      )
    : undefined;
  const messageMaxCost = message === undefined ? 0 : maxCostOf(message, sizes);
  if (hasMessage) yield;
  const usesOldSelf = rule.kind === 'ok' && namesOldSelf(rule.expression);
  return { source, rule, usesOldSelf, maxCost, message, messageMaxCost };
}

function maxCostOf(compiled: CompiledExpression, sizes: SizeHints): number {
  return compiled.kind === 'ok' ? compiled.expression.estimate(sizes).max : 0;
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
