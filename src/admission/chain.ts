/**
 * Runs the admission plugins for a write, as its guard (registry/write-guard.ts): one list, two
 * phases. The plugins for the resource are asked in order, and the first refusal decides.
 *
 *     mutate   ▶ admit    ▶ misses what is about to be created           ▶ wait ▶ admit again
 *              ▶ a plugin asks for a second round                        ▶ all plugins once more
 *     validate ▶ validate ▶ needs an authorizer's answer from elsewhere  ▶ wait ▶ validate again
 *     a deletion ▶ admit, validate
 *
 * The plugins are listed in plugins.ts.
 *
 * Invariants: for a write that concerns no plugin only that is determined. A phase ends with 504 at
 * the deadline of its request, and when its client goes; later answers are ignored.
 * Bounds: for one write a plugin waits at most `askingMax` times for authorizers, and as often for
 * missing objects, once for each.
 */
import type {
  AdmissionOperation,
  AuditAnnotation,
  AdmissionNotes,
} from '../apimachinery/admission-data.ts';
import type { Identity } from '../apimachinery/identity.ts';
import type { KindInfo } from '../apimachinery/scheme.ts';
import {
  newClientGone,
  newForbidden,
  newRequestTimeout,
  StatusError,
} from '../apimachinery/status-error.ts';
import type { ApiObject, JsonObject } from '../apimachinery/unstructured.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';
import type { AccessChecker, Attributes } from '../authorization/authorizer.ts';
import type {
  AdmissionPhases,
  GuardedWrite,
  GuardOf,
  WriteGuard,
  WriteAdmission,
  WriteTerms,
} from '../registry/write-guard.ts';
import { after, firstOf } from '../stdx/awaitable.ts';
import type { Awaitable } from '../stdx/awaitable.ts';
import type { Clock, Timers } from '../stdx/clock.ts';
import { nothing, unlessGone } from '../stdx/requester.ts';
import type { Requester } from '../stdx/requester.ts';
import type { AdmissionTimes } from './admission-times.ts';
import type {
  AdmissionPlugin,
  AdmissionTarget,
  Ask,
  MutatePass,
  Proposed,
  Refusal,
  Review,
  AdmissionRecorder,
  ValidatePass,
  WaitFor,
} from './admission.ts';
import { nameOrPrefix } from './requested-name.ts';

/** A signer's right by its name and by its domain, of the object before and after, and one more. */
const askingMax = 5;

export interface ChainDeps {
  readonly identity: Pick<Identity, 'groups'>;
  readonly access: Pick<AccessChecker, 'check'>;
  readonly times: AdmissionTimes;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Pick<Timers, 'after'>;
}

export function admissionGuards(plugins: readonly AdmissionPlugin[], deps: ChainDeps): GuardOf {
  const pluginsOf = pluginIndex(plugins);
  return (user, write, operations) => {
    const possible = pluginsOf(write);
    if (possible.length === 0) return undefined;
    const target = targetOf(write, operations);
    const first = possible.findIndex((plugin) => plugin.concerns(user, target));
    if (first < 0) return undefined;
    const concerned = possible.filter(
      (plugin, at) => at === first || (at > first && plugin.concerns(user, target)),
    );
    return guardOf(concerned, user, target, deps);
  };
}

type PluginsOf = (write: GuardedWrite) => readonly AdmissionPlugin[];

/** The plugins for a write, looked up once for each resource that they name. */
function pluginIndex(plugins: readonly AdmissionPlugin[]): PluginsOf {
  const anywhere = plugins.filter(({ resources }) => resources === undefined);
  const named = new Map<string, readonly AdmissionPlugin[]>();
  for (const key of new Set(plugins.flatMap(({ resources = [] }) => resources))) {
    const those = plugins.filter(({ resources }) => resources?.includes(key) ?? true);
    named.set(key, those);
  }
  const find = ({ storage: { group, resource } }: KindInfo, subresource: string) => {
    const key = `${group}/${resource}`;
    return named.get(subresource === '' ? key : `${key}/${subresource}`) ?? anywhere;
  };
  // By the kind itself: a key made of texts costs more than what it is looked up for.
  const found = new WeakMap<KindInfo, Map<string, readonly AdmissionPlugin[]>>();
  return ({ kind, subresource = '' }) => {
    const ofKind = found.get(kind) ?? new Map<string, readonly AdmissionPlugin[]>();
    let those = ofKind.get(subresource);
    if (those !== undefined) return those;
    those = find(kind, subresource);
    ofKind.set(subresource, those);
    found.set(kind, ofKind);
    return those;
  };
}

