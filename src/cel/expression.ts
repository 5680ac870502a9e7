/**
 * One expression of a user, ready to run: takes its text, gives a program or a list of mistakes.
 */
import type { Ast, CheckedAst } from './ast.ts';
import type {
  Bindings,
  Environment,
  EvaluateOptions,
  Evaluation,
  Outcome,
  Program,
} from './cel.ts';
import { budgets, textLimits } from './budgets.ts';
import { stepsDone } from './evaluate/step-allowance.ts';
import type { CostEstimate, SizeHints } from './cost.ts';
import type { Steps } from '../stdx/stepwise.ts';
import { untilDone } from '../stdx/turns.ts';
import type { Turns } from '../stdx/turns.ts';
import { declaredText, sameType } from './type.ts';
import type { Type } from './type.ts';

export interface Expression {
  readonly text: string;
  readonly ast: CheckedAst;
  readonly program: Program;
  /** Characters of which a program is still to be made; 0: there is one. */
  readonly unmadeChars: number;
  /** Makes the program. */
  prepare(): Steps<void>;
  /** The least and the most that an evaluation costs, with data of these sizes. */
  estimate(sizes?: SizeHints): CostEstimate;
}

export type CompiledExpression =
  | { readonly kind: 'ok'; readonly expression: Expression }
  | {
      readonly kind: 'invalid';
      readonly problem: string;
      /** It compiles, but to a value of this type. */
      readonly found?: Type | undefined;
    };

/** Yields between its steps where others may have a turn. `results`: the types that its value may
 * have, any where there are none. */
export function* compileSteps(
  environment: Environment,
  text: string,
  results: readonly Type[] = [],
): Steps<CompiledExpression> {
  const compiled = yield* environment.compileSteps(text);
  if (compiled.ast === undefined) {
    return { kind: 'invalid', problem: `compilation failed: ${compiled.text}` };
  }
  const { ast } = compiled;
  if (results.length > 0 && !results.some((type) => sameType(type, ast.type))) {
    return { kind: 'invalid', problem: wrongResult(results, ast.type), found: ast.type };
  }
  yield;
  const problem = yield* environment.instantiationProblemInParts(ast);
  if (problem !== undefined) {
    return { kind: 'invalid', problem: `program instantiation failed: ${problem}` };
  }
  return { kind: 'ok', expression: new CompiledText(environment, text, ast) };
}

/** compileInParts(), with the program: of what is run as often as somebody asks, the first time
 * should not be longer. */
export function* compileForStepwiseRun(
  environment: Environment,
  text: string,
  results: readonly Type[] = [],
): Steps<CompiledExpression> {
  if (text.length > textLimits.perExpression) {
    const problem = `an expression may have at most ${textLimits.perExpression} characters`;
    return { kind: 'invalid', problem };
  }
  const compiled = yield* compileSteps(environment, text, results);
  yield;
  if (compiled.kind === 'ok') yield* compiled.expression.prepare();
  return compiled;
}

/** Its program is made when it is first needed: most of what is checked when it is written is run
 * by somebody else, or much later. */
