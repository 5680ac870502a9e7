/**
 * The union of all methods (spec 2, sections 5.1 and 5.3): who the caller is, or a refusal.
 *
 *     methods in order ▶ the first that knows him ▶ user, in system:authenticated
 *                      ▶ none does, one refused   ▶ 401; 429 where one had no time to look
 *                      ▶ nothing was shown        ▶ anonymous where that is allowed, else 401
 *
 * Invariants: credentials that are wrong are never made good by being ignored; one wrong and one
 * good credential are good (a browser's certificate beside a token). A request whose methods all
 * answer at once waits for no turn.
 */
import { joinedRejection } from './authenticator.ts';
import type {
  Authentication,
  AuthenticationRequest,
  Authenticator,
  Caller,
  CallerAuthentication,
  Rejection,
} from './authenticator.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';
import { anonymousUser, wellKnownGroups } from '../apimachinery/user-info.ts';

/** Where requests without credentials are served. */
export type AnonymousRule =
  | { readonly kind: 'everywhere' }
  | { readonly kind: 'nowhere' }
  /** On exactly these paths. */
  | { readonly kind: 'paths'; readonly paths: ReadonlySet<string> };

export interface AuthenticationParts {
  /** In the order in which they are asked. */
  readonly methods: readonly Authenticator[];
  /** Asked at each request: the configuration may be read again. */
  readonly anonymous: () => AnonymousRule;
  /** Beside Authorization. In lower case. */
  readonly isCredentialHeader: (name: string) => boolean;
}

export function createAuthentication(parts: AuthenticationParts): CallerAuthentication {
  const { methods, anonymous } = parts;
  return {
    isCredentialHeader: (name) =>
      name === 'authorization' ||
      name === 'sec-websocket-protocol' ||
      parts.isCredentialHeader(name),
    authenticate: (request) => askFrom(request, 0, undefined),
  };

  function askFrom(
    request: AuthenticationRequest,
    first: number,
    before: Rejection | undefined,
  ): Caller | Promise<Caller> {
    let rejection = before;
    for (let i = first; i < methods.length; i += 1) {
      const method = methods[i] as Authenticator;
      const answer = method.authenticate(request);
      if (answer instanceof Promise) {
        return answer.then((known) =>
          known.kind === 'authenticated'
            ? callerOf(known)
            : askFrom(request, i + 1, joinedRejection(rejection, method.name, known)),
        );
      }
      if (answer.kind === 'authenticated') return callerOf(answer);
      rejection = joinedRejection(rejection, method.name, answer);
    }
    if (rejection !== undefined) return rejection;
    return allowsAnonymous(anonymous(), request.path) ? anonymousCaller : withoutCredentials;
  }
}

const anonymousCaller: Caller = { kind: 'caller', user: anonymousUser };
const withoutCredentials: Caller = { kind: 'rejected', why: 'no credentials were shown' };

function allowsAnonymous(rule: AnonymousRule, path: string): boolean {
  switch (rule.kind) {
    case 'everywhere':
      return true;
    case 'nowhere':
      return false;
    case 'paths':
      return rule.paths.has(path);
  }
}

/** Users with the group that all of them have: made once for each user that a method keeps. */
const withGroup = new WeakMap<UserInfo, Caller>();

function callerOf({ user }: Extract<Authentication, { kind: 'authenticated' }>): Caller {
  const known = withGroup.get(user);
  if (known !== undefined) return known;
  const caller: Caller = { kind: 'caller', user: inAuthenticated(user) };
  withGroup.set(user, caller);
  return caller;
}

function inAuthenticated(user: UserInfo): UserInfo {
  const { authenticated, unauthenticated } = wellKnownGroups;
  const { name, groups } = user;
  const settled = groups.includes(authenticated) || groups.includes(unauthenticated);
  if (settled || name === anonymousUser.name) return user;
  return { ...user, groups: [...groups, authenticated] };
}
