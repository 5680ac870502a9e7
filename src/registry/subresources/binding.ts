/**
 * binding: a scheduler puts a pod on a node (spec 1, section 1.3).
 *
 * What it is not: a stored object. A Binding names the pod, the node, and annotations that go onto
 * the pod; a uid or resourceVersion in it is a condition.
 *
 * Invariants: a pod is bound once; one that is being deleted, or that waits for its scheduling
 * gates, is not. Of two schedulers one wins: the pod's actor decides.
 */
import { notSupported, required } from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import { quote } from '../../apimachinery/quote.ts';
import { newConflict, newInvalid } from '../../apimachinery/status-error.ts';
import type { ApiObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { CurrentObject } from '../../../actors/actors.ts';
import type { WriteOptions } from '../create.ts';
import { executeChange } from '../execute-change.ts';
import { preconditionConflict, preconditionsOf } from '../preconditions.ts';
import type { ObjectTarget, RegistryDeps, Result } from '../registry.ts';
import { refused } from '../registry.ts';
import type { WriteResult } from '../registry.ts';
import { trackedUpdate, writerOf } from '../update.ts';
import type { Production } from '../update.ts';
import type { DecisionScope, WriteInput } from '../write-command.ts';
import { withPodCondition } from './pod-condition.ts';

/** `target` is the pod, `binding` has been decoded. */
export async function bindPod(
  deps: RegistryDeps,
  target: ObjectTarget,
  binding: ApiObject,
  options: WriteOptions,
): Promise<Result<WriteResult>> {
  const errors = bindingErrors(binding);
  if (errors.length > 0) {
    return refused(newInvalid({ group: '', kind: 'Binding' }, target.name, errors));
  }
  const body = { verb: 'bind', object: binding } as const;
  return executeChange(deps, target, { body, options, subresource: 'binding', mayCreate: false });
}

export function decideBinding(
  scope: DecisionScope,
  target: ObjectTarget,
  binding: ApiObject,
  input: WriteInput,
  current: CurrentObject,
): Production {
  const conflict = preconditionConflict(preconditionsOf(binding), current, target);
  if (conflict !== undefined) return refused(conflict);
  const why = whyNot(current.object, target.name);
  if (why !== undefined) {
    return refused(newConflict({ group: '', resource: 'pods/binding' }, target.name, why));
  }
  const next = bound(current.object, binding, scope.nowMs);
  return trackedUpdate(scope, target, next, writerOf(input), current);
}

function bindingErrors(binding: ApiObject): readonly FieldError[] {
  const target = isJsonObject(binding['target']) ? binding['target'] : {};
  const { kind = '', name = '' } = target;
  const errors: FieldError[] = [];
  if (kind !== '' && kind !== 'Node') {
    errors.push(notSupported('target.kind', kind, ['Node', '<empty>']));
  }
  if (name === '') errors.push(required('target.name'));
  return errors;
}

function whyNot(pod: ApiObject, name: string): string | undefined {
  const spec = isJsonObject(pod['spec']) ? pod['spec'] : {};
  if (pod.metadata.deletionTimestamp !== undefined) {
    return `pod ${name} is being deleted, cannot be assigned to a host`;
  }
  const node = spec['nodeName'];
  if (typeof node === 'string' && node !== '') {
    return `pod ${name} is already assigned to node ${quote(node)}`;
  }
  const gates = spec['schedulingGates'];
  if (Array.isArray(gates) && gates.length > 0) {
    return `pod ${name} has non-empty .spec.schedulingGates`;
  }
  return undefined;
}

function bound(pod: ApiObject, binding: ApiObject, nowMs: number): ApiObject {
  const target = isJsonObject(binding['target']) ? binding['target'] : {};
  const nodeName: JsonValue = target['name'] ?? '';
  const spec = isJsonObject(pod['spec']) ? pod['spec'] : {};
  const { annotations } = binding.metadata;
  const metadata =
    annotations === undefined
      ? pod.metadata
      : { ...pod.metadata, annotations: { ...pod.metadata.annotations, ...annotations } };
  const next = { ...pod, metadata, spec: { ...spec, nodeName } };
  return withPodCondition(next, { type: 'PodScheduled', status: 'True' }, nowMs);
}
