/** Metrics of the addresses and node ports of services, under the reference's names. */
import { portsOf } from '../../admission/addresses/ranges.ts';
import type { PortRange } from '../../admission/addresses/ranges.ts';
import type {
  AllocationCounts,
  GivenCounts,
  RangeCounts,
  Scope,
} from '../../admission/addresses/allocation-counts.ts';
import type { MetricSeries } from './metrics.ts';
import type { Labels, Sample } from './metrics-text.ts';

const scopes: readonly Scope[] = ['dynamic', 'static'];

export function allocationSeries(
  counts: AllocationCounts,
  nodePorts: PortRange,
): readonly MetricSeries[] {
  return [...addressSeries(counts), ...portSeries(counts, nodePorts)];
}

function addressSeries(counts: AllocationCounts): readonly MetricSeries[] {
  const prefix = 'kube_apiserver_clusterip_allocator_';
  const ofRanges = (of: (each: RangeCounts, labels: Labels) => readonly Sample[]) => () =>
    counts.ranges().flatMap(([{ cidr }, each]) => of(each, { cidr }));
  return [
    {
      name: `${prefix}allocated_ips`,
      help: 'Addresses of the range that services have.',
      read: () => counts.ranges().map(([{ cidr }, , value]) => ({ labels: { cidr }, value })),
    },
    {
      name: `${prefix}available_ips`,
      help: 'Addresses of the range that services may get.',
      read: () =>
        counts.ranges().map(([{ cidr, size }, , taken]) => ({
          labels: { cidr },
          value: size - taken,
        })),
    },
    {
      name: `${prefix}allocation_total`,
      help: 'Addresses that were chosen for services, or named by them.',
      read: ofRanges(({ given }, labels) => byScope(given, labels)),
    },
    {
      name: `${prefix}allocation_errors_total`,
      help: 'Addresses that services did not get.',
      read: ofRanges(({ failed }, labels) => byScope(failed, labels)),
    },
    {
      name: `${prefix}allocation_duration_seconds`,
      help: 'Time to find an address in the range.',
      readHistograms: () =>
        counts.ranges().map(([{ cidr }, { seconds }]) => ({
          labels: { cidr },
          histogram: seconds,
        })),
    },
  ];
}

function portSeries(counts: AllocationCounts, nodePorts: PortRange): readonly MetricSeries[] {
  const prefix = 'kube_apiserver_nodeport_allocator_';
  const gauge = (name: string, help: string, read: () => number): MetricSeries => ({
    name: `${prefix}${name}`,
    help,
    read: () => [{ labels: {}, value: read() }],
  });
  return [
    gauge('allocated_ports', 'Node ports that services have.', () => counts.portsTaken()),
    gauge(
      'available_ports',
      'Node ports that services may get.',
      () => portsOf(nodePorts) - counts.portsTaken(),
    ),
    {
      name: `${prefix}allocation_total`,
      help: 'Node ports that were chosen for services, or named by them.',
      read: () => byScope(counts.ports.given, {}),
    },
    {
      name: `${prefix}allocation_errors_total`,
      help: 'Node ports that services did not get.',
      read: () => byScope(counts.ports.failed, {}),
    },
  ];
}

function byScope(counts: GivenCounts['given'], labels: Labels): readonly Sample[] {
  return scopes.map((scope) => ({ labels: { ...labels, scope }, value: counts[scope] }));
}
