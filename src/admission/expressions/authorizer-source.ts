/**
 * The server's authorizers for admission expressions, asked on behalf of the requesting user or of
 * a service account.
 */
import { wellKnownGroups } from '../../apimachinery/user-info.ts';
import type { UserInfo } from '../../apimachinery/user-info.ts';
import type { AccessChecker, Attributes, Decision } from '../../authorization/authorizer.ts';
import { selectorsOnDemand } from '../../apimachinery/selectors/selector-requirements.ts';
import type {
  AuthorizationAnswer,
  AuthorizationQuestion,
  DecisionSource,
} from '../../cel/library/authorizer-library.ts';
import { authorizerQuestions } from '../../cel/library/authorizer-questions.ts';
import type { LateValues } from '../../cel/late-values.ts';
import { messageOf } from '../../stdx/message-of.ts';
import type { Requester } from '../../stdx/requester.ts';

export function authorizerSource(
  access: Pick<AccessChecker, 'check'>,
  user: UserInfo,
  late: LateValues,
  requester?: Requester,
): DecisionSource {
  return authorizerQuestions((question) => {
    const decision = access.check(attributesOf(question, user), requester);
    if (!(decision instanceof Promise)) return answerOf(decision);
    return decision.then(answerOf, (error: unknown) => ({
      allowed: false,
      reason: '',
      error: messageOf(error),
    }));
  }, late);
}

function answerOf({ error = '', kind, reason }: Decision): AuthorizationAnswer {
  return { allowed: kind === 'allow', reason, error };
}

function attributesOf(question: AuthorizationQuestion, user: UserInfo): Attributes {
  const asked = question.user === undefined ? user : accountUser(question.user);
  const nothing = { namespace: '', apiGroup: '', apiVersion: '', resource: '', subresource: '' };
  if (question.kind === 'path') {
    const { path, verb } = question;
    return { ...nothing, user: asked, verb, isResourceRequest: false, path, name: '' };
  }
  const { fieldSelector, group, labelSelector, name, namespace, resource } = question;
  const { subresource, verb } = question;
  const selects = fieldSelector !== '' || labelSelector !== '';
  return {
    user: asked,
    verb,
    isResourceRequest: true,
    path: '',
    namespace,
    apiGroup: group,
    apiVersion: '*',
    resource,
    subresource,
    name,
    selectors: selects ? selectorsOnDemand(fieldSelector, labelSelector) : undefined,
  };
}

function accountUser(account: NonNullable<AuthorizationQuestion['user']>): UserInfo {
  const { namespace, serviceAccount } = account;
  return {
    name: `system:serviceaccount:${namespace}:${serviceAccount}`,
    uid: '',
    groups: [
      wellKnownGroups.serviceAccounts,
      `system:serviceaccounts:${namespace}`,
      wellKnownGroups.authenticated,
    ],
    extra: {},
  };
}
