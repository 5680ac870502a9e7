/**
 * The object of a write as webhooks and policies see it: in the version that their rules name, a
 * scale as a Scale, and with its resourceVersion.
 *
 * Invariants: pure, except for the questions to a conversion webhook. Posted objects that are not
 * stored are shown as they were sent. Converting the result back changes only what was changed.
 */
import { ConversionMissing } from '../apimachinery/object-version.ts';
import type { GroupVersionKind } from '../apimachinery/schema.ts';
import type { KindInfo, Scheme } from '../apimachinery/scheme.ts';
import { newInternalError } from '../apimachinery/status-error.ts';
import type { StatusError } from '../apimachinery/status-error.ts';
import type { ApiObject, ObjectMeta } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import { convertMissing } from '../registry/conversions.ts';
import { scaleOf, withReplicas } from '../registry/scale.ts';
import { atVersionOf, decidedVersionOf, toDecidedVersion } from '../registry/versions.ts';
import type { Awaitable } from '../stdx/awaitable.ts';
import type { Review } from './admission.ts';
import { requestedName } from './requested-name.ts';

/** Conversions that one object may need, one after the other. */
const conversionsMax = 8;

export type Shown = ApiObject | StatusError | undefined;

/** The options of a connection have no metadata, whatever they need to be objects here. */
function asPosted({ operation }: Reviewed, object: ApiObject): ApiObject {
  if (operation !== 'CONNECT') return object;
  const { metadata: _none, ...options } = object;
  return options as ApiObject;
}

type Reviewed = Pick<
  Review,
  'bodyKind' | 'kind' | 'operation' | 'requester' | 'resourceVersion' | 'subresource'
>;

/** An object that is created as those see it who may change it: it has not been given a uid, a
 * generation and a time yet, nor the name that is made for it. storedAgain() gives them back. */
export function shownToChange(
  scheme: Pick<Scheme, 'findKind'>,
  review: Review,
  object: ApiObject,
  to: GroupVersionKind,
): Awaitable<Shown> {
  return shownObject(scheme, review, unborn(review, object), to);
}

function unborn(review: Review, object: ApiObject): ApiObject {
  if (review.operation !== 'CREATE' || !isStoredKind(review, object)) return object;
  const {
    creationTimestamp: _time,
    generation: _first,
    name,
    uid: _uid,
    ...metadata
  } = object.metadata;
  const isNamed = requestedName({ ...review, next: object }) !== '';
  return { ...object, metadata: isNamed ? { name, ...metadata } : metadata };
}

/** What a new object has been given is not for others to change. */
function born({ operation }: Reviewed, before: ApiObject, object: ApiObject): ApiObject {
  if (operation !== 'CREATE') return object;
  const { creationTimestamp, generation, name = '', uid } = before.metadata;
  // What is new is not being deleted.
  const {
    deletionGracePeriodSeconds: _grace,
    deletionTimestamp: _deletion,
    ...metadata
  } = object.metadata;
  const isNamed = requestedName({ name, next: before, operation }) !== '';
  const given: ObjectMeta = {
    ...(isNamed ? {} : { name }),
    uid,
    ...(generation === undefined ? {} : { generation }),
    creationTimestamp,
  };
  // First and last: the order of members stays.
  return { ...object, metadata: { ...given, ...metadata, ...given } };
}

/** `to`: the kind that it is shown as, of the same resource. */
export function shownObject(
  scheme: Pick<Scheme, 'findKind'>,
  review: Reviewed,
  object: ApiObject | undefined,
  to: GroupVersionKind,
): Awaitable<Shown> {
  if (object === undefined) return undefined;
  const { kind, resourceVersion, subresource } = review;
  const dated = resourceVersion === undefined ? object : withVersion(object, resourceVersion);
  const paths = subresource === 'scale' ? kind.scale : undefined;
  if (paths !== undefined) {
    return converted(kind, review, () => scaleOf(decidedVersionOf(dated, kind), paths, to));
  }
  if (!isStoredKind(review, object)) return asPosted(review, object);
  const target = scheme.findKind(to.group, to.version, to.kind);
  if (target === undefined) {
    const named = `${to.group}/${to.version}, Kind=${to.kind}`;
    return newInternalError(`unable to convert to ${named}: unknown kind`);
  }
  return converted(target, review, () => withNulls(atVersionOf(dated, target)));
}

/** Lists that the reference writes as null where there is none, and so shows to whoever looks at
 * the object: `object.rules == null` is asked of roles. */
const nullWhenAbsent: ReadonlyMap<string, readonly string[]> = new Map([
  ['ClusterRole', ['rules']],
  ['Role', ['rules']],
  ['EndpointSlice', ['endpoints', 'ports']],
]);

function withNulls(object: ApiObject): ApiObject {
  const missing = nullWhenAbsent.get(object.kind)?.filter((name) => object[name] === undefined);
  if (missing === undefined || missing.length === 0) return object;
  return { ...object, ...Object.fromEntries(missing.map((name) => [name, null])) };
}

function withoutNulls(object: ApiObject): ApiObject {
  const made = nullWhenAbsent.get(object.kind)?.filter((name) => object[name] === null);
  if (made === undefined || made.length === 0) return object;
  return Object.fromEntries(
    Object.entries(object).filter(([name]) => !made.includes(name)),
  ) as ApiObject;
}

/** What becomes of the object that is written when what was shown of it has been changed. */
export function storedAgain(
  scheme: Pick<Scheme, 'findKind'>,
  review: Reviewed,
  before: ApiObject,
  shown: ApiObject,
  as: GroupVersionKind,
): Awaitable<ApiObject | StatusError> {
  const { kind, subresource } = review;
  if (subresource === 'scale' && kind.scale !== undefined) {
    const { spec } = shown;
    const replicas = isJsonObject(spec) ? spec['replicas'] : undefined;
    return replicas === undefined ? before : withReplicas(before, kind.scale, replicas);
  }
  if (!isStoredKind(review, before)) return { ...shown, metadata: shown.metadata ?? {} };
  const target = scheme.findKind(as.group, as.version, as.kind) ?? kind;
  const decided = converted(target, review, () => {
    const whole = born(review, before, withoutNulls(shown));
    const object = toDecidedVersion(whole, target);
    return withoutVersion(decidedVersionOf(object, kind));
  });
  return decided as Awaitable<ApiObject | StatusError>;
}

/** Evictions, bindings, reviews and the like are of a kind of their own. */
function isStoredKind({ bodyKind, kind }: Reviewed, object: ApiObject): boolean {
  return (
    object.kind === kind.kind || (bodyKind.kind === kind.kind && bodyKind.group === kind.group)
  );
}

function withVersion(object: ApiObject, resourceVersion: string): ApiObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
}

function withoutVersion(object: ApiObject): ApiObject {
  if (object.metadata.resourceVersion === undefined) return object;
  const { resourceVersion: _own, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function converted(
  kind: KindInfo,
  review: Pick<Review, 'requester'>,
  convert: () => ApiObject,
  held: readonly (readonly ApiObject[])[] = [],
): Awaitable<Shown> {
  try {
    return convert();
  } catch (error) {
    if (!(error instanceof ConversionMissing) || held.length >= conversionsMax) throw error;
    const { apiVersion, object } = error;
    return convertMissing(kind, object, apiVersion, review.requester).then((found) =>
      found.kind === 'refused'
        ? found.error
        : converted(kind, review, convert, [...held, found.held]),
    );
  }
}
