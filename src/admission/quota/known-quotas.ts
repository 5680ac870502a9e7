/**
 * The quotas that there are, by namespace and by the names that they bound: which of them a write
 * has to be charged to. And the epoch of each namespace: a word that every new quota changes.
 *
 *     a create in a namespace ─▶ its epoch as it is known here: tested in the transaction
 *                             ─▶ the quotas that bound what it takes: charged in the transaction
 *
 * So a write that has not heard of a quota yet does not slip by it: its test fails, and it is
 * decided again when this server has heard.
 *
 * What it is not: figures. What is used stands in the records alone.
 *
 * Invariants: as old as the caches of this server, and never older. Bounds: a few words for each
 * quota; finding those of a write looks at no more than `quotasPerWriteMax` and one.
 */
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import { part } from '../../apimachinery/members.ts';
import type { GroupResource } from '../../apimachinery/schema.ts';
import type { Entry, Streams } from '../../../streams/streams.ts';
import { quotaEpochs } from '../company/allocation-records.ts';

export const quotasResource: GroupResource = { group: '', resource: 'resourcequotas' };

/** A write is charged to at most this many: each is a record that its transaction writes. */
export const quotasPerWriteMax = 16;

export interface KnownQuota {
  readonly name: string;
  readonly uid: string;
  readonly bounds: readonly string[];
}

export interface KnownQuotas {
  /** Nobody bounds anything there. */
  isFree(namespace: string): boolean;
  /** In the order of their names; undefined: more than `quotasPerWriteMax`. */
  bounding(namespace: string, names: Iterable<string>): readonly KnownQuota[] | undefined;
  /** Undefined: the namespace has never had a quota. */
  epoch(namespace: string): string | undefined;
}

interface OfNamespace {
  readonly quotas: Map<string, KnownQuota>;
  readonly byBound: Map<string, Map<string, KnownQuota>>;
}

interface QuotaIndex extends Pick<KnownQuotas, 'isFree' | 'bounding'> {
  learn(entry: Entry): void;
  forget(namespace: string, name: string): void;
  clear(): void;
}

function createQuotaIndex(): QuotaIndex {
  const namespaces = new Map<string, OfNamespace>();

  function forget(namespace: string, name: string): void {
    const known = namespaces.get(namespace);
    const quota = known?.quotas.get(name);
    if (known === undefined || quota === undefined) return;
    known.quotas.delete(name);
    for (const bound of quota.bounds) {
      const list = known.byBound.get(bound);
      list?.delete(name);
      if (list?.size === 0) known.byBound.delete(bound);
    }
    if (known.quotas.size === 0) namespaces.delete(namespace);
  }

  function learn(entry: Entry): void {
    const { name, namespace } = entry;
    const object = decodeObject(entry.bytes);
    const bounds = Object.keys(part(part(object, 'spec'), 'hard'));
    const uid = object.metadata.uid ?? '';
    const before = namespaces.get(namespace)?.quotas.get(name);
    if (before?.uid === uid && sameNames(before.bounds, bounds)) return;
    forget(namespace, name);
    let known = namespaces.get(namespace);
    if (known === undefined) {
      known = { quotas: new Map(), byBound: new Map() };
      namespaces.set(namespace, known);
    }
    const quota = { name, uid, bounds };
    known.quotas.set(name, quota);
    for (const bound of bounds) {
      const list = known.byBound.get(bound) ?? new Map<string, KnownQuota>();
      list.set(name, quota);
      known.byBound.set(bound, list);
    }
  }

  return {
    learn,
    forget,
    clear: () => namespaces.clear(),
    isFree: (namespace) => !namespaces.has(namespace),
    bounding(namespace, names) {
      const known = namespaces.get(namespace);
      if (known === undefined) return [];
      const found = new Map<string, KnownQuota>();
      for (const name of names) {
        for (const [own, quota] of known.byBound.get(name) ?? []) {
          found.set(own, quota);
          if (found.size > quotasPerWriteMax) return undefined;
        }
      }
      return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    },
  };
}

/** `onEpoch`: the epoch of a namespace has changed, or may have. */
export function followQuotas(streams: Streams, onEpoch: (namespace: string) => void): KnownQuotas {
  const index = createQuotaIndex();
  const epochs = new Map<string, string>();
  streams.followers.follow('known-quotas', streams.resourceEvents(quotasResource), (event) => {
    if (event.type === 'RESET') {
      index.clear();
      for (const entry of event.snapshot.entries(undefined)) index.learn(entry);
    } else if (event.type === 'DELETED') index.forget(event.entry.namespace, event.entry.name);
    else index.learn(event.entry);
  });
  streams.followers.follow('quota-epochs', streams.resourceEvents(quotaEpochs), (event) => {
    if (event.type === 'RESET') {
      const before = [...epochs.keys()];
      epochs.clear();
      for (const { labels, name } of event.snapshot.entries(undefined)) {
        epochs.set(name, labels['word'] ?? '');
      }
      for (const name of [...before, ...epochs.keys()]) onEpoch(name);
      return;
    }
    const { labels, name } = event.entry;
    if (event.type === 'DELETED') epochs.delete(name);
    else epochs.set(name, labels['word'] ?? '');
    onEpoch(name);
  });
  return {
    isFree: index.isFree,
    bounding: index.bounding,
    epoch: (namespace) => epochs.get(namespace),
  };
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, at) => name === b[at]);
}
