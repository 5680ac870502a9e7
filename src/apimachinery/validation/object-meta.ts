/**
 * Rules of object metadata on create and on update (spec 1, section 2.2).
 *
 * The shape check (`meta-shape.ts`) comes first. It expects that the server's own fields are set
 * and that a generated name is already in `name`.
 *
 * Bounds: annotations together ANNOTATIONS_BYTES_MAX; label keys and values 63 characters and
 * prefixes 253 (`names.ts`); a managedFields subresource SUBRESOURCE_LENGTH_MAX.
 */
import {
  forbidden,
  invalid,
  noErrors,
  notSupported,
  required,
  allErrors,
  tooLong,
} from '../field-error.ts';
import type { FieldError } from '../field-error.ts';
import { text } from '../members.ts';
import { quote } from '../quote.ts';
import { formatGroupVersion, parseGroupVersion } from '../schema.ts';
import { isJsonObject } from '../unstructured.ts';
import type { JsonObject, JsonValue, ObjectMeta, OwnerReference } from '../unstructured.ts';
import { validateFieldManager } from '../write-options.ts';
import { checkLabelValue, checkQualifiedName, dns1123Label } from './names.ts';
import type { NameValidator } from './names.ts';

/** Keys and values of all annotations of one object, in bytes of UTF-8. */
export const ANNOTATIONS_BYTES_MAX = 256 * 1024;
const SUBRESOURCE_LENGTH_MAX = 256;

const IMMUTABLE_FIELD_MESSAGE = 'field is immutable';

export interface FinalizerRules {
  /** A finalizer needs no domain. Of what users define, one without gets a warning
   * (finalizerWarnings). */
  readonly anyFinalizer?: boolean | undefined;
}

export interface ObjectMetaRules extends FinalizerRules {
  readonly namespaced: boolean;
  readonly nameValidator: NameValidator;
}

export function validateObjectMeta(
  meta: ObjectMeta,
  rules: ObjectMetaRules,
): readonly FieldError[] {
  return allErrors(
    validateName(meta, rules.nameValidator),
    validateNamespace(meta.namespace ?? '', rules.namespaced),
    validateCommon(meta),
    validateManagedFields(meta['managedFields']),
    validateFinalizers(meta.finalizers ?? [], rules),
  );
}

/**
 * `next` is what would be stored, `current` what is. Whether a resourceVersion must be given is
 * the kind's affair and not asked here.
 */
export function validateObjectMetaUpdate(
  next: ObjectMeta,
  current: ObjectMeta,
  rules: FinalizerRules = noRules,
): readonly FieldError[] {
  return allErrors(
    validateFinalizersUpdate(next, current, rules),
    validateGenerationUpdate(next, current),
    validateImmutable(next, current),
    validateCommon(next),
    // Those that are there have been validated, and usually they stay.
    next['managedFields'] === current['managedFields']
      ? noErrors
      : validateManagedFields(next['managedFields']),
  );
}

const noRules: FinalizerRules = {};

function validateCommon(meta: ObjectMeta): readonly FieldError[] {
  const { labels, annotations, ownerReferences } = meta;
  return allErrors(
    nonNegative('metadata.generation', meta.generation),
    labels === undefined ? noErrors : validateLabels('metadata.labels', labels),
    annotations === undefined ? noErrors : validateAnnotations('metadata.annotations', annotations),
    ownerReferences === undefined ? noErrors : validateOwnerReferences(ownerReferences),
  );
}

/** Something is missing or too large: rules of the kind are then not asked. */
export function isMetadataIncomplete(meta: ObjectMeta, isNew: boolean): boolean {
  const { annotations, name = '' } = meta;
  return (
    (isNew && name === '') ||
    (annotations !== undefined && bytesOf(annotations) > ANNOTATIONS_BYTES_MAX)
  );
}

function validateName(meta: ObjectMeta, nameValidator: NameValidator): readonly FieldError[] {
  const { name = '', generateName = '' } = meta;
  const ofPrefix =
    generateName === ''
      ? noErrors
      : problems('metadata.generateName', generateName, nameValidator(generateName, true));
  const ofName =
    name === ''
      ? [required('metadata.name', 'name or generateName is required')]
      : problems('metadata.name', name, nameValidator(name, false));
  return allErrors(ofPrefix, ofName);
}

function validateNamespace(namespace: string, namespaced: boolean): readonly FieldError[] {
  const field = 'metadata.namespace';
  if (!namespaced) {
    return namespace === '' ? noErrors : [forbidden(field, 'not allowed on this type')];
  }
  if (namespace === '') return [required(field)];
  return problems(field, namespace, dns1123Label(namespace, false));
}

