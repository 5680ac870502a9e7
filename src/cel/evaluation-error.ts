/**
 * Errors of evaluation. They are thrown: an expression that meets one ends with it, unless `||`,
 * `&&` or a macro built on them knows the answer without it.
 *
 * EvaluationError is the language's own error. EvaluationCancelled is no error of the language:
 * nothing absorbs it. UnknownResult says that a variable that was declared unknown was needed.
 *
 * None of them records a stack: expressions meet errors in loops, and a user's mistake is not ours.
 */
function quietly<T>(make: () => T): T {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = before;
  }
}

export class EvaluationError extends Error {
  override readonly name = 'EvaluationError';
}

export class EvaluationCancelled extends Error {
  override readonly name = 'EvaluationCancelled';
}

export class UnknownResult extends Error {
  override readonly name = 'UnknownResult';
  /** What was needed: names of variables, in the order of evaluation. */
  readonly variables: readonly string[];
  constructor(variables: readonly string[]) {
    super(`unknown: ${variables.join()}`);
    this.variables = variables;
  }
}

/** For implementations of functions: `throw evaluationError('division by zero')`. */
export const evaluationError = (message: string): EvaluationError =>
  quietly(() => new EvaluationError(message));

/** The arguments have types that the function has no overload for. */
export const noSuchOverload = (): EvaluationError => evaluationError('no such overload');

export const budgetExceeded = (): EvaluationCancelled =>
  quietly(() => new EvaluationCancelled('operation cancelled: actual cost limit exceeded'));

/** What was tried at once is long, and has to be done in parts. Nothing absorbs it. */
export class Paused extends Error {
  override readonly name = 'Paused';
}

export const paused = (): Paused => quietly(() => new Paused('the evaluation is long'));

export const unknownResult = (variables: readonly string[]): UnknownResult =>
  quietly(() => new UnknownResult(variables));
