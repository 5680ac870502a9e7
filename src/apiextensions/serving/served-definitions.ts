/**
 * Maintains the scheme of custom types: definitions are added, changed and removed as the log shows
 * them, and their kinds are served from that step on.
 *
 *     definition (bytes) ─▶ summary ─▶ another one than before? ─▶ its kinds ─▶ ServedScheme.define
 *
 * Invariants: the kinds of a definition are remade only when something of them changes: a status
 * that says the same leaves them, their caches and their watches alone. A schema is read when
 * somebody uses its version, from the bytes that the watch cache holds anyway.
 * Bounds: a definition that nobody uses costs its summary, and its kinds without their schemas.
 */
import { isLarge } from '../../apimachinery/object-encoding.ts';
import { objects, part, text, texts } from '../../apimachinery/members.ts';
import type { GroupResource } from '../../apimachinery/schema.ts';
import type { KindInfo, SubresourceInfo } from '../../apimachinery/scheme.ts';
import type { ServedScheme } from '../../apimachinery/served-scheme.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import { eachInSteps } from '../../stdx/in-steps.ts';
import type { Requester } from '../../stdx/requester.ts';
import { finished } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { Turns } from '../../stdx/turns.ts';
import type { KindStrategy } from '../../registry/strategy.ts';
import type { CompileCustomVersion, CustomVersionDeps } from '../custom-schema.ts';
import { customStrategy } from './custom-strategy.ts';
import type { DefinitionReader } from './definition-reader.ts';
import type { DefinitionSummary } from './definition-summary.ts';
import { createRememberedConversions } from './remembered-conversions.ts';
import type { RememberedConversions } from './remembered-conversions.ts';
import { servedDefinition, versionsAtOnce } from './served-kind.ts';
import { webhookConversion } from './webhook-conversion.ts';
import type { ServedKind, ServedKindDeps } from './served-kind.ts';

export interface ServedDefinitionsDeps {
  readonly scheme: ServedScheme;
  readonly definitions: GroupResource;
  readonly scale: SubresourceInfo;
  readonly compile: CompileCustomVersion;
  readonly compileDeps: CustomVersionDeps;
  readonly reader: DefinitionReader;
  /** Calls the webhook that a `clientConfig` leads to. Rejects when there is no answer. */
  readonly callWebhook: (
    clientConfig: JsonObject,
    review: string,
    requester: Requester | undefined,
  ) => Promise<JsonObject>;
  readonly turns: Pick<Turns, 'run'>;
  readonly uuid: () => string;
}

