/**
 * The quotas that this server knows, by namespace and by the names that they limit: which of them a
 * write is charged to. And the epoch of each namespace: a word that changes with every new quota.
 *
 *     a create in a namespace ─▶ the epoch that is known here: tested in the transaction
 *                             ─▶ the quotas that limit what it takes: charged in the transaction
 *
 * So a write cannot escape a quota that this server has not heard of yet: the test of the epoch
 * fails, and the write is decided again when the server knows the quota.
 *
 * It has no figures: usage is only in the records.
 *
 * Invariants: it is exactly as old as the caches of this server.
 * Bounds: a few words for each quota; a search for those of a write stops after `quotasPerWriteMax`
 * + 1. New quotas are read in steps with turns for others; those of a namespace at the latest when
 * something is written there. A write waits if more than `readAtOnceMax` of them are unread.
 */
import { decodeObject } from '../../apimachinery/object-encoding.ts';
import { part, text } from '../../apimachinery/members.ts';
import type { GroupResource } from '../../apimachinery/schema.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import { runToEnd } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { Turns } from '../../stdx/turns.ts';
import type { Entry, Streams } from '../../../streams/streams.ts';
import { quotaEpochs } from '../companions/allocation-records.ts';
import { selectorsOf } from './scopes.ts';

export const quotasResource: GroupResource = { group: '', resource: 'resourcequotas' };

/** Quotas of one namespace that are looked into at once for a write. */
export const readAtOnceMax = 100;

/** A write is charged to at most this many: each is a record that its transaction writes. */
export const quotasPerWriteMax = 16;

/** Names that these bound, and values of their scopes, all together: each is read and written
 * again, in one turn, by the transaction. More than the largest quota has. */
export const quotaNamesPerWriteMax = 1_600;

export interface KnownQuota {
  readonly name: string;
  readonly uid: string;
  readonly bounds: readonly string[];
  /** Of the objects that it is about; none: of all. */
  readonly selectors: readonly JsonObject[];
  /** Bounds, and values of the selectors. */
  readonly names: number;
}

export interface KnownQuotas {
  /** Nobody bounds anything there. */
  isFree(namespace: string): boolean;
  /** In the order of their names. `too many`: more than `quotasPerWriteMax`, or with more than
   * `quotaNamesPerWriteMax`. `unread`: so many of the namespace are still to be looked into that it
   * takes turns. */
  bounding(
    namespace: string,
    names: Iterable<string>,
  ): readonly KnownQuota[] | 'too many' | 'unread';
  /** Of all selectors of the quotas there, those by a scope of this name, each once. To be asked
   * after `bounding`, which says whether all of the quotas have been looked into. */
  selectors(namespace: string, scopeName: string): Iterable<JsonObject>;
  /** The name of one there that nobody can read, so that nobody knows what it bounds. */
  lost(namespace: string): string | undefined;
  /** Resolves when all that could be looked into has been. */
  whenRead(): Promise<void>;
  /** Undefined: the namespace has never had a quota. */
  epoch(namespace: string): string | undefined;
}

interface OfNamespace {
  readonly quotas: Map<string, KnownQuota>;
  readonly byBound: Map<string, Map<string, KnownQuota>>;
  /** By their content. */
  readonly selectors: Map<string, { readonly selector: JsonObject; quotas: number }>;
  /** Those that nobody has looked into yet, by name. */
  readonly unread: Map<string, Entry>;
}

type IndexQuestion = 'isFree' | 'bounding' | 'selectors' | 'whenRead';

interface QuotaIndex extends Pick<KnownQuotas, IndexQuestion> {
  learn(entry: Entry): void;
  /** All that there are; they are looked into when they are asked for, or later, in turns. */
  reset(entries: Iterable<Entry>): void;
  forget(namespace: string, name: string): void;
}

