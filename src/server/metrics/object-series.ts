/**
 * Metrics of objects, watches and the store, under the reference's names.
 *
 * Elsewhere: counting (src/endpoints/watch-counts.ts, src/storage/timed-storage.ts).
 */
import type { Scheme } from '../../apimachinery/scheme.ts';
import { formatGroupResource } from '../../apimachinery/schema.ts';
import type { GroupResource } from '../../apimachinery/schema.ts';
import type { WatchCounts } from '../../endpoints/watch-counts.ts';
import type { StoreTimes } from '../../storage/timed-storage.ts';
import type { FollowerStats } from '../../../streams/followers.ts';
import type { Streams } from '../../../streams/streams.ts';
import type { LabelledSeries, MetricSeries } from './metrics.ts';

/** Objects in the caches, which know all that there are. */
export function objectSeries(
  scheme: Pick<Scheme, 'generation' | 'groups'>,
  streams: Pick<Streams, 'snapshot' | 'unreadableEntries'>,
): readonly LabelledSeries[] {
  let generation: number | undefined;
  let stored: readonly StoredSeries[] = [];
  const storedSeries = (): readonly StoredSeries[] => {
    if (generation === scheme.generation) return stored;
    generation = scheme.generation;
    stored = storedResources(scheme).map((resource) => ({
      resource,
      named: { resource: formatGroupResource(resource) },
      grouped: { group: resource.group, resource: resource.resource },
    }));
    return stored;
  };
  const count = (resource: GroupResource): number =>
    streams.snapshot(resource).count(undefined) + streams.unreadableEntries(resource).size;
  return [
    {
      name: 'apiserver_storage_objects',
      help: 'Objects by resource.',
      stability: 'STABLE',
      read: () =>
        storedSeries().map(({ named, resource }) => ({ labels: named, value: count(resource) })),
    },
    {
      name: 'apiserver_resource_objects',
      help: 'Objects by group and resource.',
      read: () =>
        storedSeries().map(({ grouped, resource }) => ({
          labels: grouped,
          value: count(resource),
        })),
    },
  ];
}

interface StoredSeries {
  readonly resource: GroupResource;
  readonly named: { readonly resource: string };
  readonly grouped: { readonly group: string; readonly resource: string };
}

function storedResources({ groups }: Pick<Scheme, 'groups'>): readonly GroupResource[] {
  const stored = new Map<string, GroupResource>();
  for (const { versions } of groups) {
    for (const { kinds } of versions) {
      for (const { computed, operation, storage } of kinds) {
        if (computed === true || operation === true) continue;
        stored.set(formatGroupResource(storage), storage);
      }
    }
  }
  return [...stored.values()];
}

export function watchSeries(counts: WatchCounts): readonly MetricSeries[] {
  const labelled = () =>
    [...counts.read()].map(([{ group, version, resource }, histogram]) => ({
      labels: { group, version, resource },
      histogram,
    }));
  return [
    {
      name: 'apiserver_watch_events_total',
      help: 'Events that were sent to watches.',
      stability: 'BETA',
      read: () => labelled().map(({ labels, histogram }) => ({ labels, value: histogram.count })),
    },
    {
      name: 'apiserver_watch_events_sizes',
      help: 'Bytes of these events; those that were sent in one write count as equally large.',
      stability: 'BETA',
      readHistograms: labelled,
    },
    {
      name: 'apiserver_watch_list_duration_seconds',
      help: 'Time from a request for a streaming list to the end mark of its initial events.',
      readHistograms: () =>
        counts.lists().map(({ kind: { group, version, resource }, scope, seconds }) => ({
          labels: { group, version, resource, scope },
          histogram: seconds,
        })),
    },
  ];
}

/** Metrics of the followers in this process: controllers, indexes of authorizers. */
export function followerSeries({ followers }: Pick<Streams, 'followers'>): readonly MetricSeries[] {
  const read = (valueOf: (stats: FollowerStats) => number) => () =>
    followers.stats().map((each) => ({ labels: { name: each.name }, value: valueOf(each) }));
  return [
    {
      name: 'sluice_change_follower_failures_total',
      help: 'Changes, or whole states, that who follows them failed to take; it begins anew.',
      read: read(({ failuresTotal }) => failuresTotal),
    },
    {
      name: 'sluice_change_follower_failing',
      help: '1 while it has failed too often in a row for the server to be ready.',
      read: read(({ failing }) => (failing ? 1 : 0)),
    },
  ];
}

/** Under the names that dashboards know, whatever the store is. */
export function storeSeries(times: () => readonly StoreTimes[]): readonly MetricSeries[] {
  const labelsOf = ({ operation, resource }: StoreTimes) => ({ operation, type: resource });
  return [
    {
      name: 'etcd_request_duration_seconds',
      help: 'Time that the store took; that of a commit for each of its writes.',
      readHistograms: () =>
        times().map((each) => ({ labels: labelsOf(each), histogram: each.seconds })),
    },
    {
      name: 'etcd_requests_total',
      help: 'What the store was asked for.',
      read: () => times().map((each) => ({ labels: labelsOf(each), value: each.seconds.count })),
    },
    {
      name: 'etcd_request_errors_total',
      help: 'What the store did not do.',
      read: () => times().map((each) => ({ labels: labelsOf(each), value: each.failures })),
    },
  ];
}
