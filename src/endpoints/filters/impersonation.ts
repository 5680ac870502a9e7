/**
 * Impersonation (spec 2, section 5.4): what the headers ask for, whether it is allowed, and the
 * resulting user.
 *
 *     Impersonate-User ▶ each Impersonate-Group ▶ each Impersonate-Extra-* value ▶ Impersonate-Uid
 *
 * Each is one question with the verb `impersonate`, in this order; the first one that is not
 * allowed is the 403. All of them ask about the caller, none about the impersonated user.
 *
 * Invariants: without a user there is no impersonation, and asking for the rest of one is 400; so
 * is a user, group or uid without a name, because whoever asks to be somebody must not go on as
 * the caller (uWebSockets.js cuts what is not ASCII off both ends of a value); a user comes out
 * either authenticated or anonymous, by its groups; nothing behind this sees the headers. Bounds:
 * the size of a request head; `questionsAtOnce` in one turn, for each may walk over all that the
 * caller has been granted.
 */
import type { UserInfo } from '../../apimachinery/user-info.ts';
import { unescapedExtraKey } from '../../apimachinery/extra-key.ts';
import { anonymousUser, wellKnownGroups } from '../../apimachinery/user-info.ts';
import type { Attributes, Decision } from '../../authorization/authorizer.ts';
import { newBadRequest } from '../../apimachinery/status-error.ts';
import type { StatusError } from '../../apimachinery/status-error.ts';
import type { Turns } from '../../stdx/turns.ts';
import { checkDns1123Label, checkDns1123Subdomain } from '../../apimachinery/validation/names.ts';
import type { Header } from '../../transport/http-exchange.ts';
import { forbiddenError } from './attributes.ts';

const userHeader = 'impersonate-user';
const groupHeader = 'impersonate-group';
const uidHeader = 'impersonate-uid';
const extraPrefix = 'impersonate-extra-';

export function isImpersonationHeader(name: string): boolean {
  return (
    name.startsWith('impersonate-') &&
    (name === userHeader ||
      name === groupHeader ||
      name === uidHeader ||
      name.startsWith(extraPrefix))
  );
}

/** Who is asked for, as the headers say it. */
export interface ImpersonationRequest {
  readonly user: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: readonly (readonly [key: string, value: string])[];
}

export type ReadImpersonation =
  | { readonly kind: 'none' }
  | { readonly kind: 'asked'; readonly request: ImpersonationRequest }
  | { readonly kind: 'refused'; readonly error: StatusError };

/** Names of `headers` are in lower case. */
export function readImpersonation(headers: readonly Header[]): ReadImpersonation {
  let user: string | undefined;
  let uid: string | undefined;
  const groups: string[] = [];
  const extra: (readonly [string, string])[] = [];
  for (const [name, value] of headers) {
    if (!isImpersonationHeader(name)) continue;
    if (value === '' && !name.startsWith(extraPrefix)) return refusedEmpty(name);
    if (name === groupHeader) groups.push(value);
    else if (name === userHeader) {
      if (user !== undefined) return refusedTwice('Impersonate-User');
      user = value;
    } else if (name === uidHeader) {
      if (uid !== undefined) return refusedTwice('Impersonate-Uid');
      uid = value;
    } else extra.push([unescapedExtraKey(name.slice(extraPrefix.length)), value]);
  }
  if (user !== undefined) {
    return { kind: 'asked', request: { user, uid: uid ?? '', groups, extra } };
  }
  const asked = [
    ...groups.map((group) => `group ${group}`),
    ...extra.map(([key]) => `extra ${key}`),
    ...(uid === undefined ? [] : [`uid ${uid}`]),
  ];
  if (asked.length === 0) return { kind: 'none' };
  const message = `requested [${asked.join(', ')}] without impersonating a user`;
  return { kind: 'refused', error: newBadRequest(message) };
}

/** One of the two would be checked and the other one might be used. */
function refusedTwice(name: string): ReadImpersonation {
  return { kind: 'refused', error: newBadRequest(`${name} is given more than once`) };
}

function refusedEmpty(name: string): ReadImpersonation {
  return { kind: 'refused', error: newBadRequest(`the header ${name} is empty`) };
}

export type Impersonation =
  | { readonly kind: 'allowed'; readonly user: UserInfo }
  | {
      readonly kind: 'refused';
      readonly error: StatusError;
      readonly attributes: Attributes;
      readonly decision: Decision;
    };

