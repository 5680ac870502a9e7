/**
 * The configuration of EventRateLimit: `Configuration` of
 * eventratelimit.admission.<domain>/v1alpha1.
 *
 *     limits:
 *       - type: Namespace        Server, Namespace, User, SourceAndObject
 *         qps: 50                events per second
 *         burst: 100             at once
 *         cacheSize: 2000        namespaces, users or objects that have their own bucket
 *
 * Invariant: it is read strictly, and all problems are reported together.
 */
import { oneOf, fieldPath, unknownFields } from '../../apimachinery/configuration-document.ts';
import { items, text } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';

const limitTypes = ['Server', 'Namespace', 'User', 'SourceAndObject'] as const;

export interface EventRate {
  readonly type: (typeof limitTypes)[number];
  readonly qps: number;
  readonly burst: number;
  readonly cacheSize: number;
}

/** Callers, namespaces or both that a limit remembers, where its configuration does not say; and
 * the most that it may say. */
const cacheSizeByDefault = 4096;
const cacheSizeMax = 1_000_000;

/** `group`: eventratelimit.admission.<domain>. */
export function readEventRates(
  document: JsonObject | undefined,
  group: string,
  problems: string[],
): readonly EventRate[] {
  if (document === undefined) {
    problems.push('a configuration is required: which limits are to hold');
    return [];
  }
  if (text(document, 'apiVersion') !== `${group}/v1alpha1`) {
    problems.push(`apiVersion: ${group}/v1alpha1 expected`);
  }
  if (document['kind'] !== 'Configuration') problems.push('kind: Configuration expected');
  unknownFields(document, ['apiVersion', 'kind', 'limits'], '', problems);
  const limits = items(document, 'limits');
  if (limits.length === 0) problems.push('limits: must not be empty');
  return limits.map((limit, at) => readRate(limit, `limits[${at}]`, problems));
}

function readRate(limit: unknown, path: string, problems: string[]): EventRate {
  const object = isJsonObject(limit as JsonObject) ? (limit as JsonObject) : {};
  if (!isJsonObject(limit as JsonObject)) problems.push(`${path}: an object expected`);
  unknownFields(object, ['type', 'qps', 'burst', 'cacheSize'], path, problems);
  const count = (field: string, least: number, byDefault?: number): number => {
    const value = object[field] ?? byDefault;
    const isCount = typeof value === 'number' && Number.isSafeInteger(value);
    if (isCount && value >= least && value < 2 ** 31) return value;
    problems.push(`${fieldPath(path, field)}: an integer of at least ${least} expected`);
    return 1;
  };
  const size = count('cacheSize', 0, cacheSizeByDefault);
  if (size > cacheSizeMax) problems.push(`${path}.cacheSize: must be at most ${cacheSizeMax}`);
  return {
    type: oneOf(object, 'type', limitTypes, path, problems, 'expected'),
    qps: count('qps', 1),
    burst: count('burst', 1),
    cacheSize: size === 0 ? cacheSizeByDefault : size,
  };
}
