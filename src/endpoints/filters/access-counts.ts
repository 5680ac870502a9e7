/**
 * How often callers were identified and let through, and how long that took.
 *
 * Elsewhere: the metrics page, which reads the counts, and the decisions of each authorizer
 * (src/authorization/decision-counts.ts).
 *
 * Bound: results are those of this file, and user names fall into six classes: nobody makes series
 * by logging in.
 */
import { exponentialBounds, Histogram } from '../../stdx/histogram.ts';

type AuthenticationResult = 'success' | 'failure';
export type AuthorizationResult = 'allowed' | 'denied' | 'no-opinion' | 'error';

export interface AccessCounts {
  identified(result: AuthenticationResult, durationMs: number): void;
  served(userName: string): void;
  decided(result: AuthorizationResult, durationMs: number): void;
  readonly authentication: ReadonlyMap<AuthenticationResult, Histogram>;
  readonly authorization: ReadonlyMap<AuthorizationResult, Histogram>;
  readonly users: ReadonlyMap<string, number>;
}

const bounds = exponentialBounds(0.001, 2, 15);
const authenticationResults: readonly AuthenticationResult[] = ['success', 'failure'];
const authorizationResults: readonly AuthorizationResult[] = [
  'allowed',
  'denied',
  'no-opinion',
  'error',
];

export function createAccessCounts(): AccessCounts {
  const authentication = new Map(
    authenticationResults.map((each) => [each, new Histogram(bounds)]),
  );
  const authorization = new Map(authorizationResults.map((each) => [each, new Histogram(bounds)]));
  const users = new Map<string, number>();
  return {
    identified: (result, durationMs) => authentication.get(result)?.observe(durationMs / 1000),
    decided: (result, durationMs) => authorization.get(result)?.observe(durationMs / 1000),
    served(userName) {
      const name = classOf(userName);
      users.set(name, (users.get(name) ?? 0) + 1);
    },
    authentication,
    authorization,
    users,
  };
}

/** As the reference tells users apart. */
const knownUsers: ReadonlySet<string> = new Set([
  'admin',
  'client',
  'kube_proxy',
  'kubelet',
  'system:serviceaccount:kube-system:default',
]);

function classOf(userName: string): string {
  if (knownUsers.has(userName)) return userName;
  return userName.includes('@') ? 'email_id' : 'other';
}
