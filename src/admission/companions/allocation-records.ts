/**
 * Records of allocated addresses and ports, written as companions of the objects that hold them.
 *
 *     networking GROUP/ipaddresses//10.0.0.7      an IPAddress, for clients where it is served
 *     internal.sluice/nodeports//30080            that the port is taken, and by which service
 *     internal.sluice/quotaepochs//NAMESPACE      its state is a word that changes whenever a quota
 *                                                 of the namespace is added or changed
 *
 * Invariants: each record of an address or port names its owner in spec.parentRef, in the form of
 * IPAddress. All are objects, so caches, backups and checks treat them like any other. Those of
 * `internal.sluice` are not served.
 */
import { isIPv6 } from 'node:net';
import type { Identity } from '../../apimachinery/identity.ts';
import { part, text } from '../../apimachinery/members.ts';
import { encodeObject } from '../../apimachinery/object-encoding.ts';
import type { GroupResource } from '../../apimachinery/schema.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { objectKey, storeKey } from '../../storage/keys.ts';
import type { RecordCodec } from '../../storage/encrypted-records.ts';
import { encodeRecord } from '../../storage/record-codec.ts';
import type { ObjectRecord } from '../../storage/record.ts';
import type { Companion, StoreKey } from '../../storage/storage.ts';

/** Of what the server keeps for itself. */
export const internalGroup = 'internal.sluice';
export const nodePortsResource: GroupResource = { group: internalGroup, resource: 'nodeports' };
export const quotaEpochs: GroupResource = { group: internalGroup, resource: 'quotaepochs' };

export function ipAddresses(identity: Identity): GroupResource {
  return { group: identity.fill('networking.{domain}'), resource: 'ipaddresses' };
}

/** Who has made an IPAddress, as its label says. */
const allocator = 'ipallocator.{domain}';

/** Of records in use: the word that conditions test of all but epochs. */
const inUse = 'live';

export interface Parent {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

export function serviceParent(namespace: string, name: string): Parent {
  return { resource: 'services', namespace, name };
}

/** As companions name owners; undefined: it has none that could claim it. */
export function ownerOf(object: ApiObject): string | undefined {
  const parent = part(part(object, 'spec'), 'parentRef');
  if (text(parent, 'resource') === '' || text(parent, 'group') !== '') return undefined;
  const [resource, namespace, name] = ['resource', 'namespace', 'name'].map((each) =>
    text(parent, each),
  ) as [string, string, string];
  return ownerText({ resource, namespace, name });
}

function ownerText({ name, namespace, resource }: Parent): string {
  return `${resource}/${namespace}/${name}`;
}

/** What a record of an address or a port is made of, beside its owner. */
export interface Birth {
  readonly identity: Identity;
  /** As records of its resource are written. */
  readonly encodeRecord: RecordCodec['encodeRecord'];
  readonly uid: string;
  readonly creationTimestamp: string;
}

export function addressClaim(address: string, parent: Parent, birth: Birth): Companion {
  const { identity } = birth;
  const resource = ipAddresses(identity);
  const object: ApiObject = {
    kind: 'IPAddress',
    apiVersion: identity.fill('networking.{domain}/v1'),
    metadata: {
      name: address,
      uid: birth.uid,
      creationTimestamp: birth.creationTimestamp,
      generation: 1,
      labels: {
        [identity.fill('ipaddress.{labelDomain}/ip-family')]: isIPv6(address) ? 'IPv6' : 'IPv4',
        [managedBy(identity)]: identity.fill(allocator),
      },
      managedFields: [ownersOf(birth)],
    },
    spec: { parentRef: { group: '', ...parent } },
  };
  return claimOf(resource, object, parent, birth);
}

/** All of it is the server's. */
function ownersOf({ creationTimestamp, identity }: Birth): JsonObject {
  const family = identity.fill('ipaddress.{labelDomain}/ip-family');
  return {
    manager: identity.serverName,
    operation: 'Update',
    apiVersion: identity.fill('networking.{domain}/v1'),
    time: creationTimestamp,
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:metadata': {
        'f:labels': { '.': {}, [`f:${family}`]: {}, [`f:${managedBy(identity)}`]: {} },
      },
      'f:spec': {
        'f:parentRef': { '.': {}, 'f:name': {}, 'f:namespace': {}, 'f:resource': {} },
      },
    },
  };
}

function managedBy(identity: Identity): string {
  return identity.fill('ipaddress.{labelDomain}/managed-by');
}

/** Whether an IPAddress says that it was made here, with a service, and not by a client. */
export function isManaged(address: ApiObject, identity: Identity): boolean {
  return address.metadata.labels?.[managedBy(identity)] === identity.fill(allocator);
}

export function portClaim(port: number, parent: Parent, birth: Birth): Companion {
  const object: ApiObject = {
    kind: 'NodePort',
    apiVersion: `${internalGroup}/v1`,
    metadata: {
      name: String(port),
      uid: birth.uid,
      creationTimestamp: birth.creationTimestamp,
    },
    spec: { parentRef: { group: '', ...parent } },
  };
  return claimOf(nodePortsResource, object, parent, birth);
}

function claimOf(
  resource: GroupResource,
  object: ApiObject,
  parent: Parent,
  birth: Birth,
): Companion {
  const key = recordKey(resource, object.metadata.name ?? '');
  const value = birth.encodeRecord(recordOf(object), { key, state: inUse });
  return { kind: 'claim', key, owner: ownerText(parent), state: inUse, value };
}

export function addressRelease(address: string, parent: Parent, identity: Identity): Companion {
  const key = recordKey(ipAddresses(identity), address);
  return { kind: 'release', key, owner: ownerText(parent) };
}

export function portRelease(port: number, parent: Parent): Companion {
  const key = recordKey(nodePortsResource, String(port));
  return { kind: 'release', key, owner: ownerText(parent) };
}

export function epochKey(namespace: string): StoreKey {
  return recordKey(quotaEpochs, namespace);
}

/** `word`: another one each time. */
export function epochMark(namespace: string, word: string): Companion {
  const key = epochKey(namespace);
  const parentRef = { group: '', ...namespaceParent(namespace) };
  const object: ApiObject = {
    kind: 'QuotaEpoch',
    apiVersion: `${internalGroup}/v1`,
    metadata: { name: namespace, uid: word, labels: { word } },
    spec: { parentRef },
  };
  // Of the server's own, which is never encrypted.
  const value = encodeRecord(recordOf(object), { key, state: word });
  return { kind: 'mark', key, state: word, value };
}

export function epochRelease(namespace: string): Companion {
  const owner = ownerText(namespaceParent(namespace));
  return { kind: 'release', key: epochKey(namespace), owner };
}

/** Whether a condition of companions may say that there is no such record. */
export function isEpochKey(key: StoreKey): boolean {
  return key.startsWith(`${quotaEpochs.group}/${quotaEpochs.resource}/`);
}

/** Whether conditions of companions may name this record, beside those of creations. */
export function isCompanionConditionKey(key: StoreKey): boolean {
  return isEpochKey(key) || key.includes('/servicecidrs//');
}

function namespaceParent(name: string): Parent {
  return { resource: 'namespaces', namespace: '', name };
}

function recordKey(resource: GroupResource, name: string): StoreKey {
  return storeKey(objectKey(resource, '', name));
}

function recordOf(object: ApiObject): ObjectRecord {
  const { bytes, metadataAt } = encodeObject(object);
  const { labels = {}, uid = '' } = object.metadata;
  return { uid, labels, fields: {}, metadataAt, object: bytes };
}