/** Also of a pod template, a selector, a node selector: anything that is a map of labels. */
export function validateLabels(
  field: string,
  labels: Readonly<Record<string, string>>,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const key of Object.keys(labels)) {
    addProblems(errors, field, key, checkQualifiedName);
    addProblems(errors, field, labels[key] as string, checkLabelValue);
  }
  return errors;
}

/** Keys may be in upper case, unlike those of labels; values may be anything. */
export function validateAnnotations(
  field: string,
  annotations: Readonly<Record<string, string>>,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const key of Object.keys(annotations)) addProblems(errors, field, key, checkAnnotationKey);
  if (bytesOf(annotations) > ANNOTATIONS_BYTES_MAX) {
    errors.push(tooLong(field, ANNOTATIONS_BYTES_MAX));
  }
  return errors;
}

function bytesOf(annotations: Readonly<Record<string, string>>): number {
  let bytes = 0;
  for (const key of Object.keys(annotations)) {
    const value = annotations[key] as string;
    bytes += Buffer.byteLength(key, 'utf8') + Buffer.byteLength(value, 'utf8');
  }
  return bytes;
}

function checkAnnotationKey(key: string): readonly string[] {
  return checkQualifiedName(key.toLowerCase());
}

function validateOwnerReferences(owners: readonly OwnerReference[]): readonly FieldError[] {
  const field = 'metadata.ownerReferences';
  const errors = owners.flatMap((owner) => validateOwner(field, owner));
  const [first, ...others] = owners.filter((owner) => owner.controller === true);
  for (const other of others) {
    const names = `${first?.kind}/${first?.name} and ${other.kind}/${other.name}`;
    const detail =
      'Only one reference can have Controller set to true. ' +
      `Found "true" in references for ${names}`;
    errors.push(invalid(field, owners, detail));
  }
  return errors;
}

function validateOwner(field: string, owner: OwnerReference): readonly FieldError[] {
  const errors: FieldError[] = [];
  const gv = parseGroupVersion(owner.apiVersion);
  if (gv === undefined || gv.version === '') {
    errors.push(invalid(`${field}.apiVersion`, owner.apiVersion, 'version must not be empty'));
  }
  for (const name of ['kind', 'name', 'uid'] as const) {
    if (owner[name] === '') errors.push(invalid(`${field}.${name}`, '', 'must not be empty'));
  }
  // Events come and go in masses; what they own would be collected at random.
  if (gv !== undefined && formatGroupVersion(gv) === 'v1' && owner.kind === 'Event') {
    errors.push(invalid(field, owner, '/v1, Kind=Event is disallowed from being an owner'));
  }
  return errors;
}

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/** Finalizers without a domain that the service itself gives a meaning. */
const STANDARD_FINALIZERS: ReadonlySet<string> = new Set([ORPHAN, FOREGROUND, 'kubernetes']);

function validateFinalizers(
  finalizers: readonly string[],
  { anyFinalizer = false }: FinalizerRules,
): readonly FieldError[] {
  const field = 'metadata.finalizers';
  if (finalizers.length === 0) return noErrors;
  const errors = finalizers.flatMap((name) => problems(field, name, checkQualifiedName(name)));
  if (finalizers.includes(ORPHAN) && finalizers.includes(FOREGROUND)) {
    const detail = `finalizer ${ORPHAN} and ${FOREGROUND} cannot be both set`;
    errors.push(invalid(field, finalizers, detail));
  }
  if (anyFinalizer) return errors;
  finalizers.forEach((name, i) => {
    if (hasDomain(name)) return;
    const detail = 'name is neither a standard finalizer name nor is it fully qualified';
    errors.push(invalid(`${field}[${i}]`, name, detail));
  });
  return errors;
}

function hasDomain(finalizer: string): boolean {
  return finalizer.includes('/') || STANDARD_FINALIZERS.has(finalizer);
}

/** What is odd about finalizers that come with this write, where any may (FinalizerRules). */
export function finalizerWarnings(
  next: ObjectMeta,
  current: ObjectMeta | undefined,
): readonly string[] {
  const { finalizers } = next;
  if (finalizers === undefined || finalizers === current?.finalizers) return noWarnings;
  const before = new Set(current?.finalizers);
  const added = [...new Set(finalizers)].filter((name) => !before.has(name)).sort();
  return added.flatMap((name) => {
    const said = checkQualifiedName(name);
    const form = name.includes('.') ? withPath : '';
    const prefer = `prefer a domain-qualified finalizer name${form}`;
    const why = `${prefer} to avoid accidental conflicts with other finalizer writers`;
    const all = hasDomain(name) ? said : [...said, why];
    return all.map((each) => `metadata.finalizers: ${quote(name)}: ${each}`);
  });
}

