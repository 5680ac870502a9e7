/**
 * How objects become records of the store, and how records are read: the functions for actors and
 * streams.
 *
 * Invariants: a record of a kind that users define names the form of the definition under which it
 * was written. Under another form, and where it has no form because it lacks defaults, it is read
 * again, with its selectable fields: actors and caches show every object as the current definition
 * reads what is stored, and never what another definition has made of it.
 */
import type { ObjectImage } from '../../../actors/object-snapshot.ts';
import {
  decodeObject,
  decodeSharedSteps,
  encodeObject,
} from '../../apimachinery/object-encoding.ts';
import type { GroupResource } from '../../apimachinery/schema.ts';
import type { CustomKind, Scheme } from '../../apimachinery/scheme.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { upgrading } from '../../registry/versions.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { RecordCodec } from '../../storage/encrypted-records.ts';
import type { ObjectRecord } from '../../storage/record.ts';
import type { RecordRead } from '../../../streams/resource-change.ts';

/** For actors. */
export function recordPorts(scheme: Scheme, codec: RecordCodec) {
  const upgrade = upgrading(scheme);
  return {
    encode: (key: GroupResource, object: ApiObject) => ({ record: recordOf(scheme, key, object) }),
    encodeRecord: codec.recordToPut,
    decodeRecord: codec.decodeRecord,
    isStale: codec.isStale,
    decodeObject: (bytes: Uint8Array) => upgrade(decodeObject(bytes)),
    *decodeObjectSteps(bytes: Uint8Array): Steps<ApiObject> {
      return upgrade(yield* decodeSharedSteps(bytes));
    },
    readToday: readingImages(scheme),
  };
}

/** What an image is read as is kept beside it. */
function readingImages(scheme: Scheme) {
  const known = new WeakMap<ObjectImage, { readonly shape: string; readonly read: ObjectImage }>();
  return (key: GroupResource, image: ObjectImage): ObjectImage => {
    const custom = scheme.findStorage(key)?.custom;
    if (custom === undefined || custom.shape === image.shape) return image;
    const { shape } = custom;
    const before = known.get(image);
    if (before?.shape === shape) return before.read;
    const object = custom.readStored(image.object);
    const read =
      object === image.object ? image : { ...encodedImage(object), timer: image.timer, shape };
    known.set(image, { shape, read });
    return read;
  };
}

function encodedImage(object: ApiObject): Pick<ObjectImage, 'bytes' | 'metadataAt' | 'object'> {
  return { object, ...encodeObject(object) };
}

/** For streams; both by `<group>/<resource>`. */
export function readingPorts(scheme: Scheme) {
  const customOf = customByStorageName(scheme);
  return {
    shapeOf: (id: string): string | undefined => customOf(id)?.shape,
    readRecord(id: string, record: ObjectRecord): RecordRead {
      const custom = customOf(id);
      if (custom === undefined || custom.shape === record.shape) return record;
      const { shape } = custom;
      const object = decodeObject(record.object);
      const read = custom.readStored(object);
      const fields = scheme.fieldsOf(named(id), read);
      if (read === object) return { ...record, fields, shape };
      const { labels, uid } = record;
      const { bytes, metadataAt } = encodeObject(read);
      // What it was read from may lie in memory of the store.
      const written = { ...record, object: record.object.slice() };
      return { uid, labels, fields, metadataAt, object: bytes, shape, written };
    },
  };
}

/** Every record of a kind that users define is asked about, by a part of its key: a text that is
 * looked up once, and not taken apart. */
function customByStorageName(scheme: Scheme): (id: string) => CustomKind | undefined {
  const known = new Map<string, CustomKind>();
  let { generation } = scheme;
  return (id) => {
    if (scheme.generation !== generation) {
      known.clear();
      generation = scheme.generation;
    }
    const found = known.get(id);
    if (found !== undefined) return found;
    const { custom } = scheme.findStorage(named(id)) ?? {};
    if (custom !== undefined) known.set(id, custom);
    return custom;
  };
}

function named(id: string): GroupResource {
  const slash = id.indexOf('/');
  return { group: id.slice(0, slash), resource: id.slice(slash + 1) };
}

/** Of what lacks defaults: no definition has it, so it is always read. */
const noShape = '';

/** What the store keeps of an object, beside its bytes: what selectors ask for. */
function recordOf(scheme: Scheme, key: GroupResource, object: ApiObject): ObjectRecord {
  const { bytes, memory, metadataAt } = encodeObject(object);
  const custom = scheme.findStorage(key)?.custom;
  return {
    uid: object.metadata.uid ?? '',
    labels: object.metadata.labels ?? {},
    fields: scheme.fieldsOf(key, object),
    metadataAt,
    object: bytes,
    memory,
    timer: undefined,
    shape: custom === undefined || custom.isWhole(object) ? custom?.shape : noShape,
  };
}
