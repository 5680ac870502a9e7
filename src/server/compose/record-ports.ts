/**
 * How objects become records of the store, and how records are read: the functions for actors and
 * streams.
 *
 * Invariants: a record of a kind that users define names the form of the definition under which it
 * was written. Under another form it is read again, with its selectable fields, so the caches show
 * every object under the current definition.
 */
import { decodeObject, encodeObject } from '../../apimachinery/object-encoding.ts';
import type { GroupResource } from '../../apimachinery/schema.ts';
import type { Scheme } from '../../apimachinery/scheme.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { upgrading } from '../../registry/versions.ts';
import { decodeRecord, encodeRecord } from '../../storage/record-codec.ts';
import type { ObjectRecord } from '../../storage/record.ts';

/** For actors. */
export function recordPorts(scheme: Scheme) {
  const upgrade = upgrading(scheme);
  return {
    encode: (key: GroupResource, object: ApiObject) => ({ record: recordOf(scheme, key, object) }),
    encodeRecord,
    decodeRecord,
    decodeObject: (bytes: Uint8Array) => upgrade(decodeObject(bytes)),
  };
}

/** For streams; both by `<group>/<resource>`. */
export function readingPorts(scheme: Scheme) {
  const upgrade = upgrading(scheme);
  const shapeOf = (id: string): string | undefined => scheme.findStorage(named(id))?.custom?.shape;
  return {
    shapeOf,
    readRecord(id: string, record: ObjectRecord): ObjectRecord {
      const shape = shapeOf(id);
      if (shape === undefined || shape === record.shape) return record;
      const object = decodeObject(record.object);
      const read = upgrade(object);
      const fields = scheme.fieldsOf(named(id), read);
      if (read === object) return { ...record, fields, shape };
      const { labels, uid } = record;
      const { bytes, metadataAt } = encodeObject(read);
      return { uid, labels, fields, metadataAt, object: bytes, shape };
    },
  };
}

function named(id: string): GroupResource {
  const slash = id.indexOf('/');
  return { group: id.slice(0, slash), resource: id.slice(slash + 1) };
}

/** What the store keeps of an object, beside its bytes: what selectors ask for. */
function recordOf(scheme: Scheme, key: GroupResource, object: ApiObject): ObjectRecord {
  const { bytes, metadataAt } = encodeObject(object);
  return {
    uid: object.metadata.uid ?? '',
    labels: object.metadata.labels ?? {},
    fields: scheme.fieldsOf(key, object),
    metadataAt,
    object: bytes,
    timer: undefined,
    shape: scheme.findStorage(key)?.custom?.shape,
  };
}
