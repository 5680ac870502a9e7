/**
 * Validates the schedule and the time zone of a cron job.
 *
 *     minute hour day-of-month month day-of-week      * ? a a-b, with /step; or a list of them
 *     @hourly @daily ... @every 1h30m
 */

interface FieldForm {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

const days = 'sun mon tue wed thu fri sat'.split(' ');

const fieldForms: readonly FieldForm[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
];

const descriptors: ReadonlySet<string> = new Set([
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
]);

const every = /^@every (?:\d+(?:\.\d*)?(?:h|ms|m|s|us|µs|ns))+$/;

/** Characters of a schedule: more than all values of all fields. Policy: 422 above it. */
const scheduleMax = 4096;

export function scheduleProblem(schedule: string): string | undefined {
  if (schedule.length > scheduleMax) return `must have at most ${scheduleMax} characters`;
  if (schedule.includes('TZ')) {
    return 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
  }
  if (schedule.startsWith('@')) {
    if (descriptors.has(schedule) || every.test(schedule)) return undefined;
    return `unrecognized descriptor: ${schedule}`;
  }
  const fields = schedule.trim().split(/\s+/);
  if (fields.length !== fieldForms.length) {
    const found = `${fields.length}: [${fields.join(' ')}]`;
    return `expected exactly ${fieldForms.length} fields, found ${found}`;
  }
  for (const [at, field] of fields.entries()) {
    const problem = fieldProblem(field, fieldForms[at] as FieldForm);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function fieldProblem(field: string, form: FieldForm): string | undefined {
  for (const range of field.split(',').filter((each) => each !== '')) {
    const problem = rangeProblem(range, form);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function rangeProblem(range: string, form: FieldForm): string | undefined {
  const [bounds = '', step, ...more] = range.split('/');
  if (more.length > 0) return `too many slashes: ${range}`;
  const [low = '', high, ...others] = bounds.split('-');
  const all = low === '*' || low === '?';
  if (others.length > 0) return `too many hyphens: ${range}`;
  const start = all ? form.min : readNumber(low, form);
  const end = all || high === undefined ? start : readNumber(high, form);
  const stride = step === undefined ? 1 : readNumber(step, { min: 0, max: 0 });
  if (start === undefined || end === undefined || stride === undefined) {
    return `failed to parse int from ${range}: invalid syntax`;
  }
  if (start < form.min) {
    return `beginning of range (${start}) below minimum (${form.min}): ${range}`;
  }
  if (end > form.max) return `end of range (${end}) above maximum (${form.max}): ${range}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${range}`;
  return stride === 0 ? `step of range should be a positive number: ${range}` : undefined;
}

function readNumber(text: string, form: FieldForm): number | undefined {
  const named = form.names?.indexOf(text.toLowerCase()) ?? -1;
  if (named !== -1) return named + form.min;
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

export function timeZoneProblem(zone: string): string | undefined {
  if (zone === '') return 'timeZone must be nil or non-empty string';
  if (zone.toLowerCase() === 'local') {
    return (
      'timeZone must be an explicit time zone as defined in ' + 'https://www.iana.org/time-zones'
    );
  }
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return undefined;
  } catch {
    return `unknown time zone ${zone}`;
  }
}
