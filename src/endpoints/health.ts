/**
 * /livez, /readyz and /healthz: named checks and their text form (spec 2, section 4.1).
 *
 * What it is not: HTTP. It answers a path and a query with a status and a text.
 *
 * Invariants: machines read only the status; the reason of a failure is never in the answer. A
 * check is cheap and synchronous.
 */
export interface HealthCheck {
  readonly name: string;
  readonly endpoints: readonly HealthEndpoint[];
  healthy(): boolean;
}

export const healthEndpoints = ['livez', 'readyz', 'healthz'] as const;
export type HealthEndpoint = (typeof healthEndpoints)[number];

export interface HealthAnswer {
  readonly status: number;
  readonly text: string;
}

export interface HealthQuery {
  readonly verbose: boolean;
  readonly exclude: readonly string[];
}

/** `checkName` undefined: all checks of the endpoint. Undefined result: no such check. */
export function checkHealth(
  checks: readonly HealthCheck[],
  endpoint: HealthEndpoint,
  checkName: string | undefined,
  query: HealthQuery,
): HealthAnswer | undefined {
  const own = checks.filter((check) => check.endpoints.includes(endpoint));
  if (checkName !== undefined) {
    const check = own.find((candidate) => candidate.name === checkName);
    return check === undefined ? undefined : single(check);
  }
  const lines: string[] = [];
  let failed = false;
  for (const check of own) {
    if (query.exclude.includes(check.name)) {
      lines.push(`[+]${check.name} excluded: ok`);
    } else if (check.healthy()) {
      lines.push(`[+]${check.name} ok`);
    } else {
      failed = true;
      lines.push(`[-]${check.name} failed: reason withheld`);
    }
  }
  const unknown = query.exclude.filter((name) => !own.some((check) => check.name === name));
  if (unknown.length > 0) {
    const names = unknown.map((name) => JSON.stringify(name)).join(', ');
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
  }
  if (failed) return { status: 500, text: [...lines, `${endpoint} check failed`, ''].join('\n') };
  if (!query.verbose) return { status: 200, text: 'ok' };
  return { status: 200, text: [...lines, `${endpoint} check passed`, ''].join('\n') };
}

function single(check: HealthCheck): HealthAnswer {
  return check.healthy()
    ? { status: 200, text: 'ok' }
    : { status: 500, text: 'internal server error: reason withheld\n' };
}
