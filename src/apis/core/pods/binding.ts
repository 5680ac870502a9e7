/**
 * binding: a scheduler puts a pod on a node (spec 1, section 1.3).
 *
 * A Binding names the pod, the node, and annotations that go onto the pod, with the feature gate
 * PodTopologyLabelsAdmission labels, too; a uid or resourceVersion in it is a condition.
 *
 * Invariants: a pod is bound once; one that is being deleted, or that waits for its scheduling
 * gates, is not. Of two schedulers one wins: the pod's actor decides.
 */
import { notSupported, required } from '../../../apimachinery/field-error.ts';
import type { FieldError } from '../../../apimachinery/field-error.ts';
import { quote } from '../../../apimachinery/quote.ts';
import { newConflict, newInvalid } from '../../../apimachinery/status-error.ts';
import type { ApiObject, JsonValue } from '../../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../../apimachinery/unstructured.ts';
import type { WriteOptions } from '../../../registry/create.ts';
import { executeChange } from '../../../registry/execute-change.ts';
import { preconditionConflict, preconditionsOf } from '../../../registry/preconditions.ts';
import type { ObjectTarget, RegistryDeps, Result } from '../../../registry/registry.ts';
import { refused } from '../../../registry/registry.ts';
import type { WriteResult } from '../../../registry/registry.ts';
import { unownedUpdate } from '../../../registry/update.ts';
import { operationObject } from '../../../registry/write-command.ts';
import type { DecideOperation } from '../../../registry/write-command.ts';
import { assert } from '../../../stdx/assert.ts';
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
  const object = deps.isFeatureOn?.('PodTopologyLabelsAdmission') ? binding : unlabelled(binding);
  const body = { verb: 'operation', operation: 'pods/binding', object } as const;
  return executeChange(deps, target, { body, options, subresource: 'binding', mayCreate: false });
}

/** Where labels of a binding mean nothing. */
function unlabelled(binding: ApiObject): ApiObject {
  const { labels: _labels, ...metadata } = binding.metadata;
  return { ...binding, metadata };
}

export const decideBinding: DecideOperation = (scope, target, body, _input, current) => {
  const binding = operationObject(body);
  const conflict = preconditionConflict(preconditionsOf(binding), current, target);
  if (conflict !== undefined) return refused(conflict);
  const why = whyNot(current.object, target.name);
  if (why !== undefined) {
    return refused(newConflict({ group: '', resource: 'pods/binding' }, target.name, why));
  }
  const next = withBinding(current.object, binding, scope.nowMs);
  return unownedUpdate(scope, target, next, current);
};

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

function withBinding(pod: ApiObject, binding: ApiObject, nowMs: number): ApiObject {
  const target = isJsonObject(binding['target']) ? binding['target'] : {};
  const nodeName: JsonValue = target['name'] ?? '';
  const spec = isJsonObject(pod['spec']) ? pod['spec'] : {};
  const { annotations, labels } = binding.metadata;
  const metadata = {
    ...pod.metadata,
    ...(annotations && { annotations: { ...pod.metadata.annotations, ...annotations } }),
    ...(labels && { labels: { ...pod.metadata.labels, ...labels } }),
  };
  const next = { ...pod, metadata, spec: { ...spec, nodeName } };
  return withPodCondition(next, { type: 'PodScheduled', status: 'True' }, nowMs);
}

/** The older form: posted to the collection, the body alone names the pod. */
export async function bindNamedPod(
  deps: RegistryDeps,
  { namespace }: ObjectTarget,
  binding: ApiObject,
  options: WriteOptions,
): Promise<Result<WriteResult>> {
  const { name = '' } = binding.metadata;
  if (name === '') {
    const errors = [required('metadata.name')];
    return refused(newInvalid({ group: '', kind: 'Binding' }, '', errors));
  }
  const pods = deps.scheme.findResource('', 'v1', 'pods');
  assert(pods !== undefined, 'pods are served wherever they can be bound');
  return bindPod(deps, { kind: pods, namespace, name }, binding, options);
}
