/**
 * The controller of CustomResourceDefinitions, from accepting their names to their deletion.
 *
 *     accepted ─▶ names ─▶ status, in one write: NamesAccepted, Established: served
 *     deleted  ─▶ status: Terminating ─▶ every object deleted ─▶ none left ─▶ finalizer off: gone
 *
 * Elsewhere: serving, which every server does for itself (src/apiextensions/serving), and what
 * conditions say (src/apiextensions/lifecycle).
 *
 * Invariants: each write is decided on the definition as it then is. Names that are given to one
 * definition are taken from then on, before the write that says so is seen: two that are looked at
 * together never get the same. The finalizer goes only after a read that is current has shown no
 * object: a create tests in its own transaction that the definition is live, so what is there can
 * only become less. Definitions that end hold up no others. Work is idempotent: after a restart
 * every definition is looked at again.
 * Bounds: `definitionsAtOnceMax` definitions are worked on together; the deletion of objects has
 * the deletions in flight of one deletecollection.
 */
import type { Subscription } from 'rxjs';
import type { ApprovalState } from '../../apiextensions/custom-schema.ts';
import {
  deletionConditions,
  withDefinitionConditions,
  withEstablishment,
  withNaming,
} from '../../apiextensions/lifecycle/conditions.ts';
import type { DefinitionCondition } from '../../apiextensions/lifecycle/conditions.ts';
import { createGroupNames } from '../../apiextensions/lifecycle/group-names.ts';
import type { GroupNames } from '../../apiextensions/lifecycle/group-names.ts';
import type { DefinitionReader } from '../../apiextensions/serving/definition-reader.ts';
import { standingOf } from '../../apiextensions/serving/definition-summary.ts';
import type { DefinitionSummary } from '../../apiextensions/serving/definition-summary.ts';
import { part } from '../../apimachinery/members.ts';
import { decodeSharedSteps, isLarge } from '../../apimachinery/object-encoding.ts';
import type { KindInfo } from '../../apimachinery/scheme.ts';
import { StatusReason } from '../../apimachinery/status-table.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { changeObject } from '../../registry/change-object.ts';
import type { RegistryDeps } from '../../registry/registry.ts';
import type { Timers } from '../../stdx/clock.ts';
import { runToEnd } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import { shortWorkMs, wholeTurnMs } from '../../stdx/turns.ts';
import { followObjects } from '../../../streams/followed-objects.ts';
import type { Entry } from '../../../streams/streams.ts';
import type { Controller } from '../controller.ts';
import type { QueueMeters } from '../queue-meters.ts';
import { createWorkQueue } from '../work-queue.ts';
import type { WorkQueue, WorkQueueDeps } from '../work-queue.ts';
import { removeInstances } from './instance-removal.ts';

const definitionsAtOnceMax = 16;

/** Who owns what the server writes of a definition. */
const manager = 'custom-resource-definitions';

export interface DefinitionLifecycleDeps {
  readonly registry: RegistryDeps;
  readonly timers: Timers;
  readonly queues: QueueMeters;
  /** The kind of definitions. */
  readonly kind: KindInfo;
  readonly reader: DefinitionReader;
  /** Holds a definition until its objects are gone. */
  readonly finalizer: string;
  /** Whether whoever owns its group has agreed to a definition. */
  readonly approvalOf: (definition: ApiObject) => ApprovalState | undefined;
  /** Whether what a definition names is built in, and none of its business. */
  readonly isBuiltIn: (resource: { readonly group: string; readonly resource: string }) => boolean;
  readonly onError: (definition: string, error: unknown) => void;
}

export function createDefinitionLifecycle(deps: DefinitionLifecycleDeps): Controller {
  const { kind, reader, registry } = deps;
  const { streams } = registry;
  /** By group. */
  const known = new Map<string, GroupNames>();
  const groups = new Map<string, string>();
  let following: Subscription | undefined;
  const ofGroup = (group: string): GroupNames => known.get(group) ?? createGroupNames();
  const all = (): Iterable<string> => groups.keys();
  const queue = queueOf(deps, 'definition-lifecycle', all, (name) =>
    keepDefinition(deps, name, ofGroup),
  );
  // Objects take their time to go: nobody who defines something waits for that.
  const ending = queueOf(deps, 'definition-removal', all, (name, isStopped) =>
    endDefinition(deps, name, isStopped),
  );
  /** Names may be free now. */
  const lookAtRefused = (group: string): void => {
    for (const name of known.get(group)?.refused ?? []) queue.add(name);
  };
  const take = (name: string, summary: DefinitionSummary): void => {
    const { accepted, group, isAccepted, isEnding } = summary;
    const names = ofGroup(group);
    names.set(name, { accepted, isAccepted });
    known.set(group, names);
    groups.set(name, group);
    (isEnding ? ending : queue).add(name);
  };
  const set = ({ bytes, name }: Entry): Steps<void> | undefined => {
    const summary = reader.summaryAtOnce(bytes);
    if (summary === undefined) return setInSteps(name, reader.summarySteps(bytes));
    take(name, summary);
    return undefined;
  };
  function* setInSteps(name: string, reading: Steps<DefinitionSummary>): Steps<void> {
    take(name, yield* reading);
  }
  const remove = ({ name }: Entry): void => {
    const group = groups.get(name);
    const names = group === undefined ? undefined : known.get(group);
    if (group === undefined || names === undefined) return;
    groups.delete(name);
    names.remove(name);
    if (names.size === 0) known.delete(group);
    else lookAtRefused(group);
  };
  const clear = (): void => {
    known.clear();
    groups.clear();
  };
  /** Most changes free none, and there may be very many that wait for one. */
  const changed = ({ name }: Entry): void => {
    const group = groups.get(name);
    if (group !== undefined && ofGroup(group).takeFreed()) lookAtRefused(group);
  };
  return {
    start() {
      const keeper = { clear, set, remove, changed };
      following = followObjects(streams, 'custom-resource-definitions', kind.storage, keeper);
      queue.start();
      ending.start();
    },
    async stop() {
      following?.unsubscribe();
      await Promise.all([queue.stop(), ending.stop()]);
    },
  };
}

