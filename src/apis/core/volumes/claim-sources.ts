/**
 * What a claim's volume holds from the beginning. `dataSource` is the older field, which names
 * claims and snapshots; `dataSourceRef` names anything. Both are kept, and say the same.
 *
 *     written                            stored
 *     dataSource: a claim, a snapshot    both
 *     dataSource: anything else          neither: older servers ignored it
 *     dataSourceRef                      both
 *     dataSourceRef in a namespace       neither: that feature is off
 *
 * A claim that has had a source is not touched, but for the field that is left out.
 *
 * Invariants: pure; contradictory input is left for the rules to refuse (claim-rules.ts).
 */
import type { Identity } from '../../../apimachinery/identity.ts';
import { part, text } from '../../../apimachinery/members.ts';
import { without } from '../../../apimachinery/unstructured.ts';
import type { ApiObject, JsonObject } from '../../../apimachinery/unstructured.ts';
import type { KindStrategy } from '../../../registry/strategy.ts';

const [older, newer] = ['dataSource', 'dataSourceRef'] as const;

function has(spec: JsonObject, field: string): boolean {
  return spec[field] !== undefined;
}

/** The field that is left out says what the other one does. */
export function withBothSources(spec: JsonObject): JsonObject {
  if (has(spec, older) === has(spec, newer)) return spec;
  const source = spec[older] ?? spec[newer];
  const isElsewhere = text(part(spec, newer), 'namespace') !== '';
  return isElsewhere ? spec : { ...spec, [older]: source, [newer]: source };
}

function isOldSort(source: JsonObject, snapshots: string): boolean {
  const [group, kind] = [text(source, 'apiGroup'), text(source, 'kind')];
  if (group === '') return kind === 'PersistentVolumeClaim';
  return group === snapshots && kind === 'VolumeSnapshot';
}

/** `snapshots`: the group of snapshots. */
function takenSources(spec: JsonObject, before: JsonObject, snapshots: string): JsonObject {
  const foreign = text(part(spec, newer), 'namespace') !== '' && !has(before, newer);
  const taken = foreign ? without(spec, newer) : spec;
  if (has(before, older) || has(before, newer) || has(taken, newer)) return taken;
  const isIgnored = has(taken, older) && !isOldSort(part(taken, older), snapshots);
  return isIgnored ? without(taken, older) : taken;
}

function withSources(claim: ApiObject, before: JsonObject, snapshots: string): ApiObject {
  const spec = part(claim, 'spec');
  const made = withBothSources(takenSources(spec, before, snapshots));
  return made === spec ? claim : { ...claim, spec: made };
}

/** The controller that binds volumes finds waiting claims. */
export function claimStrategy(generic: KindStrategy, { fill }: Identity): Partial<KindStrategy> {
  const snapshots = fill('snapshot.storage.{domain}');
  return {
    prepareForCreate: (claim) =>
      withSources({ ...claim, status: { phase: 'Pending' } }, {}, snapshots),
    prepareForUpdate: (next, current, nowMs) => {
      const prepared = generic.prepareForUpdate(next, current, nowMs);
      return withSources(prepared, part(current, 'spec'), snapshots);
    },
  };
}
