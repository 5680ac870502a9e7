/**
 * How much of a strategic merge is done: members and items that it has walked over.
 *
 * A patch may name one item of a list again and again, and each time the item, with its lists and
 * maps, is walked over as it has become by then. So a body of 25,000 values could ask for millions.
 *
 * Bounds: `patchLimits.walkedValuesMax` in one patch. Policy: the patch is refused.
 */
import { patchLimits } from './patch-result.ts';
import { StrategicRefusal } from './strategic-directives.ts';

/** Members and items between two steps. */
const stepValues = 2000;

export interface Walk {
  /** Before so many are walked over. True: a step ends here. Throws a StrategicRefusal. */
  over(count: number): boolean;
}

export function newWalk(): Walk {
  let walked = 0;
  let stepEnd = stepValues;
  return {
    over(count) {
      walked += count;
      if (walked > patchLimits.walkedValuesMax) {
        const most = `${patchLimits.walkedValuesMax} members and items`;
        throw new StrategicRefusal('too-large', `the patch merges more than ${most}`);
      }
      if (walked < stepEnd) return false;
      stepEnd = walked + stepValues;
      return true;
    },
  };
}