/** Questions that are asked in one turn: more than anybody asks who wants to work. */
const questionsAtOnce = 16;

export interface ImpersonationPorts {
  readonly ask: (question: Attributes) => Decision | Promise<Decision>;
  readonly turns: Pick<Turns, 'pause'>;
  /** Nobody waits for the answer any more. */
  readonly isOver: () => boolean;
}

/** Asks for each part; a few of them need no turn while every answer comes at once. */
export function impersonate(
  caller: UserInfo,
  request: ImpersonationRequest,
  { ask, isOver, turns }: ImpersonationPorts,
  authenticationGroup: string,
): Impersonation | Promise<Impersonation> {
  const questions = questionsOf(caller, request, authenticationGroup);
  return askFrom(0);

  async function askLater(first: number): Promise<Impersonation> {
    await turns.pause();
    const unasked = questions[first] as Attributes;
    return (isOver() ? refusalOf(unasked, unanswered) : undefined) ?? askFrom(first);
  }

  function askFrom(first: number): Impersonation | Promise<Impersonation> {
    for (let i = first; i < questions.length; i += 1) {
      if (i - first === questionsAtOnce) return askLater(i);
      const attributes = questions[i] as Attributes;
      const decision = ask(attributes);
      if (decision instanceof Promise) {
        return decision.then((known) => refusalOf(attributes, known) ?? askFrom(i + 1));
      }
      const refusal = refusalOf(attributes, decision);
      if (refusal !== undefined) return refusal;
    }
    return { kind: 'allowed', user: userOf(request) };
  }
}

const unanswered: Decision = { kind: 'no-opinion', reason: '' };

function refusalOf(attributes: Attributes, decision: Decision): Impersonation | undefined {
  if (decision.kind === 'allow') return undefined;
  const error = forbiddenError(attributes, decision.reason);
  return { kind: 'refused', error, attributes, decision };
}

function questionsOf(
  caller: UserInfo,
  { user, uid, groups, extra }: ImpersonationRequest,
  authenticationGroup: string,
): readonly Attributes[] {
  const about = (apiGroup: string, resource: string, name: string): Attributes => ({
    user: caller,
    verb: 'impersonate',
    isResourceRequest: true,
    path: '',
    namespace: '',
    apiGroup,
    apiVersion: 'v1',
    resource,
    subresource: '',
    name,
  });
  const account = serviceAccountOf(user);
  const first =
    account === undefined
      ? about('', 'users', user)
      : { ...about('', 'serviceaccounts', account.name), namespace: account.namespace };
  return [
    first,
    ...groups.map((group) => about('', 'groups', group)),
    ...extra.map(([key, value]) => ({
      ...about(authenticationGroup, 'userextras', value),
      subresource: key,
    })),
    ...(uid === '' ? [] : [about(authenticationGroup, 'uids', uid)]),
  ];
}

const accountPrefix = 'system:serviceaccount:';

/** Undefined: no name of a service account, however it begins. */
function serviceAccountOf(
  user: string,
): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith(accountPrefix)) return undefined;
  const [namespace = '', name = '', ...more] = user.slice(accountPrefix.length).split(':');
  const sound =
    more.length === 0 &&
    checkDns1123Label(namespace).length === 0 &&
    checkDns1123Subdomain(name).length === 0;
  return sound ? { namespace, name } : undefined;
}

function userOf({ user, uid, groups: asked, extra: pairs }: ImpersonationRequest): UserInfo {
  const groups = [...asked];
  const account = serviceAccountOf(user);
  if (asked.length === 0 && account !== undefined) {
    const { serviceAccounts } = wellKnownGroups;
    groups.push(serviceAccounts, `${serviceAccounts}:${account.namespace}`);
  }
  const { authenticated, unauthenticated } = wellKnownGroups;
  if (user === anonymousUser.name) {
    if (!groups.includes(unauthenticated)) groups.push(unauthenticated);
  } else if (!groups.includes(authenticated) && !groups.includes(unauthenticated)) {
    groups.push(authenticated);
  }
  const extra = new Map<string, string[]>();
  for (const [key, value] of pairs) {
    const values = extra.get(key);
    if (values === undefined) extra.set(key, [value]);
    else values.push(value);
  }
  // Not by assignment: a key may be `__proto__`.
  return { name: user, uid, groups, extra: Object.fromEntries(extra) };
}