const withPath = ' including a path (/)';
const noWarnings: readonly string[] = [];

/** Finalizers that are already stored are not validated again: they must be removable one by one.
 * */
function validateFinalizersUpdate(
  next: ObjectMeta,
  current: ObjectMeta,
  rules: FinalizerRules,
): readonly FieldError[] {
  const before = new Set(current.finalizers ?? []);
  const finalizers = next.finalizers ?? [];
  const added = finalizers.filter((name) => !before.has(name));
  if (added.length === 0) return [];
  const errors = [...validateFinalizers(finalizers, rules)];
  if (current.deletionTimestamp !== undefined) {
    const names = [...new Set(added)].sort().map(quote).join(', ');
    const detail =
      'no new finalizers can be added if the object is being deleted, ' +
      `found new finalizers []string{${names}}`;
    errors.push(forbidden('metadata.finalizers', detail));
  }
  return errors;
}

function validateGenerationUpdate(next: ObjectMeta, current: ObjectMeta): readonly FieldError[] {
  const generation = next.generation ?? 0;
  if (generation >= (current.generation ?? 0)) return [];
  return [invalid('metadata.generation', generation, 'must not be decremented')];
}

/** Each with the value that stands for "absent" in the message. */
const IMMUTABLE_FIELDS = [
  ['name', ''],
  ['namespace', ''],
  ['uid', ''],
  ['creationTimestamp', null],
  ['deletionTimestamp', null],
  ['deletionGracePeriodSeconds', null],
] as const;

/** What no write changes, of those members that `next` and `current` differ in. */
export function validateImmutable(next: ObjectMeta, current: ObjectMeta): readonly FieldError[] {
  const changed = IMMUTABLE_FIELDS.filter(
    ([name, absent]) => (next[name] ?? absent) !== (current[name] ?? absent),
  );
  return changed.map(([name, absent]) =>
    invalid(`metadata.${name}`, next[name] ?? absent, IMMUTABLE_FIELD_MESSAGE),
  );
}

function validateManagedFields(entries: JsonValue | undefined): readonly FieldError[] {
  if (!Array.isArray(entries)) return noErrors;
  let errors = noErrors;
  for (const [i, entry] of (entries as readonly JsonValue[]).entries()) {
    if (!isJsonObject(entry) || isRightEntry(entry)) continue;
    const found = validateManagedFieldsEntry(`metadata.managedFields[${i}]`, entry);
    errors = allErrors(errors, found);
  }
  return errors;
}

/** Entries are made here, and nearly all are right: then no path is made for them. */
function isRightEntry(entry: JsonObject): boolean {
  const { operation, fieldsType } = entry;
  return (
    (operation === 'Update' || operation === 'Apply') &&
    fieldsType === 'FieldsV1' &&
    entry['subresource'] === undefined &&
    validateFieldManager('', text(entry, 'manager')).length === 0
  );
}

function validateManagedFieldsEntry(field: string, entry: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  const operation = text(entry, 'operation');
  if (operation === '') errors.push(required(`${field}.operation`, 'must not be empty'));
  else if (operation !== 'Apply' && operation !== 'Update') {
    errors.push(notSupported(`${field}.operation`, operation, ['Apply', 'Update']));
  }
  const fieldsType = text(entry, 'fieldsType');
  if (fieldsType !== '' && fieldsType !== 'FieldsV1') {
    errors.push(invalid(`${field}.fieldsType`, fieldsType, 'must be `FieldsV1`'));
  }
  errors.push(...validateFieldManager(`${field}.manager`, text(entry, 'manager')));
  if (Buffer.byteLength(text(entry, 'subresource'), 'utf8') > SUBRESOURCE_LENGTH_MAX) {
    errors.push(tooLong(`${field}.subresource`, SUBRESOURCE_LENGTH_MAX));
  }
  return errors;
}

function nonNegative(field: string, value: number | undefined): readonly FieldError[] {
  if (value === undefined || value >= 0) return noErrors;
  return [invalid(field, value, 'must be greater than or equal to 0')];
}

/** What a check has found of the value. */
function problems(field: string, value: string, found: readonly string[]): readonly FieldError[] {
  return found.length === 0 ? noErrors : found.map((problem) => invalid(field, value, problem));
}

/** Likewise, behind what has been found: for what is checked often and is nearly always right. */
function addProblems(
  errors: FieldError[],
  field: string,
  value: string,
  check: (value: string) => readonly string[],
): void {
  for (const problem of check(value)) errors.push(invalid(field, value, problem));
}
