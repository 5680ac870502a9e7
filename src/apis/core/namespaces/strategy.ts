/**
 * Namespaces: the fields that the server itself sets, and which ones cannot be deleted.
 *
 * A controller empties a namespace. That a namespace takes new objects is tested in the transaction
 * that writes them.
 *
 * Invariants: every namespace carries its name as a label, whatever a client sends; spec.finalizers
 * holds the identity's own finalizer from creation until the content is gone, and only a write to
 * namespaces/finalize can change it; status.phase agrees with deletionTimestamp. Spec 1, sections 1
 * and 3.1.
 */
import type { FieldError } from '../../../apimachinery/field-error.ts';
import { invalid } from '../../../apimachinery/field-error.ts';
import type { Identity } from '../../../apimachinery/identity.ts';
import { identityNames, identityOf } from '../../../apimachinery/identity.ts';
import { part, texts } from '../../../apimachinery/members.ts';
import type { StatusError } from '../../../apimachinery/status-error.ts';
import { newForbidden } from '../../../apimachinery/status-error.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../../apimachinery/unstructured.ts';
import { checkQualifiedName } from '../../../apimachinery/validation/names.ts';
import type { KindStrategy, SubresourceRules } from '../../../registry/strategy.ts';

const namespaces = { group: '', resource: 'namespaces' };

/** What replaces functions of the generic strategy. */
export function namespaceStrategy(identity: Identity): Partial<KindStrategy> {
  return {
    prepareForCreate: (object) => prepareNamespaceForCreate(object, identity),
    prepareForUpdate: (next, current) => prepareNamespaceForUpdate(next, current, identity),
    prepareForStatusUpdate: (next) => withNameLabel(withDefaultPhase(next), identity),
    validateCreated: (object) => finalizerErrors(object, () => 'spec.finalizers'),
    validateUpdate: validatePhase,
    validateStatusUpdate: validatePhase,
    forbidDeletion: (name) => forbidNamespaceDeletion(name, identity),
    deletesWhatWasFound: true,
    holdsDeletion: (object) => specFinalizers(object).length > 0,
    markDeletion: (object) => withPhase(withoutGrace(object), 'Terminating'),
  };
}

/** finalize: takes finalizers of the namespace away. */
export const finalizeRules: SubresourceRules = {
  prepare: prepareFinalize,
  validate: (next) => finalizerErrors(next, (at) => `spec.finalizers[${at}]`),
};

function prepareNamespaceForCreate(object: ApiObject, identity: Identity): ApiObject {
  const own = identity.finalizers.namespace;
  const finalizers = specFinalizers(object);
  return {
    ...withNameLabel(object, identity),
    spec: { ...part(object, 'spec'), finalizers: [...new Set([...finalizers, own])] },
    status: { phase: 'Active' },
  };
}

/** Labels and annotations are the client's; the finalizers and the status are not. */
function prepareNamespaceForUpdate(
  next: ApiObject,
  current: ApiObject,
  identity: Identity,
): ApiObject {
  const status = current['status'];
  return {
    ...withNameLabel(next, identity),
    spec: withFinalizers(part(next, 'spec'), specFinalizers(current)),
    ...(status === undefined ? {} : { status }),
  };
}

/** Written by whoever has done what its finalizer waited for: spec.finalizers, and the metadata
 * that is the client's. */
function prepareFinalize(next: ApiObject, current: ApiObject): ApiObject {
  const spec = withFinalizers(part(current, 'spec'), specFinalizers(next));
  return { ...current, metadata: next.metadata, spec };
}

/** An empty list is no member. */
function withFinalizers(spec: JsonObject, finalizers: readonly string[]): JsonObject {
  const { finalizers: _replaced, ...others } = spec;
  return finalizers.length === 0 ? others : { ...others, finalizers: [...finalizers] };
}

/** Names without a domain are those that the service gives a meaning. */
const standardFinalizers: ReadonlySet<string> = new Set([
  ...identityNames.map((name) => identityOf(name).finalizers.namespace),
  'orphan',
  'foregroundDeletion',
]);

function finalizerErrors(next: ApiObject, field: (at: number) => string): readonly FieldError[] {
  return specFinalizers(next).flatMap((name, at) => {
    const problems = [...checkQualifiedName(name)];
    if (problems.length === 0 && !name.includes('/') && !standardFinalizers.has(name)) {
      problems.push('name is neither a standard finalizer name nor is it fully qualified');
    }
    return problems.map((problem) => invalid(field(at), name, problem));
  });
}

function forbidNamespaceDeletion(name: string, identity: Identity): StatusError | undefined {
  const { default: byDefault, system, public: shared } = identity.namespaces;
  if (name !== byDefault && name !== system && name !== shared) return undefined;
  return newForbidden(namespaces, name, 'this namespace may not be deleted');
}

function withDefaultPhase(object: ApiObject): ApiObject {
  return phaseOf(object) === '' ? withPhase(object, 'Active') : object;
}

/** Only a delete makes a namespace terminating, and nothing takes that back. */
function validatePhase(next: ApiObject): readonly FieldError[] {
  const live = next.metadata.deletionTimestamp === undefined;
  const phase = phaseOf(next);
  if (phase === (live ? 'Active' : 'Terminating')) return [];
  const why = live
    ? "may only be 'Active' if `deletionTimestamp` is empty"
    : "may only be 'Terminating' if `deletionTimestamp` is not empty";
  // As clients know it, with the capital letter.
  return [invalid('status.Phase', phase, why)];
}

/** Its content is waited for, not a time. */
function withoutGrace(object: ApiObject): ApiObject {
  const { deletionGracePeriodSeconds: _none, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function phaseOf(object: ApiObject): JsonValue {
  return part(object, 'status')['phase'] ?? '';
}

function withPhase(object: ApiObject, phase: string): ApiObject {
  return { ...object, status: { ...part(object, 'status'), phase } };
}

/** The same object where the label is right. */
export function withNameLabel(object: ApiObject, identity: Identity): ApiObject {
  const { name, labels } = object.metadata;
  if (name === undefined || labels?.[identity.labels.metadataName] === name) return object;
  const forced = { ...labels, [identity.labels.metadataName]: name };
  return { ...object, metadata: { ...object.metadata, labels: forced } };
}

function specFinalizers(object: ApiObject): readonly string[] {
  return texts(part(object, 'spec'), 'finalizers');
}
