/**
 * Options of get, list and watch, from the query (spec 1, sections 4.2, 4.9, 4.10).
 *
 * Elsewhere: the meaning of the options against data (streams/ and the registry).
 *
 * Invariants of the result: it is valid as a whole; a watch that asks for its state in the old way
 * (resourceVersion "" or "0", nothing else) already says sendInitialEvents.
 */
import { forbidden, invalid, notSupported } from './field-error.ts';
import type { FieldError } from './field-error.ts';
import { queryBoolean, queryInteger, queryValue } from './query.ts';
import type { QueryParameters } from './query.ts';
import { explainBadResourceVersion, parseRequestedVersion } from './resource-version.ts';
import type { RequestedVersion } from './resource-version.ts';
import { parseFieldSelector } from './selectors/field-selector.ts';
import type { FieldSelector } from './selectors/field-selector.ts';
import { parseLabelSelector } from './selectors/label-selector-parser.ts';
import type { LabelSelector } from './selectors/label-selector.ts';
import { StatusError, newBadRequest, newInvalid } from './status-error.ts';

export type ResourceVersionMatch = '' | 'Exact' | 'NotOlderThan';

export interface ListOptions {
  readonly watch: boolean;
  readonly resourceVersion: RequestedVersion;
  readonly resourceVersionMatch: ResourceVersionMatch;
  /** Items of a page; 0: all. */
  readonly limit: number;
  /** '' when absent; not decoded. */
  readonly continue: string;
  readonly labelSelector: LabelSelector;
  readonly fieldSelector: FieldSelector;
  /** 0 or absent: the server chooses. */
  readonly timeoutSeconds: number;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
  /** Undefined: not said. */
  readonly pretty: boolean | undefined;
}

export interface GetOptions {
  readonly resourceVersion: RequestedVersion;
  readonly pretty: boolean | undefined;
}

export interface OptionsContext {
  /** The identity's group of options and tables: `meta.k8s.io`. */
  readonly metaGroup: string;
  /** Whether streaming lists are offered. On by default. */
  readonly watchListEnabled?: boolean | undefined;
}

export function parseListOptions(
  query: QueryParameters,
  context: OptionsContext,
): ListOptions | StatusError {
  const said = readListOptions(query);
  if (said instanceof StatusError) return said;
  const watchListEnabled = context.watchListEnabled ?? true;
  const read = withLegacyInitialEvents(said, watchListEnabled);
  const errors = validateListOptions(read, watchListEnabled);
  if (errors.length > 0) {
    return newInvalid({ group: context.metaGroup, kind: 'ListOptions' }, '', errors);
  }
  const version = readVersion(read.resourceVersion);
  if (version instanceof StatusError) return version;
  if (!read.watch && read.continue !== '' && version.kind === 'revision') {
    return newBadRequest('specifying resource version is not allowed when using continue');
  }
  return {
    ...read,
    resourceVersion: version,
    // Validated: one of the three.
    resourceVersionMatch: read.resourceVersionMatch as ResourceVersionMatch,
  };
}

export function parseGetOptions(query: QueryParameters): GetOptions | StatusError {
  const version = readVersion(queryValue(query, 'resourceVersion') ?? '');
  if (version instanceof StatusError) return version;
  return { resourceVersion: version, pretty: queryBoolean(query, 'pretty') };
}

/** The options as they stand in the query: each has its type, together they may make no sense. */
export type RawListOptions = Omit<ListOptions, 'resourceVersion' | 'resourceVersionMatch'> & {
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
};

/** Of one selector. Each object of a collection, and each change of one for each watch, is held to
 * all of them. Values of one requirement have no bound but that of a query. */
const requirementsMax = 128;