function queueOf(
  { onError, queues, registry, timers }: DefinitionLifecycleDeps,
  name: string,
  all: WorkQueueDeps['all'],
  work: WorkQueueDeps['work'],
): WorkQueue {
  return createWorkQueue({
    timers,
    meter: queues.meterOf(name),
    batchMax: definitionsAtOnceMax,
    monotonicMs: () => registry.clock.monotonicMs(),
    prepare: () => registry.streams.waitUntilCurrent(),
    pause: () => registry.turns.pause(shortWorkMs),
    work,
    all,
    onError,
  });
}

/** True when there is nothing more to do for it now. */
async function keepDefinition(
  deps: DefinitionLifecycleDeps,
  name: string,
  ofGroup: (group: string) => GroupNames,
): Promise<boolean> {
  const { kind, reader, registry } = deps;
  const entry = registry.streams.snapshot(kind.storage).get('', name);
  if (entry === undefined) return true;
  await turnFor(deps, entry);
  const { group, isEnding } = reader.summary(entry.bytes);
  if (isEnding) return true;
  const nowMs = registry.clock.nowMs();
  await writeStatus(deps, name, (definition) => {
    if (definition.metadata.deletionTimestamp !== undefined) return definition;
    const names = ofGroup(group);
    const named = withNaming(definition, names.byOthers(name), deps.approvalOf(definition), nowMs);
    names.update(name, standingOf(named.metadata, part(named, 'status')));
    return withEstablishment(named, nowMs);
  });
  return true;
}

/** A large definition is decoded in turns of its own; several small ones have one together. */
async function turnFor({ registry }: DefinitionLifecycleDeps, { bytes }: Entry): Promise<void> {
  if (!isLarge(bytes)) return registry.turns.pause(shortWorkMs);
  await registry.turns.pause(wholeTurnMs);
  // Whoever reads it now has it at once.
  await runToEnd(registry.turns, decodeSharedSteps(bytes));
}

async function endDefinition(
  deps: DefinitionLifecycleDeps,
  name: string,
  isStopped: () => boolean,
): Promise<boolean> {
  const { finalizer, kind, reader, registry } = deps;
  const entry = registry.streams.snapshot(kind.storage).get('', name);
  if (entry !== undefined) await turnFor(deps, entry);
  const definition = entry && reader.read(entry.bytes);
  if (entry === undefined || definition?.metadata.finalizers?.includes(finalizer) !== true) {
    return true;
  }
  const { accepted, group, isEnding, isEstablished } = reader.summary(entry.bytes);
  if (!isEnding) return true;
  const resource = { group, resource: accepted.plural };
  const saying = (finding: DefinitionCondition) => (each: ApiObject) =>
    withDefinitionConditions(each, [finding], registry.clock.nowMs());
  /** It goes with this write, if nobody else holds it. */
  const release = async (finding: DefinitionCondition): Promise<true> => {
    const say = saying(finding);
    await write(deps, name, undefined, (each) => say(withoutFinalizer(each, finalizer)));
    return true;
  };
  if (!isEstablished) return release(deletionConditions.neverEstablished);
  if (deps.isBuiltIn(resource)) return release(deletionConditions.builtIn);
  if (registry.streams.snapshot(resource).count(undefined) > 0) {
    await writeStatus(deps, name, saying(deletionConditions.inProgress));
  }
  const left = await removeInstances(registry, resource, isStopped);
  if (left.kind === 'stopped') return false;
  if (left.kind === 'none') return release(deletionConditions.completed);
  const { failed, remaining } = deletionConditions;
  const why = left.kind === 'failed' ? failed(left.why) : remaining(left.why);
  await writeStatus(deps, name, saying(why));
  return false;
}

function withoutFinalizer(definition: ApiObject, finalizer: string): ApiObject {
  const { finalizers: held = [] } = definition.metadata;
  if (!held.includes(finalizer)) return definition;
  const finalizers = held.filter((each) => each !== finalizer);
  return { ...definition, metadata: { ...definition.metadata, finalizers } };
}

function writeStatus(
  deps: DefinitionLifecycleDeps,
  name: string,
  change: (definition: ApiObject) => ApiObject,
): Promise<void> {
  return write(deps, name, 'status', change);
}

/** `change`: of the form of v1. */
async function write(
  { kind, registry }: DefinitionLifecycleDeps,
  name: string,
  subresource: 'status' | undefined,
  change: (definition: ApiObject) => ApiObject,
): Promise<void> {
  const result = await changeObject(
    registry,
    { kind, namespace: '', name },
    { change, options: { dryRun: false, manager }, subresource, how: 'overwrite' },
  );
  if (result.kind === 'refused' && result.error.reason !== StatusReason.notFound) {
    throw result.error;
  }
}