class CompiledText implements Expression {
  readonly text: string;
  readonly ast: CheckedAst;
  readonly #environment: Environment;
  #program: Program | undefined;
  constructor(environment: Environment, text: string, ast: CheckedAst) {
    this.text = text;
    this.ast = ast;
    this.#environment = environment;
  }
  get program(): Program {
    return (this.#program ??= this.#environment.program(this.ast));
  }
  get unmadeChars(): number {
    return this.#program === undefined ? this.text.length : 0;
  }
  *prepare(): Steps<void> {
    this.#program ??= yield* this.#environment.programInParts(this.ast);
  }
  estimate(sizes?: SizeHints): CostEstimate {
    return this.#environment.estimate(this.ast, sizes);
  }
}

function wrongResult(results: readonly Type[], found: Type): string {
  const [only] = results;
  if (results.length === 1 && only !== undefined) {
    return `must evaluate to ${only.text} but got ${declaredText(found)}`;
  }
  const all = results.map((type) => type.text).join(' ');
  return `must evaluate to one of [${all}] but got ${found.text}`;
}

/** What several expressions have cost, one after the other. */
export interface SpentUnits {
  /** In this turn. */
  units: number;
  /** All of it, with the work that costs do not count. */
  total: number;
}

export function nothingSpent(): SpentUnits {
  return { units: 0, total: 0 };
}

/** What one counts for beside its cost. */
const unitsOfOne = 50;
/** To make a program of a character, and to run it for the first time. */
const unitsOfUnmadeChar = 15;
/** Half a millisecond, four times that where all is new: then the next expression waits for a turn.
 * Each of the requests that go on in one turn may take as much. */
const unitsAtOnce = 5_000;
/** Steps of work take as long as one unit. */
const stepsOfUnit = 10;

/** At once when it is small, else in turns of the event loop that others share; its program is made
 * there, too. `spent`: shared by the expressions that belong together. */
export function evaluateInTurns(
  expression: Pick<Expression, 'program' | 'unmadeChars'>,
  bindings: Bindings,
  options: EvaluateOptions,
  turns: Pick<Turns, 'run'>,
  spent: SpentUnits = nothingSpent(),
): Outcome | Promise<Outcome> {
  let evaluation: Evaluation | undefined;
  const next = (): Outcome | undefined => {
    evaluation ??= expression.program.begin(bindings, options);
    const stepsBefore = stepsDone();
    const outcome = evaluation.next();
    const cost = outcome === undefined ? 0 : outcome.cost + unitsOfOne;
    const units = cost + (stepsDone() - stepsBefore) / stepsOfUnit;
    spent.total += units;
    if (outcome !== undefined) spent.units += units;
    return outcome;
  };
  const making = expression.unmadeChars * unitsOfUnmadeChar;
  const isFree = spent.units < unitsAtOnce;
  spent.units += making;
  const outcome = isFree ? next() : undefined;
  if (outcome !== undefined) return outcome;
  spent.units = 0;
  return untilDone(turns, next);
}

export interface EvaluatedConditions {
  /** True: all hold. False: one does not. Undefined: one of them failed, and none is false. */
  readonly match: boolean | undefined;
  /** The first that failed is first. */
  readonly errors: readonly string[];
  /** Of the false one. */
  readonly failed?: Expression | undefined;
  readonly cost: number;
}

/** Conditions in their order. The first false one decides, whatever went wrong before it. */
export function evaluateConditions(
  conditions: readonly Expression[],
  bindings: Bindings,
  turns: Pick<Turns, 'run'>,
): EvaluatedConditions | Promise<EvaluatedConditions> {
  return conditionsFrom(
    { conditions, bindings, turns, errors: [], spent: nothingSpent(), cost: 0 },
    0,
  );
}

interface Conditions {
  readonly conditions: readonly Expression[];
  readonly bindings: Bindings;
  readonly turns: Pick<Turns, 'run'>;
  readonly errors: string[];
  readonly spent: SpentUnits;
  cost: number;
}

/** What is long is waited for, and the rest follows. */
function conditionsFrom(
  state: Conditions,
  from: number,
): EvaluatedConditions | Promise<EvaluatedConditions> {
  const { bindings, conditions, spent, turns } = state;
  for (let at = from; at < conditions.length; at += 1) {
    const expression = conditions[at] as Expression;
    const left = budgets.matchConditions - state.cost;
    const most = Math.min(left, budgets.perEvaluation);
    const outcome = evaluateInTurns(expression, bindings, { budget: most }, turns, spent);
    if (outcome instanceof Promise) {
      return outcome.then(
        (late) => decided(state, expression, late, most === left) ?? conditionsFrom(state, at + 1),
      );
    }
    const answer = decided(state, expression, outcome, most === left);
    if (answer !== undefined) return answer;
  }
  return undecided(state);
}

function undecided({ cost, errors }: Conditions): EvaluatedConditions {
  return { match: errors.length === 0 ? true : undefined, errors, cost };
}

/** Undefined: the conditions after it are asked. `isLast`: there is no budget for more. */
function decided(
  state: Conditions,
  expression: Expression,
  outcome: Outcome,
  isLast: boolean,
): EvaluatedConditions | undefined {
  state.cost += outcome.cost;
  if (outcome.kind === 'value' && outcome.value === false) {
    return { match: false, errors: [], failed: expression, cost: state.cost };
  }
  if (outcome.kind === 'value' && outcome.value === true) return undefined;
  const { errors } = state;
  errors.push(`expression '${expression.text}' resulted in error: ${problemOf(outcome)}`);
  return outcome.kind === 'budget-exceeded' && isLast ? undecided(state) : undefined;
}

function problemOf(outcome: Outcome): string {
  if (outcome.kind === 'error' || outcome.kind === 'budget-exceeded') return outcome.message;
  return outcome.kind === 'value' ? 'the result is no bool' : 'the result is not known';
}

/** Whether the tree says `operand.field`, also as `operand.?field` and `has(operand.field)`. */
export function selectsField({ expr }: Ast, operand: string, field: string): boolean {
  // A walk with a list of its own: trees are as deep as users make them.
  const left: unknown[] = [expr];
  while (left.length > 0) {
    const node = left.pop();
    if (typeof node !== 'object' || node === null) continue;
    if (isSelection(node as Readonly<Record<string, unknown>>, operand, field)) return true;
    for (const part of Object.values(node)) left.push(part);
  }
  return false;
}

type AnyNode = Readonly<Record<string, unknown>>;

function isSelection(node: AnyNode, operand: string, field: string): boolean {
  if (node['kind'] === 'select') return isName(node['operand'], operand) && node['field'] === field;
  if (node['kind'] !== 'call' || node['function'] !== '_?._') return false;
  const [of, name] = node['args'] as readonly AnyNode[];
  return isName(of, operand) && name?.['kind'] === 'constant' && name['value'] === field;
}

function isName(node: unknown, name: string): boolean {
  const { kind, name: found } = (node ?? {}) as AnyNode;
  return kind === 'ident' && found === name;
}