function readListOptions(query: QueryParameters): RawListOptions | StatusError {
  const labelSelector = parseLabelSelector(queryValue(query, 'labelSelector') ?? '');
  if (labelSelector instanceof StatusError) return labelSelector;
  const fieldSelector = parseFieldSelector(queryValue(query, 'fieldSelector') ?? '');
  if (fieldSelector instanceof StatusError) return fieldSelector;
  for (const { requirements } of [labelSelector, fieldSelector]) {
    if (requirements.length <= requirementsMax) continue;
    return newBadRequest(`a selector may have at most ${requirementsMax} requirements`);
  }
  const limit = queryInteger(query, 'limit') ?? 0;
  if (limit instanceof StatusError) return limit;
  const timeoutSeconds = queryInteger(query, 'timeoutSeconds') ?? 0;
  if (timeoutSeconds instanceof StatusError) return timeoutSeconds;
  return {
    watch: queryBoolean(query, 'watch') ?? false,
    resourceVersion: queryValue(query, 'resourceVersion') ?? '',
    resourceVersionMatch: queryValue(query, 'resourceVersionMatch') ?? '',
    limit,
    continue: queryValue(query, 'continue') ?? '',
    labelSelector,
    fieldSelector,
    timeoutSeconds,
    allowWatchBookmarks: queryBoolean(query, 'allowWatchBookmarks') ?? false,
    sendInitialEvents: queryBoolean(query, 'sendInitialEvents'),
    pretty: queryBoolean(query, 'pretty'),
  };
}

const MATCH = 'resourceVersionMatch';
const INITIAL = 'sendInitialEvents';

function validateListOptions(
  options: RawListOptions,
  watchListEnabled: boolean,
): readonly FieldError[] {
  const errors = options.watch
    ? validateForWatch(options, watchListEnabled)
    : validateForList(options);
  for (const field of ['limit', 'timeoutSeconds'] as const) {
    if (options[field] >= 0) continue;
    errors.push(invalid(field, options[field], 'must be greater than or equal to 0'));
  }
  return errors;
}

function validateForList(options: RawListOptions): FieldError[] {
  const { resourceVersionMatch: match, resourceVersion } = options;
  const errors: FieldError[] = [];
  const forbid = (why: string): number => errors.push(forbidden(MATCH, why));
  if (match !== '') {
    if (resourceVersion === '') {
      forbid('resourceVersionMatch is forbidden unless resourceVersion is provided');
    }
    if (options.continue !== '') {
      forbid('resourceVersionMatch is forbidden when continue is provided');
    }
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(notSupported(MATCH, match, ['Exact', 'NotOlderThan', '']));
    }
    if (match === 'Exact' && resourceVersion === '0') {
      forbid('resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.push(forbidden(INITIAL, 'sendInitialEvents is forbidden for list'));
  }
  return errors;
}

function validateForWatch(options: RawListOptions, watchListEnabled: boolean): FieldError[] {
  const { resourceVersionMatch: match, sendInitialEvents } = options;
  const errors: FieldError[] = [];
  const forbid = (why: string): number => errors.push(forbidden(MATCH, why));
  if (sendInitialEvents !== undefined) {
    if (match !== 'NotOlderThan') {
      forbid('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
    }
    if (!watchListEnabled) {
      const why = 'is forbidden for watch unless the WatchList feature gate is enabled';
      errors.push(forbidden(INITIAL, `${INITIAL} ${why}`));
    }
  }
  if (match !== '') {
    if (sendInitialEvents === undefined) {
      forbid('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided');
    }
    if (match !== 'NotOlderThan') errors.push(notSupported(MATCH, match, ['NotOlderThan']));
    if (options.continue !== '') {
      forbid('resourceVersionMatch is forbidden when continue is provided');
    }
  }
  return errors;
}

/** A watch from "" or "0" that says nothing more begins with the state, as it always did. Filled
 * in before anything is validated: such a watch has nothing to continue. */
function withLegacyInitialEvents(
  options: RawListOptions,
  watchListEnabled: boolean,
): RawListOptions {
  const legacy =
    watchListEnabled &&
    options.watch &&
    (options.resourceVersion === '' || options.resourceVersion === '0') &&
    options.sendInitialEvents === undefined &&
    options.resourceVersionMatch === '';
  if (!legacy) return options;
  return { ...options, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
}

function readVersion(text: string): RequestedVersion | StatusError {
  const version = parseRequestedVersion(text);
  if (version !== undefined) return version;
  return newBadRequest(`invalid resource version: ${explainBadResourceVersion(text)}`);
}