function targetOf(
  { kind, name = '', namespace, subresource = '' }: GuardedWrite,
  operations: readonly AdmissionOperation[],
): AdmissionTarget {
  return { resource: kind.storage, kind, subresource, namespace, name, operations };
}

function guardOf(
  plugins: readonly AdmissionPlugin[],
  user: UserInfo,
  target: AdmissionTarget,
  deps: ChainDeps,
): WriteGuard {
  return {
    asks: asksOf(plugins, target.operations),
    current(requester) {
      const coming = plugins.flatMap((plugin) => plugin.current?.(target) ?? []);
      if (coming.length === 0) return undefined;
      return unlessGone(requester, Promise.all(coming).then(nothing), nothing);
    },
    admit: (terms, requester) =>
      writeAdmissionOf(plugins, { user, requester }, target, terms, deps),
  };
}

/** Whose write it is. */
interface Asking {
  readonly user: UserInfo;
  readonly requester: Requester | undefined;
}

function writeAdmissionOf(
  plugins: readonly AdmissionPlugin[],
  { requester, user }: Asking,
  target: AdmissionTarget,
  terms: WriteTerms,
  deps: ChainDeps,
): WriteAdmission {
  const { access, clock, identity, timers, times } = deps;
  const ports: Ports = { identity, access, times, clock, timers, requester, recorded: [] };
  const bodyKind = bodyKindOf(target);
  const reviewOf = <T extends ApiObject | undefined>(
    next: T,
    current: ApiObject | undefined,
    resourceVersion: string | undefined,
  ): ReviewOf<T> => {
    const operation = operationOf(target, next, current);
    const options = optionsOf(deps, operation, terms);
    const { deadlineMs, dryRun } = terms;
    const { kind, namespace, operations, resource, subresource } = target;
    const name = target.name === '' ? (next?.metadata.name ?? '') : target.name;
    // Spelled out, so that all reviews are of one shape: each write makes some.
    return {
      resource,
      kind,
      subresource,
      namespace,
      name,
      operations,
      user,
      operation,
      bodyKind,
      dryRun,
      options,
      deadlineMs,
      requester,
      next,
      current,
      resourceVersion,
    };
  };
  return {
    mutate(next, current, resourceVersion) {
      const proposed = reviewOf(next, current, resourceVersion);
      return inTime(proposed, ports, () => mutatedTwice(plugins, proposed, ports));
    },
    validate(next, current, resourceVersion) {
      const review = reviewOf(next, current, resourceVersion);
      return inTime(review, ports, () => validatedWhole(plugins, review, ports));
    },
    notes: () => notesOf(ports.recorded),
  };
}

type ReviewOf<T> = Review & { readonly next: T };

/** Most plugins leave an object as it is. */
function withNext(proposed: Proposed, next: ApiObject): Proposed {
  return next === proposed.next ? proposed : { ...proposed, next };
}

/** What the admission of a write needs beside the plugins, and what they have said. */
interface Ports extends ChainDeps {
  readonly requester: Requester | undefined;
  readonly recorded: RecordedNotes[];
}

function bodyKindOf({ kind, subresource }: AdmissionTarget): Review['bodyKind'] {
  const found = kind.subresources.find(({ name }) => name === subresource);
  return found?.kind ?? kind;
}

function operationOf(
  { operations: [first] }: AdmissionTarget,
  next: ApiObject | undefined,
  current: ApiObject | undefined,
): AdmissionOperation {
  if (first === 'CONNECT') return first;
  if (next === undefined) return 'DELETE';
  return current === undefined ? 'CREATE' : 'UPDATE';
}

