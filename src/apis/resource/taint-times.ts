/** When taints were put on devices: who does not say it means now. */
import { formatRfc3339 } from '../../apimachinery/time.ts';
import { withMember } from '../../apimachinery/unstructured.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { eachOf, inside } from '../conversion/fields.ts';
import type { KindStrategy } from '../../registry/strategy.ts';

type Timed = Pick<KindStrategy, 'prepareForCreate' | 'prepareForUpdate'>;

/** Creation is when the object says that it was made. */
function atTimes(
  generic: KindStrategy,
  fill: (object: JsonObject, now: string) => JsonObject,
): Timed {
  return {
    prepareForCreate: (object, user) => {
      const made = generic.prepareForCreate(object, user);
      const { creationTimestamp } = made.metadata;
      if (typeof creationTimestamp !== 'string') return made;
      return fill(made, creationTimestamp) as ApiObject;
    },
    prepareForUpdate: (next, current, nowMs) =>
      fill(generic.prepareForUpdate(next, current, nowMs), formatRfc3339(nowMs)) as ApiObject,
  };
}

const timed = (taint: JsonObject, now: string): JsonObject =>
  taint['timeAdded'] === undefined ? withMember(taint, 'timeAdded', now) : taint;

/** Devices hold their taints beside their name, or under `basic` in older versions. */
export const timedDevices = (generic: KindStrategy): Timed =>
  atTimes(generic, (slice, now) => {
    const taints = (holder: JsonObject): JsonObject =>
      eachOf(holder, 'taints', (taint) => timed(taint, now));
    return inside(slice, ['spec'], (spec) =>
      eachOf(spec, 'devices', (device) => inside(taints(device), ['basic'], taints)),
    );
  });

export const timedTaint = (generic: KindStrategy): Timed =>
  atTimes(generic, (rule, now) => inside(rule, ['spec', 'taint'], (taint) => timed(taint, now)));