/** A definition as the cache has it. */
export interface DefinitionEntry {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface ServedDefinitions {
  /** These there are, and no others. In steps; the definitions before it go in the last one. */
  reset(entries: Iterable<DefinitionEntry>): Steps<void>;
  /** Of a large one, and one of many versions, the rest of the work, in steps: it is served when
   * they are over. */
  set(entry: DefinitionEntry): Steps<void> | undefined;
  remove(name: string): void;
  /** Undefined: nobody has defined the kind. */
  strategyOf(kind: KindInfo): KindStrategy | undefined;
}

interface Known {
  /** Of what its kinds are made of. */
  readonly summary: DefinitionSummary;
  /** As they are now: kinds read their schemas from them. */
  bytes: Uint8Array;
  isEnding: boolean;
  storesSeveral: boolean;
}

export function createServedDefinitions(deps: ServedDefinitionsDeps): ServedDefinitions {
  const known = new Map<string, Known>();
  const remembered = createRememberedConversions();
  const served = new WeakMap<KindInfo, ServedKind>();
  const strategies = new WeakMap<KindInfo, KindStrategy>();

  /** Whether nothing of its kinds changes. */
  const isAsBefore = ({ bytes, name }: DefinitionEntry, summary: DefinitionSummary): boolean => {
    const before = known.get(name);
    if (before === undefined || !isServedAlike(before, summary)) return false;
    before.bytes = bytes;
    before.isEnding = summary.isEnding;
    before.storesSeveral = summary.storesSeveral;
    return true;
  };
  /** Its kinds are made in steps, and served from the last one on. */
  function* taking({ bytes, name }: DefinitionEntry, summary: DefinitionSummary): Steps<void> {
    const { isEnding, storesSeveral } = summary;
    const own: Known = { summary, bytes, isEnding, storesSeveral };
    const defined = yield* servedDefinition(summary, kindDeps(deps, summary, own, remembered));
    const { kinds = [], stored } = defined ?? {};
    for (const each of kinds) served.set(each.kind, each);
    if (stored !== undefined) served.set(stored.kind, stored);
    known.set(name, own);
    deps.scheme.define(
      name,
      kinds.map(({ kind }) => kind),
      stored?.kind,
    );
  }
  const set = (entry: DefinitionEntry): Steps<void> | undefined => {
    const summary = deps.reader.summaryAtOnce(entry.bytes);
    if (summary === undefined) return setInSteps(entry);
    if (isAsBefore(entry, summary)) return undefined;
    const work = taking(entry, summary);
    if (summary.versions.length > versionsAtOnce) return work;
    finished(work);
    return undefined;
  };
  function* setInSteps(entry: DefinitionEntry): Steps<void> {
    const summary = yield* deps.reader.summarySteps(entry.bytes);
    yield;
    if (!isAsBefore(entry, summary)) yield* taking(entry, summary);
  }
  const remove = (name: string): void => {
    deps.reader.forget(name);
    if (known.delete(name)) deps.scheme.define(name, [], undefined);
  };
  return {
    set,
    remove,
    *reset(entries) {
      const gone = new Set(known.keys());
      yield* eachInSteps(entries, (entry) => {
        gone.delete(entry.name);
        return set(entry);
      });
      for (const name of gone) remove(name);
    },
    strategyOf(kind) {
      const made = strategies.get(kind);
      if (made !== undefined) return made;
      const found = served.get(kind);
      if (found === undefined) return undefined;
      const strategy = customStrategy(found);
      strategies.set(kind, strategy);
      return strategy;
    },
  };
}

/** Schemas and webhooks are read from the bytes that the definition then has. */
function kindDeps(
  deps: ServedDefinitionsDeps,
  { accepted, group, preserveUnknownFields }: DefinitionSummary,
  own: Known,
  remembered: RememberedConversions,
): ServedKindDeps {
  const { compile, compileDeps, definitions, reader, scale, turns, uuid } = deps;
  const { kind } = accepted;
  return {
    definitions,
    scale,
    isEnding: () => own.isEnding,
    storesSeveral: () => own.storesSeveral,
    webhook(read) {
      let known: JsonObject | undefined;
      const config = (): JsonObject => (known ??= webhookOf(reader.read(own.bytes)));
      return webhookConversion({
        group: definitions.group,
        reviewVersions: () => texts(config(), 'conversionReviewVersions'),
        call: (review, requester) =>
          deps.callWebhook(part(config(), 'clientConfig'), review, requester),
        uuid,
        turns,
        remembered,
        read,
      });
    },
    compile({ name: version, selectable }) {
      const entry = (): JsonObject => versionEntry(reader.read(own.bytes), version);
      const source = { group, kind, version, preserveUnknownFields, selectable };
      return compile({ ...source, isLarge: isLarge(own.bytes), entry }, compileDeps);
    },
  };
}

function webhookOf(definition: ApiObject): JsonObject {
  return part(part(part(definition, 'spec'), 'conversion'), 'webhook');
}

/** Whether its kinds are still what they were made of. */
function isServedAlike({ summary }: Known, next: DefinitionSummary): boolean {
  const { accepted, generation, isEstablished, uid } = summary;
  return (
    uid === next.uid &&
    isEstablished === next.isEstablished &&
    generation === next.generation &&
    deepEqual({ ...accepted }, { ...next.accepted })
  );
}

function versionEntry(definition: ApiObject, name: string): JsonObject {
  const versions = objects(part(definition, 'spec'), 'versions');
  return versions.find((each) => text(each, 'name') === name) ?? {};
}
