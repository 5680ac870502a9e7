/**
 * How an evaluation that does not wait is given answers that take time: it is run, it says what it
 * needs to know, that is asked, and it is run again with the answer.
 *
 * The last run has every answer from its start, so that its result and its cost are those of an
 * evaluation that waited. Nothing is asked that such an evaluation would not have asked: of what a
 * run needs only the first question is put.
 *
 * Bounds: every answer costs a run `checkCost` units, so a budget bounds the questions, too; above
 * `questionsMax` of them an evaluation fails. Answers are kept for one request, never longer.
 */
import { evaluationError, unknownResult } from '../evaluation-error.ts';
import type {
  AuthorizationAnswer,
  AuthorizationQuestion,
  DecisionSource,
} from './authorizer-library.ts';

/** Budgets end long before: 10,000,000 units have room for 28. */
const questionsMax = 64;

/** The port to whoever decides. Trouble is an answer, too: nothing may be thrown. */
export type AuthorizerPort = (question: AuthorizationQuestion) => Promise<AuthorizationAnswer>;

export interface AuthorizerQuestions extends DecisionSource {
  /**
   * Runs `evaluate` until it has every answer. `evaluate` is pure but for what it asks.
   */
  answering<T>(evaluate: () => T): Promise<T>;
}

/** For one request: its user and what is known stay the same. */
export function authorizerQuestions(ask: AuthorizerPort): AuthorizerQuestions {
  const answers = new Map<string, AuthorizationAnswer>();
  let open: { readonly key: string; readonly question: AuthorizationQuestion } | undefined;
  return {
    answer: (question) => {
      const key = JSON.stringify(question);
      const answer = answers.get(key);
      if (answer !== undefined) return answer;
      if (answers.size >= questionsMax) throw evaluationError('too many authorization checks');
      open ??= { key, question };
      throw unknownResult(['authorizer']);
    },
    answering: async (evaluate) => {
      for (;;) {
        open = undefined;
        const result = evaluate();
        // Set by answer(), which `evaluate` reaches through the values that it was given.
        const needed = open as { key: string; question: AuthorizationQuestion } | undefined;
        if (needed === undefined) return result;
        answers.set(needed.key, await ask(needed.question));
      }
    },
  };
}
