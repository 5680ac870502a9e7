/**
 * LimitRanger: applies the LimitRanges of a namespace to its pods and claims.
 *
 *     containers without amounts               get default amounts; an annotation lists them
 *     a pod, container or claim off limits     403
 *
 * The validation of LimitRanges is in apis/core/quotas.
 *
 * Invariants: objects that are being deleted are not checked. The amounts of a pod change only when
 * it is created or resized, so no other update is checked. If the limits of a namespace cannot be
 * read, its pods and claims are refused.
 * Bounds: namespace-limits.ts, pod-limits.ts.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { part } from '../../apimachinery/members.ts';
import { quote } from '../../apimachinery/quote.ts';
import { after } from '../../stdx/awaitable.ts';
import type { Awaitable } from '../../stdx/awaitable.ts';
import type { Turns } from '../../stdx/turns.ts';
import type { AdmissionObjects, AdmissionPlugin, Refusal, Review } from '../admission.ts';
import { inTurns, isLargePod } from '../in-turns.ts';
import { unreadable } from '../readiness.ts';
import { limitsMax, readLimits } from './namespace-limits.ts';
import { claimProblem, podProblem, withUsualAmounts } from './pod-limits.ts';

const ranges = { group: '', resource: 'limitranges' } as const;

export function limitRanger(
  { labelDomain }: Identity,
  known: AdmissionObjects,
  turns: Pick<Turns, 'run'>,
): AdmissionPlugin {
  const annotation = `${labelDomain}/limit-ranger`;
  const limitsIn = known.summaries(ranges, readLimits);
  const lostIn = known.lost(ranges);
  const unread = (namespace: string): string | undefined => {
    const name = lostIn(namespace);
    return name && unreadable(`limitranges ${quote(name)}`);
  };
  return {
    name: 'LimitRanger',
    resources: ['/pods', '/pods/resize', '/persistentvolumeclaims'],
    concerns: (_user, { operations, resource, subresource }) =>
      operations.includes('CREATE') ||
      (operations.includes('UPDATE') && (resource.resource !== 'pods' || subresource !== '')),
    current: () => known.current(),
    admits: ['CREATE', 'UPDATE'],
    admit(review) {
      const { namespace, next, resource } = review;
      if (resource.resource !== 'pods' || !isLimited(review)) return next;
      const lost = unread(namespace);
      if (lost !== undefined) return lost;
      return after(limitsIn(namespace), (limits) => {
        if (limits === 'too many') return tooMany(namespace);
        const spec = part(next, 'spec');
        const work = withUsualAmounts(spec, limits.usual);
        return after(inTurns(turns, isLargePod(spec), work), (completed) => {
          if (completed === undefined) return next;
          if (completed === 'too many') return tooMuch(namespace);
          const { metadata } = next;
          const annotations = { ...metadata.annotations, [annotation]: completed.text };
          return { ...next, metadata: { ...metadata, annotations }, spec: completed.spec };
        });
      });
    },
    validate(review) {
      const { namespace, next, resource } = review;
      if (next === undefined || !isLimited(review)) return undefined;
      const lost = unread(namespace);
      if (lost !== undefined) return lost;
      return after(limitsIn(namespace), (limits): Awaitable<Refusal> => {
        if (limits === 'too many') return tooMany(namespace);
        if (limits.ranges.length === 0) return undefined;
        if (resource.resource !== 'pods') return claimProblem(next, limits);
        const spec = part(next, 'spec');
        const isLarge = isLargePod(spec) || limits.ranges.length > rangesAtOnce;
        return inTurns(turns, isLarge, podProblem(spec, limits));
      });
    },
  };
}

/** Limit ranges that are looked at in one turn. */
const rangesAtOnce = 100;

/** An update of a pod is limited where it resizes it, and what is being deleted never is. */
function isLimited({ current, operation, resource, subresource }: Review): boolean {
  if (current?.metadata.deletionTimestamp !== undefined) return false;
  return operation === 'CREATE' || resource.resource !== 'pods' || subresource !== '';
}

function tooMany(namespace: string): string {
  return `the limit ranges of namespace ${quote(namespace)} have more than ${limitsMax} limits`;
}

function tooMuch(namespace: string): string {
  const ranges = `the limit ranges of namespace ${quote(namespace)}`;
  return `${ranges} would set more amounts than a pod may have`;
}
