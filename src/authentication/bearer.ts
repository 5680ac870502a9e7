/**
 * Bearer tokens (spec 2, section 5.2): reads the header, or what stands for it where a client can
 * set none (web-socket-token.ts), and asks the methods that know tokens.
 *
 * What may be kept of a token, and for how long, its method knows.
 *
 * Invariants: one credential, or none at all. Two Authorization headers, a token with anything
 * behind it, an oversize one or one with characters no token has are refused: what another party
 * would read of them is not known. A token that no method knows is wrong. Other schemes than Bearer
 * are no credentials here, and neither is one without a token: a variable that nobody has set.
 */
import { joinedRejection } from './authenticator.ts';
import type {
  Authentication,
  AuthenticationRequest,
  Authenticator,
  Rejection,
  TokenAuthenticator,
  TokenBearer,
} from './authenticator.ts';
import type { Requester } from '../stdx/requester.ts';
import { readWebSocketToken } from './web-socket-token.ts';

/** Longer ones are refused unread; a request head has at most 16 KiB. */
export const tokenBytesMax = 12 * 1024;

/** A review may ask about any text; what no head could carry is not looked at. */
export const reviewedCharsMax = 16 * 1024;

const anyAudience: readonly string[] = [];

export type PresentedToken =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'rejected'; readonly why: string };

export function readBearerToken(request: AuthenticationRequest): PresentedToken {
  const values = request.headerValues('authorization');
  if (values.length === 0) {
    const shown = readWebSocketToken(request);
    return shown.kind === 'token' ? checked(shown.token) : shown;
  }
  if (values.length > 1) return { kind: 'rejected', why: 'two Authorization headers' };
  const value = (values[0] as string).trim();
  if (!/^bearer +[^ ]/i.test(value)) return { kind: 'none' };
  return checked(value.slice('bearer '.length));
}

function checked(token: string): PresentedToken {
  if (token.length > tokenBytesMax) return { kind: 'rejected', why: 'the token is too long' };
  return /^[\x21-\x7e]+$/.test(token)
    ? { kind: 'token', token }
    : { kind: 'rejected', why: 'what is shown as a token is none' };
}

export function bearerTokens(methods: readonly TokenAuthenticator[]): Authenticator {
  return {
    name: 'bearer',
    authenticate(request) {
      const shown = readBearerToken(request);
      if (shown.kind !== 'token') return shown;
      return authenticateToken(methods, shown.token, anyAudience, request, request.requester);
    },
  };
}

/** The first method that knows the token decides; never `none`. */
export function authenticateToken(
  methods: readonly TokenAuthenticator[],
  token: string,
  audiences: readonly string[],
  bearer?: TokenBearer,
  requester?: Requester,
): Authentication | Promise<Authentication> {
  if (token.length > reviewedCharsMax) return { kind: 'rejected', why: 'the token is too long' };
  return askFrom(0, undefined);

  function askFrom(
    first: number,
    before: Rejection | undefined,
  ): Authentication | Promise<Authentication> {
    let rejection = before;
    for (let i = first; i < methods.length; i += 1) {
      const method = methods[i] as TokenAuthenticator;
      const answer = method.authenticateToken(token, audiences, bearer, requester);
      if (answer instanceof Promise) {
        return answer.then((known) =>
          known.kind === 'authenticated'
            ? known
            : askFrom(i + 1, joinedRejection(rejection, method.name, known)),
        );
      }
      if (answer.kind === 'authenticated') return answer;
      rejection = joinedRejection(rejection, method.name, answer);
    }
    return rejection ?? unknownToken;
  }
}

const unknownToken: Rejection = { kind: 'rejected', why: 'no method knows it' };
