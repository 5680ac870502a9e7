/** What the metrics page shows: the figures that the parts keep of themselves. */
import type { Measured } from './metrics.ts';
import type { Streams } from '../../streams/streams.ts';
import type { LogFollow } from './log-follow.ts';
import type { ServerParts } from './server-parts.ts';

/** Metrics of the reference that dashboards rely on; the others are this program's own. */
const stable: ReadonlySet<string> = new Set([
  'apiserver_current_inflight_requests',
  'apiserver_longrunning_requests',
]);

function of(name: string, help: string, read: () => number): Measured {
  return { name, help, read, stability: stable.has(name) ? 'STABLE' : 'ALPHA' };
}

export function measuredOf(parts: ServerParts, inFlight: () => number): readonly Measured[] {
  const { streams, actors, committer, validation } = parts;
  return [
    of(
      'apiserver_current_inflight_requests',
      'Requests being answered, watches not counted.',
      inFlight,
    ),
    of('apiserver_longrunning_requests', 'Open watches.', () => streams.stats().watchersCount),
    of(
      'sluice_watch_classes',
      'Distinct pipelines behind the open watches.',
      () => streams.stats().classesCount,
    ),
    of(
      'sluice_watchers_blocked',
      'Watches waiting for their socket.',
      () => streams.stats().blockedCount,
    ),
    of(
      'sluice_watchers_catching_up',
      'Watches behind the live events.',
      () => streams.stats().catchingUpCount,
    ),
    of(
      'apiserver_watch_events_total',
      'Changes applied to the caches.',
      () => streams.stats().eventsTotal,
    ),
    of(
      'sluice_watch_frames_total',
      'Frames made for watch classes.',
      () => streams.stats().framesTotal,
    ),
    of(
      'apiserver_storage_objects',
      'Objects in the caches.',
      () => streams.stats().cachedObjectsCount,
    ),
    of('sluice_cache_bytes', 'Bytes of objects in the caches.', () => streams.stats().cachedBytes),
    of('sluice_actors_resident', 'Object actors in memory.', () => actors.stats().residentCount),
    of(
      'sluice_actor_activations_total',
      'Actors activated.',
      () => actors.stats().activationsTotal,
    ),
    of(
      'sluice_actor_passivations_total',
      'Actors passivated.',
      () => actors.stats().passivationsTotal,
    ),
    of(
      'sluice_actor_redecisions_total',
      'Commands decided again.',
      () => actors.stats().redecisionsTotal,
    ),
    of('sluice_commits_total', 'Commits of the store.', () => committer.stats().commitsTotal),
    of('sluice_mutations_total', 'Mutations committed.', () => committer.stats().mutationsTotal),
    ...validationMeasured(validation),
    of(
      'sluice_commit_queue',
      'Mutations waiting for a commit.',
      () => committer.stats().queuedMutationsCount,
    ),
  ];
}

/** How far behind the store this server is. The store is asked when the page is. */
export function lagMeasured(streams: Streams, logFollow: LogFollow): readonly Measured[] {
  const of = (name: string, help: string, read: Measured['read']): Measured => ({
    name,
    help,
    read,
  });
  return [
    of(
      'sluice_log_lag_seconds',
      'Time for which the log is known to be ahead of the caches, or the store not to answer.',
      () => streams.stats().lagMs / 1000,
    ),
    of(
      'sluice_consistent_reads_waiting',
      'Consistent reads that wait for the log.',
      () => streams.stats().readsWaitingCount,
    ),
    of(
      'sluice_consistent_read_oldest_seconds',
      'Time for which the oldest of them has waited.',
      () => streams.stats().oldestReadMs / 1000,
    ),
    of('sluice_log_applied_revision', 'Newest revision in the caches.', () =>
      Number(streams.revision),
    ),
    of('sluice_store_revision', 'Newest revision of the store; NaN when it does not say.', () =>
      logFollow.storeRevision(),
    ),
  ];
}

function validationMeasured(validation: ServerParts['validation']): readonly Measured[] {
  return [
    of(
      'declarative_validation_mismatch_total',
      'Writes that declared and hand-written validation judged differently.',
      () => validation.stats().mismatchesTotal,
    ),
    of(
      'declarative_validation_panic_total',
      'Writes for which declared validation failed.',
      () => validation.stats().panicsTotal,
    ),
  ];
}
