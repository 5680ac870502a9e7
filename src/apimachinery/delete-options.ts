/**
 * Options of delete and deletecollection, from the body and the query (spec 1, section 2.7).
 *
 * Where there is a body, the query is not asked, but for a dry run: whoever wants one never loses
 * an object.
 */
import { invalid, notSupported } from './field-error.ts';
import type { FieldError } from './field-error.ts';
import type { OptionsContext } from './list-options.ts';
import { queryBoolean, queryInteger, queryValue } from './query.ts';
import type { QueryParameters } from './query.ts';
import { StatusError, newBadRequest, newInvalid } from './status-error.ts';
import { isJsonObject } from './unstructured.ts';
import type { JsonObject, JsonValue } from './unstructured.ts';
import { validateDryRun } from './write-options.ts';

export type PropagationPolicy = 'Foreground' | 'Background' | 'Orphan';

export interface DeletePreconditions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** Valid as a whole; an absent member leaves the choice to the kind. */
export interface DeleteOptions {
  readonly dryRun: boolean;
  /** Not negative. */
  readonly gracePeriodSeconds?: number | undefined;
  readonly preconditions?: DeletePreconditions | undefined;
  /** The old form of propagationPolicy; never both. */
  readonly orphanDependents?: boolean | undefined;
  readonly propagationPolicy?: PropagationPolicy | undefined;
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean | undefined;
}

export interface DeleteOptionsContext extends OptionsContext {
  /** A deletecollection: resourceVersion in the query belongs to its list, not to the delete. */
  readonly collection?: boolean | undefined;
}

/** `body` is the decoded body, undefined when there was none. */
export function parseDeleteOptions(
  query: QueryParameters,
  body: JsonObject | undefined,
  context: DeleteOptionsContext,
): DeleteOptions | StatusError {
  const fromBody = readBody(body ?? {});
  if (fromBody instanceof StatusError) return fromBody;
  const fromQuery = body === undefined ? readQuery(query, context.collection ?? false) : undefined;
  if (fromQuery instanceof StatusError) return fromQuery;
  const raw = fromQuery ?? { ...fromBody, dryRun: fromBody.dryRun ?? query.get('dryRun') };
  const errors = [...validateDeleteOptions(raw), ...validateForCollection(raw, context)];
  if (errors.length > 0) {
    return newInvalid({ group: context.metaGroup, kind: 'DeleteOptions' }, '', errors);
  }
  return {
    dryRun: (raw.dryRun ?? []).length > 0,
    // Negative asks for the shortest grace there is.
    gracePeriodSeconds:
      raw.gracePeriodSeconds !== undefined && raw.gracePeriodSeconds < 0
        ? 1
        : raw.gracePeriodSeconds,
    preconditions: { uid: raw.uid, resourceVersion: raw.resourceVersion },
    orphanDependents: raw.orphanDependents,
    // Validated: one of the three.
    propagationPolicy: raw.propagationPolicy as PropagationPolicy | undefined,
    ignoreStoreReadErrorWithClusterBreakingPotential: raw[IGNORE_READ_ERROR],
  };
}

const IGNORE_READ_ERROR = 'ignoreStoreReadErrorWithClusterBreakingPotential';

/** What one source says; undefined where it says nothing. */
interface RawDeleteOptions {
  readonly dryRun: readonly string[] | undefined;
  readonly gracePeriodSeconds: number | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly orphanDependents: boolean | undefined;
  readonly propagationPolicy: string | undefined;
  readonly [IGNORE_READ_ERROR]: boolean | undefined;
}

function readQuery(query: QueryParameters, collection: boolean): RawDeleteOptions | StatusError {
  const gracePeriodSeconds = queryInteger(query, 'gracePeriodSeconds');
  if (gracePeriodSeconds instanceof StatusError) return gracePeriodSeconds;
  const precondition = (name: string): string | undefined =>
    collection ? undefined : queryValue(query, name) || undefined;
  return {
    dryRun: query.get('dryRun'),
    gracePeriodSeconds,
    uid: precondition('uid'),
    resourceVersion: precondition('resourceVersion'),
    orphanDependents: queryBoolean(query, 'orphanDependents'),
    propagationPolicy: queryValue(query, 'propagationPolicy'),
    [IGNORE_READ_ERROR]: queryBoolean(query, IGNORE_READ_ERROR),
  };
}

