/**
 * The conditions in the status of a terminating namespace (spec 1, section 3.1).
 *
 * Five conditions, always all of them, in this order: false, with the reason that nothing is amiss,
 * or true with what is. Reasons and messages are those that clients show.
 *
 * Invariant: a condition's lastTransitionTime changes only with its status; conditions that say the
 * same leave the object as it is, so that nothing is written.
 */
import { objects, part } from '../apimachinery/members.ts';
import { formatGroupResource } from '../apimachinery/schema.ts';
import type { GroupResource } from '../apimachinery/schema.ts';
import { formatRfc3339 } from '../apimachinery/time.ts';
import type { ApiObject, JsonObject } from '../apimachinery/unstructured.ts';

/** What a pass over the namespace left behind. */
export interface RemainingContent {
  /** Versions of other servers whose resources are not known, each in words. */
  readonly undiscovered: readonly string[];
  readonly failures: readonly string[];
  readonly resources: readonly { readonly resource: GroupResource; readonly count: number }[];
  /** Finalizer -> objects that it holds. */
  readonly finalizers: ReadonlyMap<string, number>;
}

interface Finding {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** What a condition's message names. Policy: of further ones it says how many, or nothing. */
const failuresShownMax = 10;
const textsShownMax = 100;

/** The namespace with its status as `content` makes it; itself when it says that already. */
export function withContentConditions(
  namespace: ApiObject,
  content: RemainingContent,
  nowMs: number,
): ApiObject {
  const status = part(namespace, 'status');
  const before = objects(status, 'conditions');
  const findings = findingsOf(content);
  const others = before.filter(({ type }) => !findings.some((each) => each.type === type));
  const conditions = findings.map((finding) => condition(finding, before, nowMs));
  if (status['phase'] === 'Terminating' && conditions.every((each) => before.includes(each))) {
    return namespace;
  }
  const next = { ...status, phase: 'Terminating', conditions: [...conditions, ...others] };
  return { ...namespace, status: next };
}

function condition(finding: Finding, conditions: readonly JsonObject[], nowMs: number): JsonObject {
  const before = conditions.find(({ type }) => type === finding.type);
  if (before === undefined || before['status'] !== finding.status) {
    return { lastTransitionTime: formatRfc3339(nowMs), ...finding };
  }
  const same = before['reason'] === finding.reason && before['message'] === finding.message;
  return same ? before : { ...before, ...finding };
}

function findingsOf(content: RemainingContent): readonly Finding[] {
  const { failures, finalizers, resources } = content;
  return [
    discoveryFinding(content),
    fine(
      'NamespaceDeletionGroupVersionParsingFailure',
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ),
    failures.length === 0
      ? fine(
          'NamespaceDeletionContentFailure',
          'ContentDeleted',
          'All content successfully deleted, may be waiting on finalization',
        )
      : amiss(
          'NamespaceDeletionContentFailure',
          'ContentDeletionFailed',
          `Failed to delete all resource types, ${failures.length} remaining: ` +
            failures.slice(0, failuresShownMax).join(', '),
        ),
    resources.length === 0
      ? fine('NamespaceContentRemaining', 'ContentRemoved', 'All content successfully removed')
      : amiss(
          'NamespaceContentRemaining',
          'SomeResourcesRemain',
          `Some resources are remaining: ${shown(resources.map(countText))}`,
        ),
    finalizers.size === 0
      ? fine(
          'NamespaceFinalizersRemaining',
          'ContentHasNoFinalizers',
          'All content-preserving finalizers finished',
        )
      : amiss(
          'NamespaceFinalizersRemaining',
          'SomeFinalizersRemain',
          `Some content in the namespace has finalizers remaining: ${finalizersText(finalizers)}`,
        ),
  ];
}

function discoveryFinding({ undiscovered }: RemainingContent): Finding {
  const type = 'NamespaceDeletionDiscoveryFailure';
  if (undiscovered.length === 0) {
    return fine(type, 'ResourcesDiscovered', 'All resources successfully discovered');
  }
  const why = `unable to retrieve the complete list of server APIs: ${shown(undiscovered)}`;
  const message = `Discovery failed for some groups, ${undiscovered.length} failing: ${why}`;
  return amiss(type, 'DiscoveryFailed', message);
}

function countText({ resource, count }: RemainingContent['resources'][number]): string {
  // The dot stands there also for the group without a name.
  const name = resource.group === '' ? `${resource.resource}.` : formatGroupResource(resource);
  return `${name} has ${count} resource instances`;
}

function finalizersText(finalizers: ReadonlyMap<string, number>): string {
  const texts = [...finalizers].map(([name, count]) => `${name} in ${count} resource instances`);
  return shown(texts);
}

/** In order, up to a bound: every line of a namespace's table would carry the rest. */
function shown(texts: readonly string[]): string {
  const sorted = [...texts].sort();
  const more = sorted.length - textsShownMax;
  const some = sorted.slice(0, textsShownMax).join(', ');
  return more > 0 ? `${some}, and ${more} more` : some;
}

function fine(type: string, reason: string, message: string): Finding {
  return { type, status: 'False', reason, message };
}

function amiss(type: string, reason: string, message: string): Finding {
  return { type, status: 'True', reason, message };
}