function optionsOf(
  { identity }: Pick<ChainDeps, 'identity'>,
  operation: AdmissionOperation,
  { options }: WriteTerms,
): JsonObject | undefined {
  if (operation === 'CONNECT') return undefined;
  const kind = `${operation.charAt(0)}${operation.slice(1).toLowerCase()}Options`;
  return { kind, apiVersion: `${identity.groups.meta}/v1`, ...options };
}

/** What a plugin said of a review. */
interface RecordedNotes {
  readonly warnings: ReadonlySet<string>;
  /** By their keys: what is said last counts. */
  readonly annotations: ReadonlyMap<string, AuditAnnotation>;
}

/** Different texts that are kept of a plugin, which may say the same of thousands of things. More
 * are in no answer. */
const warningsMax = 256;

function noteRecorder(): RecordedNotes & { readonly recorder: AdmissionRecorder } {
  const warnings = new Set<string>();
  const annotations = new Map<string, AuditAnnotation>();
  const recorder: AdmissionRecorder = {
    warn: (text) => void (warnings.size < warningsMax && warnings.add(text)),
    annotate: (key, value, level) => void annotations.set(key, { key, value, level }),
  };
  return { warnings, annotations, recorder };
}

function recordNotes(
  { recorded: recorded }: Ports,
  { annotations, warnings }: RecordedNotes,
): void {
  if (warnings.size + annotations.size > 0) recorded.push({ warnings, annotations });
}

function notesOf(recorded: readonly RecordedNotes[]): AdmissionNotes | undefined {
  if (recorded.length === 0) return undefined;
  return {
    warnings: recorded.flatMap(({ warnings }) => [...warnings]),
    annotations: recorded.flatMap(({ annotations }) => [...annotations.values()]),
  };
}

/** Refused when the request's time is over or its client goes, whatever is still being asked. */
function inTime<T>(
  { deadlineMs, requester }: Review,
  { clock, timers }: Ports,
  find: () => Awaitable<T>,
): Awaitable<T | StatusError> {
  if (requester?.closed === true) return newClientGone(undone);
  const finding = find();
  if (!(finding instanceof Promise)) return finding;
  return new Promise((resolve, reject) => {
    const leftMs = Math.max(0, deadlineMs - clock.monotonicMs());
    const timer = timers.after(leftMs, () => resolve(newRequestTimeout()));
    const leave = (): void => resolve(newClientGone(undone));
    const settled = (): void => {
      timer.cancel();
      requester?.offAbort(leave);
    };
    finding.then(resolve, reject).finally(settled);
    requester?.onAbort(leave);
  });
}

const undone = 'its write was admitted';

/** What is found, and how long it took to find it. */
function timed<T>(
  name: string,
  type: 'admit' | 'validate',
  { operation }: Review,
  { times }: Ports,
  find: () => Awaitable<T>,
): Awaitable<T> {
  const startedMs = times.nowMs();
  return after(find(), (found) => {
    const refused = typeof found === 'string' || found instanceof StatusError;
    times.observe({ name, type, operation, rejected: refused ? 'true' : 'false' }, startedMs);
    return found;
  });
}

function asksOf(
  plugins: readonly AdmissionPlugin[],
  operations: readonly AdmissionOperation[],
): AdmissionPhases {
  const admitting = (by: AdmissionOperation): boolean =>
    operations.includes(by) && plugins.some((plugin) => admits(plugin, by));
  return {
    mutateCreation: admitting('CREATE') || admitting('CONNECT'),
    mutateChange: admitting('UPDATE'),
    validate:
      plugins.some(({ validate }) => validate !== undefined) ||
      (operations.includes('DELETE') && plugins.some((plugin) => plugin.admitDeletion)),
  };
}

function admits({ admit, admits: operations }: AdmissionPlugin, by: AdmissionOperation): boolean {
  return admit !== undefined && (operations ?? []).some((each) => each === by);
}

interface Round {
  readonly round: MutatePass['round'];
  /** By plugin. */
  readonly notes: Map<AdmissionPlugin, Map<string, unknown>>;
  askedAgain: boolean;
}