function readBody(body: JsonObject): RawDeleteOptions | StatusError {
  const kind = body['kind'];
  if (kind !== undefined && kind !== null && kind !== '' && kind !== 'DeleteOptions') {
    return newBadRequest('decoded object cannot be converted to DeleteOptions');
  }
  const problems: string[] = [];
  const read = <T extends JsonValue>(
    from: JsonObject,
    field: string,
    is: (value: JsonValue) => value is T,
    expected: string,
    path = field,
  ): T | undefined => {
    const value = from[field];
    if (value === undefined || value === null) return undefined;
    if (is(value)) return value;
    problems.push(`${path}: expected ${expected}`);
    return undefined;
  };
  const preconditions = read(body, 'preconditions', isJsonObject, 'an object') ?? {};
  const precondition = (name: string): string | undefined =>
    read(preconditions, name, isString, 'a string', `preconditions.${name}`);
  const options: RawDeleteOptions = {
    dryRun: read(body, 'dryRun', isStringList, 'a list of strings'),
    gracePeriodSeconds: read(body, 'gracePeriodSeconds', isInteger, 'an integer'),
    uid: precondition('uid'),
    resourceVersion: precondition('resourceVersion'),
    orphanDependents: read(body, 'orphanDependents', isBoolean, 'a boolean'),
    propagationPolicy: read(body, 'propagationPolicy', isString, 'a string'),
    [IGNORE_READ_ERROR]: read(body, IGNORE_READ_ERROR, isBoolean, 'a boolean'),
  };
  if (problems.length === 0) return options;
  return newBadRequest(`DeleteOptions cannot be decoded: ${problems.join(', ')}`);
}

function validateDeleteOptions(raw: RawDeleteOptions): readonly FieldError[] {
  const { propagationPolicy: policy } = raw;
  const errors: FieldError[] = [];
  if (raw.orphanDependents !== undefined && policy !== undefined) {
    const detail = 'orphanDependents and deletionPropagation cannot be both set';
    errors.push(invalid('propagationPolicy', policy, detail));
  }
  if (policy !== undefined && !['Foreground', 'Background', 'Orphan'].includes(policy)) {
    const supported = ['Foreground', 'Background', 'Orphan', 'nil'];
    errors.push(notSupported('propagationPolicy', policy, supported));
  }
  errors.push(...validateDryRun(raw.dryRun ?? []));
  if (raw[IGNORE_READ_ERROR] === true) errors.push(...validateAlone(raw));
  return errors;
}

/** Deleting what cannot be read cannot honour anything that looks into the object. */
function validateAlone(raw: RawDeleteOptions): readonly FieldError[] {
  const others: [string, unknown][] = [
    ['dryRun', raw.dryRun?.length === 0 ? undefined : raw.dryRun],
    ['propagationPolicy', raw.propagationPolicy],
    ['orphanDependents', raw.orphanDependents],
    ['gracePeriodSeconds', raw.gracePeriodSeconds],
    ['preconditions', raw.uid ?? raw.resourceVersion],
  ];
  return others
    .filter(([, value]) => value !== undefined)
    .map(([name]) => invalid(IGNORE_READ_ERROR, true, `cannot be set together with .${name}`));
}

/** What cannot be read cannot be listed either: it is deleted by its name. */
function validateForCollection(
  raw: RawDeleteOptions,
  { collection = false }: DeleteOptionsContext,
): readonly FieldError[] {
  if (!collection || raw[IGNORE_READ_ERROR] !== true) return [];
  const detail = 'is not allowed with DELETECOLLECTION, try again after removing the option';
  return [invalid(IGNORE_READ_ERROR, true, detail)];
}

function isString(value: JsonValue): value is string {
  return typeof value === 'string';
}

function isBoolean(value: JsonValue): value is boolean {
  return typeof value === 'boolean';
}

function isInteger(value: JsonValue): value is number {
  return Number.isSafeInteger(value);
}

function isStringList(value: JsonValue): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
