/** Rules of the requests and limits of a pod as a whole. */
import { forbidden, invalid, notSupported } from '../../../../apimachinery/field-error.ts';
import { objects, part } from '../../../../apimachinery/members.ts';
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
} from '../../../../apimachinery/quantity.ts';
import type { Quantity } from '../../../../apimachinery/quantity.ts';
import type { JsonObject, JsonValue } from '../../../../apimachinery/unstructured.ts';
import { resourceRules } from './resource-requirements.ts';
import type { Problems } from '../../../validation/checks.ts';
import { allErrors, compareAmounts, each, noProblems } from '../../../validation/checks.ts';
import { ownMember } from '../../../../stdx/lookup.ts';

const ofPods = ['cpu', 'memory'];

export function podResourceRules(resources: JsonObject, spec: JsonObject, path: string): Problems {
  return allErrors(
    resources['claims'] === undefined
      ? noProblems
      : [forbidden(`${path}.claims`, 'claims cannot be set for Resources at pod-level')],
    each(['limits', 'requests'], (list) =>
      each(Object.keys(part(resources, list)), (name) =>
        ofPods.includes(name) || name.startsWith('hugepages-')
          ? noProblems
          : [notSupported(`${path}.${list}[${name}]`, name, ofPods)],
      ),
    ),
    resourceRules(resources, path),
    sumRules(part(resources, 'requests'), spec, `${path}.requests`),
    limitRules(part(resources, 'limits'), spec, path),
  );
}

/** Containers do not request more than their pod. */
function sumRules(requests: JsonObject, spec: JsonObject, path: string): Problems {
  return each(Object.keys(requests), (name) => {
    const sum = sumOf(name, spec);
    const most = quantityOf(requests[name]);
    if (sum === undefined || most === undefined || compareQuantities(sum, most) <= 0) {
      return noProblems;
    }
    const shown = formatQuantity(sum);
    const detail = `must be greater than or equal to aggregate container requests of ${shown}`;
    return [invalid(`${path}[${name}]`, requests[name], detail)];
  });
}

function quantityOf(amount: JsonValue | undefined): Quantity | undefined {
  return typeof amount === 'string' ? parseQuantity(amount) : undefined;
}

function sumOf(name: string, spec: JsonObject): Quantity | undefined {
  let sum: Quantity | undefined;
  for (const container of objects(spec, 'containers')) {
    const amount = quantityOf(ownMember(part(part(container, 'resources'), 'requests'), name));
    if (amount !== undefined) sum = sum === undefined ? amount : addQuantities(sum, amount);
  }
  return sum;
}

function limitRules(limits: JsonObject, spec: JsonObject, path: string): Problems {
  return each(objects(spec, 'containers'), (container, at) => {
    const own = part(part(container, 'resources'), 'limits');
    return each(Object.keys(own), (name) => {
      const limit = ownMember(limits, name);
      if ((compareAmounts(own[name], limit) ?? 0) <= 0) return noProblems;
      const detail = `must be less than or equal to pod limits of ${String(limit)}`;
      return [invalid(`${path}.containers[${at}][${name}].limits`, own[name], detail)];
    });
  });
}