function mutatedTwice(
  plugins: readonly AdmissionPlugin[],
  proposed: Proposed,
  ports: Ports,
): Awaitable<ApiObject | StatusError> {
  const first: Round = { round: 0, notes: new Map(), askedAgain: false };
  const last = plugins.at(-1);
  const completing = last?.completes === true ? [last] : [];
  const changing = completing.length === 0 ? plugins : plugins.slice(0, -1);
  const twice = (): Awaitable<ApiObject | StatusError> =>
    after(mutated(changing, proposed, first, ports), (found) => {
      if (found instanceof StatusError || !first.askedAgain) return found;
      const second: Round = { round: 1, notes: first.notes, askedAgain: false };
      return mutated(changing, withNext(proposed, found), second, ports);
    });
  return timed('', 'admit', proposed, ports, () => {
    if (completing.length === 0) return twice();
    return after(twice(), (found) =>
      found instanceof StatusError
        ? found
        : mutated(completing, withNext(proposed, found), first, ports),
    );
  });
}

/** What each plugin makes of what the one before it has left. */
function mutated(
  [plugin, ...rest]: readonly AdmissionPlugin[],
  proposed: Proposed,
  round: Round,
  ports: Ports,
): Awaitable<ApiObject | StatusError> {
  if (plugin === undefined) return proposed.next;
  if (!admits(plugin, proposed.operation)) return mutated(rest, proposed, round, ports);
  const admit = (pass: MutatePass): Awaitable<ApiObject | NonNullable<Refusal>> =>
    plugin.admit?.(proposed, pass) ?? proposed.next;
  const admitting = timed(plugin.name, 'admit', proposed, ports, () =>
    admitted(plugin, admit, round, ports, new Set()),
  );
  return after(admitting, (found) => {
    if (found instanceof StatusError) return found;
    // Names are made behind those who change objects, as clients see it.
    if (typeof found === 'string')
      return newForbidden(proposed.resource, nameOrPrefix(proposed), found);
    return mutated(rest, withNext(proposed, found), round, ports);
  });
}

/** Tried again when what the plugin misses has come, once for each thing that it misses; answers of
 * authorizers that have to ask elsewhere are missed, too. */
function admitted<T>(
  plugin: AdmissionPlugin,
  admit: (pass: MutatePass) => Awaitable<T>,
  round: Round,
  ports: Ports,
  waited: ReadonlySet<string>,
  answers = new Map<string, boolean>(),
): Awaitable<T> {
  const coming = new Map<string, Promise<void>>();
  const waitFor: WaitFor = (what, comes) => {
    if (!waited.has(what)) coming.set(what, comes());
  };
  const ask = askOf(ports, answers, (key, answer) => {
    waitFor(key, () => answer.then((allows) => void answers.set(key, allows)));
  });
  const recording = noteRecorder();
  const notes = round.notes.get(plugin) ?? new Map<string, unknown>();
  round.notes.set(plugin, notes);
  const askAgain = (): void => void (round.askedAgain = true);
  const pass = { round: round.round, ask, askAgain, notes, waitFor, recorder: recording.recorder };
  return after(admit(pass), (found) => {
    if (coming.size === 0 || waited.size >= askingMax) {
      recordNotes(ports, recording);
      return found;
    }
    const missed = new Set([...waited, ...coming.keys()]);
    return Promise.all(coming.values()).then(() =>
      admitted(plugin, admit, round, ports, missed, answers),
    );
  });
}

/** `later`: what is being asked elsewhere. */
function askOf(
  { access, requester }: Ports,
  answers: ReadonlyMap<string, boolean>,
  later: (key: string, answer: Promise<boolean>) => void,
): Ask {
  return (attributes) => {
    const key = keyOf(attributes);
    const known = answers.get(key);
    if (known !== undefined) return known;
    const decision = access.check(attributes, requester);
    if (!(decision instanceof Promise)) return decision.kind === 'allow';
    later(
      key,
      decision.then(({ kind }) => kind === 'allow'),
    );
    return undefined;
  };
}

