/**
 * pods/resize: processor time and memory of a running pod's containers (spec 1, section 1.3).
 *
 * The node resizes, and reports it in the status.
 *
 * Invariants: a write here changes cpu and memory of containers that exist, and nothing else: what
 * it says of other fields is not looked at, another policy or resource is refused. The pod keeps
 * its QoS class.
 */
import { forbidden, invalid } from '../../../apimachinery/field-error.ts';
import type { FieldError } from '../../../apimachinery/field-error.ts';
import { part } from '../../../apimachinery/members.ts';
import {
  canonicalQuantity,
  compareQuantities,
  parseQuantity,
} from '../../../apimachinery/quantity.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../../apimachinery/unstructured.ts';
import { objectsAt, specOf } from './pod-parts.ts';
import { qosClassOf } from './qos-class.ts';
import type { SubresourceRules } from '../../../registry/strategy.ts';
import { deepEqual } from '../../../stdx/deep-equal.ts';
import { ownMember } from '../../../stdx/lookup.ts';

const resizable: ReadonlySet<string> = new Set(['cpu', 'memory']);

const onlyResources = 'only cpu and memory resources are mutable';

export function resizeRules(staticAnnotation: string): SubresourceRules {
  return {
    prepare(next, current) {
      const spec = { ...specOf(current) };
      for (const list of ['containers', 'initContainers'] as const) {
        if (spec[list] !== undefined) spec[list] = resized(next, current, list);
      }
      return { ...current, spec };
    },
    validate(next, current) {
      if (current.metadata.annotations?.[staticAnnotation] !== undefined) {
        return [forbidden('', 'static pods cannot be resized')];
      }
      if (part(specOf(current), 'os')['name'] === 'windows') {
        return [forbidden('[]', 'windows pods cannot be resized')];
      }
      const errors = [
        ...listErrors(next, current, 'containers'),
        ...listErrors(next, current, 'initContainers'),
      ];
      const before = qosClassOf(current);
      if (qosClassOf(next) !== before) {
        const why = 'Pod QOS Class may not change as a result of resizing';
        errors.push(invalid('spec', before, why));
      }
      return errors;
    },
  };
}

type ContainerList = 'containers' | 'initContainers';

/** The current containers with the wanted resources. Other containers than those there are, or in
 * another order, are left in the result: validation says so. */
function resized(next: ApiObject, current: ApiObject, list: ContainerList): readonly JsonObject[] {
  const wanted = objectsAt(next, list);
  const old = objectsAt(current, list);
  if (!sameNames(wanted, old)) return wanted;
  return old.map((container, index) => {
    const { resources: _r, resizePolicy: _p, ...rest } = container;
    const { resources, resizePolicy } = wanted[index] ?? {};
    return {
      ...rest,
      ...(resources === undefined ? {} : { resources }),
      ...(resizePolicy === undefined ? {} : { resizePolicy }),
    };
  });
}

function sameNames(a: readonly JsonObject[], b: readonly JsonObject[]): boolean {
  return a.length === b.length && a.every(({ name }, index) => name === b[index]?.['name']);
}

function listErrors(
  next: ApiObject,
  current: ApiObject,
  list: ContainerList,
): readonly FieldError[] {
  const wanted = objectsAt(next, list);
  const old = objectsAt(current, list);
  if (!sameNames(wanted, old)) {
    return [forbidden(`spec.${list}`, 'containers may not be added, removed or renamed')];
  }
  return wanted.flatMap((container, index) => {
    const was = old[index] ?? {};
    const at = `spec.${list}[${index}].resources`;
    const sidecar = list === 'containers' || was['restartPolicy'] === 'Always';
    const same = sidecar ? isSameBeside(container, was) : isSame(container, was);
    const others = same ? [] : [forbidden('spec', onlyResources)];
    if (!sidecar) return others;
    return [...sides.flatMap((side) => amountErrors(container, was, side, at)), ...others];
  });
}

const sides = ['requests', 'limits'] as const;

function isSame(a: JsonObject, b: JsonObject): boolean {
  return (
    deepEqual(a['resizePolicy'] ?? [], b['resizePolicy'] ?? []) &&
    deepEqual(a['resources'] ?? {}, b['resources'] ?? {})
  );
}

/** But for cpu and memory. */
function isSameBeside(a: JsonObject, b: JsonObject): boolean {
  return isSame(withoutResizable(a), withoutResizable(b));
}

/** With amounts as their canonical text. */
function withoutResizable(container: JsonObject): JsonObject {
  const { limits: _l, requests: _r, ...others } = part(container, 'resources');
  const amounts = sides.flatMap((side) =>
    Object.entries(part(part(container, 'resources'), side))
      .filter(([name]) => !resizable.has(name))
      .map(([name, amount]) => [`${side} ${name}`, canonicalQuantity(String(amount))] as const),
  );
  return { ...container, resources: { ...others, ...Object.fromEntries(amounts) } };
}

function amountErrors(
  next: JsonObject,
  current: JsonObject,
  side: 'requests' | 'limits',
  at: string,
): readonly FieldError[] {
  const wanted = part(part(next, 'resources'), side);
  const was = part(part(current, 'resources'), side);
  const errors: FieldError[] = [];
  for (const name of new Set([...Object.keys(wanted), ...Object.keys(was)])) {
    const field = `${at}.${side}`;
    const [value, old] = [ownMember(wanted, name), ownMember(was, name)];
    if (!resizable.has(name)) continue;
    if (value === undefined) {
      errors.push(forbidden(field, `resource ${side} cannot be removed`));
    } else if (side === 'limits' && name === 'memory' && compareAmounts(value, old) < 0) {
      if (!restartsFor(next, name)) errors.push(forbidden(field, memoryShrinks));
    }
  }
  return errors;
}

const memoryShrinks = 'memory limits cannot be decreased unless resizePolicy is RestartContainer';

function restartsFor(container: JsonObject, resourceName: string): boolean {
  const policies = container['resizePolicy'];
  if (!Array.isArray(policies)) return false;
  return (policies as readonly JsonObject[]).some(
    (each) => each.resourceName === resourceName && each.restartPolicy === 'RestartContainer',
  );
}

/** Below, at or above 0; NaN, which is none of them, when only one is an amount. */
function compareAmounts(a: JsonValue | undefined, b: JsonValue | undefined): number {
  if (a === b) return 0;
  const [first, second] = [parseQuantity(String(a)), parseQuantity(String(b))];
  return first === undefined || second === undefined ? NaN : compareQuantities(first, second);
}
