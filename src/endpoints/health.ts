/**
 * /livez, /readyz and /healthz: named checks and their text form (spec 2, section 4.1); and how
 * they went, for the page of service level indicators.
 *
 * It answers a path and a query with a status and a text.
 *
 * Invariants: machines read only the status; the reason of a failure is never in the answer. The
 * checks of an endpoint run at once, so an answer takes as long as the slowest one; a check bounds
 * itself, in time and in what many callers make it do. One that rejects has failed.
 */
export interface HealthCheck {
  readonly name: string;
  readonly endpoints: readonly HealthEndpoint[];
  healthy(): boolean | Promise<boolean>;
}

export const healthEndpoints = ['livez', 'readyz', 'healthz'] as const;
export type HealthEndpoint = (typeof healthEndpoints)[number];

/** How each check went at each endpoint at which it was asked. */
export interface HealthRecord {
  readonly name: string;
  readonly endpoint: HealthEndpoint;
  /** The last time. */
  readonly passed: boolean;
  readonly passedTotal: number;
  readonly failedTotal: number;
}

export interface Health {
  readonly checks: readonly HealthCheck[];
  /** `checkName` undefined: all checks of the endpoint. Undefined result: no such check. */
  check(
    endpoint: HealthEndpoint,
    checkName: string | undefined,
    query: HealthQuery,
  ): Promise<HealthAnswer | undefined>;
  records(): Iterable<HealthRecord>;
}

interface MutableRecord extends HealthRecord {
  passed: boolean;
  passedTotal: number;
  failedTotal: number;
}

export function createHealth(checks: readonly HealthCheck[]): Health {
  const records = new Map<string, MutableRecord>();
  const passes = async (check: HealthCheck, endpoint: HealthEndpoint): Promise<boolean> => {
    const passed = await outcomeOf(check);
    const { name } = check;
    const key = `${endpoint} ${name}`;
    let record = records.get(key);
    if (record === undefined) {
      record = { name, endpoint, passed, passedTotal: 0, failedTotal: 0 };
      records.set(key, record);
    }
    record.passed = passed;
    record[passed ? 'passedTotal' : 'failedTotal'] += 1;
    return passed;
  };
  return {
    checks,
    check: (endpoint, checkName, query) => checkHealth(checks, endpoint, checkName, query, passes),
    records: () => records.values(),
  };
}

type Passes = (check: HealthCheck, endpoint: HealthEndpoint) => Promise<boolean>;

export interface HealthAnswer {
  readonly status: number;
  readonly text: string;
}

export interface HealthQuery {
  readonly verbose: boolean;
  readonly exclude: readonly string[];
}

async function checkHealth(
  checks: readonly HealthCheck[],
  endpoint: HealthEndpoint,
  checkName: string | undefined,
  query: HealthQuery,
  passes: Passes,
): Promise<HealthAnswer | undefined> {
  const own = checks.filter((check) => check.endpoints.includes(endpoint));
  if (checkName !== undefined) {
    const check = own.find((candidate) => candidate.name === checkName);
    return check === undefined ? undefined : single(await passes(check, endpoint));
  }
  const asked = own.filter((check) => !query.exclude.includes(check.name));
  const results = new Map(
    await Promise.all(asked.map(async (check) => [check, await passes(check, endpoint)] as const)),
  );
  const lines: string[] = [];
  for (const check of own) {
    const passed = results.get(check);
    if (passed === undefined) lines.push(`[+]${check.name} excluded: ok`);
    else lines.push(passed ? `[+]${check.name} ok` : `[-]${check.name} failed: reason withheld`);
  }
  const unknown = query.exclude.filter((name) => !own.some((check) => check.name === name));
  if (unknown.length > 0) {
    const names = unknown.map((name) => JSON.stringify(name)).join(', ');
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
  }
  const failed = [...results.values()].includes(false);
  if (failed) return { status: 500, text: [...lines, `${endpoint} check failed`, ''].join('\n') };
  if (!query.verbose) return { status: 200, text: 'ok' };
  return { status: 200, text: [...lines, `${endpoint} check passed`, ''].join('\n') };
}

function single(passed: boolean): HealthAnswer {
  return passed
    ? { status: 200, text: 'ok' }
    : { status: 500, text: 'internal server error: reason withheld\n' };
}

async function outcomeOf(check: HealthCheck): Promise<boolean> {
  try {
    return await check.healthy();
  } catch {
    return false;
  }
}