/** A deletion is shown to those who change objects, too, before the others. */
function validatedWhole(
  plugins: readonly AdmissionPlugin[],
  review: Review,
  ports: Ports,
): Awaitable<StatusError | undefined> {
  const validate = (): Awaitable<StatusError | undefined> =>
    timed('', 'validate', review, ports, () => validated(plugins, review, ports));
  const admitting = plugins.filter(({ admitDeletion }) => admitDeletion !== undefined);
  if (review.operation !== 'DELETE' || admitting.length === 0) return validate();
  const round: Round = { round: 0, notes: new Map(), askedAgain: false };
  const first = timed('', 'admit', review, ports, () =>
    deletionAdmitted(admitting, review, round, ports),
  );
  return after(first, (refusal) => refusal ?? validate());
}

/** The first refusal; undefined: nobody refuses. */
function deletionAdmitted(
  plugins: readonly AdmissionPlugin[],
  review: Review,
  round: Round,
  ports: Ports,
): Awaitable<StatusError | undefined> {
  return firstOf(plugins, (plugin) => {
    const admit = (pass: MutatePass): Awaitable<Refusal> => plugin.admitDeletion?.(review, pass);
    const admitting = timed(plugin.name, 'admit', review, ports, () =>
      admitted(plugin, admit, round, ports, new Set()),
    );
    return after(admitting, (refusal) => statusOf(review, refusal));
  });
}

/** As deletionAdmitted(). */
function validated(
  plugins: readonly AdmissionPlugin[],
  review: Review,
  ports: Ports,
): Awaitable<StatusError | undefined> {
  return firstOf(plugins, (plugin) => {
    if (plugin.validate === undefined) return undefined;
    const validating = timed(plugin.name, 'validate', review, ports, () =>
      refusalOf(plugin, review, ports, new Map()),
    );
    return after(validating, (refusal) => statusOf(review, refusal));
  });
}

/** Tried again when authorizers that have to ask elsewhere have answered. */
function refusalOf(
  plugin: AdmissionPlugin,
  review: Review,
  ports: Ports,
  answers: ReadonlyMap<string, boolean>,
): Awaitable<Refusal> {
  const open = new Map<string, Promise<boolean>>();
  const ask = askOf(ports, answers, (key, answer) => void open.set(key, answer));
  const recording = noteRecorder();
  const { access, requester } = ports;
  const decide: ValidatePass['decide'] = (attributes) =>
    after(access.check(attributes, requester), ({ kind }) => kind === 'allow');
  const pass: ValidatePass = { ask, decide, recorder: recording.recorder };
  return after(plugin.validate?.(review, pass), (refusal) => {
    if (open.size === 0 || answers.size >= askingMax) {
      recordNotes(ports, recording);
      return refusal;
    }
    return answered(open).then((more) =>
      refusalOf(plugin, review, ports, new Map([...answers, ...more])),
    );
  });
}

async function answered(
  open: ReadonlyMap<string, Promise<boolean>>,
): Promise<readonly (readonly [string, boolean])[]> {
  return Promise.all([...open].map(async ([key, answer]) => [key, await answer] as const));
}

function statusOf(review: Review, refusal: Refusal): StatusError | undefined {
  return typeof refusal === 'string' ? forbidden(review, refusal) : refusal;
}

function forbidden({ name, resource }: Review, why: string): StatusError {
  return newForbidden(resource, name, why);
}

/** Two questions are one when everything that an authorizer decides by is the same. */
function keyOf(asked: Attributes): string {
  const { user, verb, apiGroup, apiVersion, resource, subresource, namespace, name, path } = asked;
  const target = [apiGroup, apiVersion, resource, subresource, namespace, name, path];
  return JSON.stringify([user.name, verb, ...target]);
}

/** A question about a resource of the cluster, for plugins that ask. */
export function question(
  user: UserInfo,
  asked: Pick<Attributes, 'verb' | 'apiGroup' | 'resource' | 'name'>,
  namespace = '',
): Attributes {
  return {
    ...asked,
    user,
    isResourceRequest: true,
    path: '',
    namespace,
    apiVersion: '*',
    subresource: '',
  };
}
