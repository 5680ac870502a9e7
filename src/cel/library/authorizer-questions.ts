/**
 * The decisions of authorizers that one evaluation asks for. Most come at once. If an authorizer
 * has to call a webhook, the evaluation is run again when the decision has arrived
 * (late-values.ts).
 *
 * Bounds: every decision costs a run `checkCost` units, so the budget limits their number; above
 * `questionsMax` an evaluation fails. Answers are kept for one request, never longer.
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
      const key = keyOf(question);
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

/** With their lengths the texts need no quotes: each may be as long as a body, and quoting one
 * takes ten times as long as copying it. */
function keyOf(question: AuthorizationQuestion): string {
  const { namespace = '', serviceAccount = '' } = question.user ?? {};
  const { kind, verb } = question;
  const about =
    question.kind === 'path'
      ? [question.path]
      : [
          question.group,
          question.resource,
          question.subresource,
          question.namespace,
          question.name,
          question.fieldSelector,
          question.labelSelector,
        ];
  const isOther = question.user === undefined ? 'own' : 'other';
  const parts = [kind, isOther, namespace, serviceAccount, verb, ...about];
  return parts.map((part) => `${part.length} ${part}`).join('');
}
