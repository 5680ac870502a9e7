/**
 * Answers of the authorizers to what one evaluation asks. Most are there at once; where an
 * authorizer has to ask elsewhere, the evaluation is run again when it has answered
 * (late-values.ts).
 *
 * Bounds: every answer costs a run `checkCost` units, so a budget bounds the questions, too; above
 * `questionsMax` of them an evaluation fails. Answers are kept for one request, never longer.
 */
import { evaluationError } from '../evaluation-error.ts';
import type { LateValues } from '../late-values.ts';
import type {
  AuthorizationAnswer,
  AuthorizationQuestion,
  DecisionSource,
} from './authorizer-library.ts';

/** Budgets end long before: 10,000,000 units have room for 28. */
const questionsMax = 64;

/** The port to whoever decides. Trouble is an answer, too: nothing may be thrown. */
export type AuthorizerPort = (
  question: AuthorizationQuestion,
) => AuthorizationAnswer | Promise<AuthorizationAnswer>;

/** For one request: its user and what is known stay the same. */
export function authorizerQuestions(
  ask: AuthorizerPort,
  late: Pick<LateValues, 'endIfMissing' | 'missing'>,
): DecisionSource {
  const answers = new Map<string, AuthorizationAnswer>();
  return {
    answer: (question) => {
      const key = JSON.stringify(question);
      const known = answers.get(key);
      if (known !== undefined) return known;
      if (answers.size >= questionsMax) throw evaluationError('too many authorization checks');
      late.endIfMissing();
      const asking = ask(question);
      if (!(asking instanceof Promise)) {
        answers.set(key, asking);
        return asking;
      }
      return late.missing('authorizer', async () => {
        answers.set(key, await asking);
      });
    },
  };
}