function createQuotaIndex(turns: Pick<Turns, 'run'>): QuotaIndex {
  let namespaces = new Map<string, OfNamespace>();
  let reading: Promise<void> | undefined;

  function ofNamespace(namespace: string): OfNamespace {
    const known = namespaces.get(namespace);
    if (known !== undefined) return known;
    const made = newNamespace();
    namespaces.set(namespace, made);
    return made;
  }

  function forget(namespace: string, name: string): void {
    const known = namespaces.get(namespace);
    if (known === undefined) return;
    known.unread.delete(name);
    forgetRead(known, name);
    if (known.quotas.size + known.unread.size === 0) namespaces.delete(namespace);
  }

  function* readAll(all: ReadonlyMap<string, OfNamespace>): Steps<void> {
    for (const known of all.values()) {
      for (const entry of known.unread.values()) {
        // All of it has been replaced meanwhile.
        if (all !== namespaces) return;
        try {
          read(known, entry);
        } catch {
          // It stays unread: whoever it may bound is told.
        }
        yield;
      }
    }
  }

  return {
    learn: (entry) => read(ofNamespace(entry.namespace), entry),
    reset(entries) {
      namespaces = new Map();
      for (const entry of entries) ofNamespace(entry.namespace).unread.set(entry.name, entry);
      if (namespaces.size === 0) {
        reading = undefined;
        return;
      }
      const own = runToEnd(turns, readAll(namespaces)).then(() => {
        if (reading === own) reading = undefined;
      });
      reading = own;
    },
    async whenRead() {
      // All of it may have been replaced meanwhile.
      while (reading !== undefined) await reading;
    },
    forget,
    isFree: (namespace) => !namespaces.has(namespace),
    bounding(namespace, names) {
      const known = namespaces.get(namespace);
      if (known === undefined) return [];
      if (reading !== undefined && known.unread.size > readAtOnceMax) return 'unread';
      for (const entry of known.unread.values()) read(known, entry);
      return boundBy(known, names);
    },
    *selectors(namespace, scopeName) {
      for (const { selector } of namespaces.get(namespace)?.selectors.values() ?? []) {
        if (text(selector, 'scopeName') === scopeName) yield selector;
      }
    },
  };
}

function newNamespace(): OfNamespace {
  return { quotas: new Map(), byBound: new Map(), selectors: new Map(), unread: new Map() };
}

function boundBy({ byBound }: OfNamespace, names: Iterable<string>) {
  const found = new Map<string, KnownQuota>();
  let namesFound = 0;
  for (const name of names) {
    for (const [own, quota] of byBound.get(name) ?? []) {
      if (found.has(own)) continue;
      found.set(own, quota);
      namesFound += quota.names;
      if (found.size > quotasPerWriteMax) return 'too many';
      // One alone is always charged.
      if (found.size > 1 && namesFound > quotaNamesPerWriteMax) return 'too many';
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function read(known: OfNamespace, { bytes, name }: Entry): void {
  const object = decodeObject(bytes);
  known.unread.delete(name);
  const spec = part(object, 'spec');
  const bounds = Object.keys(part(spec, 'hard'));
  const uid = object.metadata.uid ?? '';
  const before = known.quotas.get(name);
  const selectors = selectorsOf(spec);
  if (
    before?.uid === uid &&
    sameNames(before.bounds, bounds) &&
    deepEqual(before.selectors, selectors)
  ) {
    return;
  }
  forgetRead(known, name);
  const values = selectors.reduce((sum, { values: own }) => sum + countOf(own), 0);
  const quota = { name, uid, bounds, selectors, names: bounds.length + values };
  known.quotas.set(name, quota);
  for (const selector of selectors) {
    const key = JSON.stringify(selector);
    const own = known.selectors.get(key) ?? { selector, quotas: 0 };
    own.quotas += 1;
    known.selectors.set(key, own);
  }
  for (const bound of bounds) {
    const list = known.byBound.get(bound) ?? new Map<string, KnownQuota>();
    known.byBound.set(bound, list.set(name, quota));
  }
}

function countOf(list: JsonValue | undefined): number {
  return Array.isArray(list) ? list.length : 0;
}

function forgetRead({ byBound, quotas, selectors }: OfNamespace, name: string): void {
  const quota = quotas.get(name);
  if (quota === undefined) return;
  quotas.delete(name);
  for (const selector of quota.selectors) {
    const key = JSON.stringify(selector);
    const own = selectors.get(key);
    if (own === undefined) continue;
    own.quotas -= 1;
    if (own.quotas === 0) selectors.delete(key);
  }
  for (const bound of quota.bounds) {
    const list = byBound.get(bound);
    list?.delete(name);
    if (list?.size === 0) byBound.delete(bound);
  }
}

/** `onEpoch`: the epoch of a namespace has changed, or may have. */
export function followQuotas(
  streams: Streams,
  turns: Pick<Turns, 'run'>,
  lost: KnownQuotas['lost'],
  onEpoch: (namespace: string) => void,
): KnownQuotas {
  const index = createQuotaIndex(turns);
  const epochs = new Map<string, string>();
  streams.followers.follow('known-quotas', streams.resourceEvents(quotasResource), (event) => {
    if (event.type === 'RESET') index.reset(event.snapshot.entries(undefined));
    else if (event.type === 'DELETED') index.forget(event.entry.namespace, event.entry.name);
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
    selectors: index.selectors,
    lost,
    whenRead: index.whenRead,
    epoch: (namespace) => epochs.get(namespace),
  };
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, at) => name === b[at]);
}
