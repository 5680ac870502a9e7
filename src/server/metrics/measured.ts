/** What the metrics page shows: the figures that the parts keep of themselves. */
import type { TransportLoad } from '../../transport/load.ts';
import type { Seats } from '../../endpoints/filters/in-flight.ts';
import type { Measured } from './metrics.ts';
import { storeFileBytes } from '../../storage/lmdb/opened-file.ts';
import type { Streams } from '../../../streams/streams.ts';
import type { LogFollow } from '../compose/log-follow.ts';
import type { ServerParts } from '../compose/server-parts.ts';

function of(name: string, help: string, read: () => number): Measured {
  return { name, help, read };
}

export function measuredOf(parts: ServerParts): readonly Measured[] {
  const { streams, actors, committer, storage, validation } = parts;
  return [
    of(
      'sluice_watch_groups',
      'Groups of open watches that are sent the same bytes.',
      () => streams.stats().groupsCount,
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
      'sluice_log_changes_total',
      'Changes applied to the caches.',
      () => streams.stats().eventsTotal,
    ),
    of(
      'sluice_watch_frames_total',
      'Frames made for groups of watches.',
      () => streams.stats().framesTotal,
    ),
    of('sluice_cache_bytes', 'Bytes of objects in the caches.', () => streams.stats().cachedBytes),
    ...encodingsMeasured(parts),
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
    of('sluice_store_full', '1 while the store has room for deletions only.', () =>
      storage.failure()?.code === 'full' ? 1 : 0,
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

/** What is held for callers. */
export function loadMeasured(
  seats: Pick<Seats, 'streamsCount'>,
  load: TransportLoad,
): readonly Measured[] {
  const { answers, bodies, spool } = load;
  return [
    of('sluice_watches_open', 'Watches that hold a seat.', () => seats.streamsCount),
    of('sluice_request_body_bytes', 'Bytes of request bodies held.', () => bodies.heldBytes),
    of(
      'sluice_spooled_bytes',
      'Bytes on disk of what clients sent faster than it was taken.',
      () => spool.usedBytes,
    ),
    of(
      'sluice_unread_answer_bytes',
      'Bytes of answers that their readers have not taken.',
      () => answers.heldBytes,
    ),
    of(
      'sluice_stalled_readers_cut_total',
      'Answers cut because their readers took nothing.',
      () => answers.cutCount,
    ),
  ];
}

/** The file of a store on this machine, under the name that dashboards know. */
export function storeSizeMeasured(directory: string): Measured {
  return {
    name: 'apiserver_storage_size_bytes',
    help: 'Bytes that the file of the store takes.',
    stability: 'STABLE',
    labels: { storage_cluster_id: 'etcd-0' },
    read: () => storeFileBytes(directory),
  };
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

function encodingsMeasured({ encodings }: ServerParts): readonly Measured[] {
  return [
    of(
      'sluice_encodings_bytes',
      'Bytes of objects kept in the forms they were asked for.',
      () => encodings.bytes,
    ),
    of(
      'sluice_encodings_made_total',
      'Objects encoded because none was kept in the form that was asked for.',
      () => encodings.madeCount,
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
