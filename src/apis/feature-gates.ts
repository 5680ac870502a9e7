/**
 * Feature gates: their names, their stages by release, and the values that `--feature-gates` sets
 * (spec 2, section 3.2; section 9.1, rules 9 and 10).
 *
 *     alpha       off unless asked for
 *     beta        on or off as its row says; may be switched
 *     ga          non-operational: always on; accepted with a warning, refused when switched off
 *     deprecated  may still be switched, with a warning
 *     removed     not a gate any more
 *
 * The code that reads a gate decides what it does.
 *
 * Invariant: the values of a release are complete: every gate that it knows has one.
 */
import { lookup, ownMember } from '../stdx/lookup.ts';
export type GateStage = 'alpha' | 'beta' | 'ga' | 'deprecated';

export interface GateStep {
  /** Minor release of 1. */
  readonly since: number;
  readonly stage: GateStage | 'removed';
  readonly on: boolean;
}

export type GateTable = Readonly<Record<string, readonly GateStep[]>>;

/** `<release> <stage> [off]`, in order: a beta is on unless it says off. */
function life(text: string): readonly GateStep[] {
  return text.split(', ').map((step) => {
    const [since, stage, off] = step.split(' ');
    const on = off === undefined && stage !== 'alpha' && stage !== 'removed';
    return { since: Number(since), stage: stage as GateStep['stage'], on };
  });
}

export const featureGates: GateTable = lookup({
  APIListChunking: life('8 alpha, 9 beta, 29 ga'),
  APIResponseCompression: life('8 alpha, 16 beta'),
  APIServerIdentity: life('20 alpha, 26 beta'),
  AggregatedDiscoveryEndpoint: life('26 alpha, 27 beta, 30 ga'),
  AllowInsecureKubeletCertificateSigningRequests: life('31 deprecated off'),
  AllowUnsafeMalformedObjectDeletion: life('32 alpha'),
  CBORServingAndStorage: life('32 alpha'),
  ClusterTrustBundleProjection: life('29 alpha, 33 beta off'),
  ContainerStopSignals: life('33 alpha'),
  CoordinatedLeaderElection: life('31 alpha, 33 beta off'),
  DRAAdminAccess: life('32 alpha'),
  DRADeviceTaints: life('33 alpha'),
  DRAPartitionableDevices: life('33 alpha'),
  DRAPrioritizedList: life('33 alpha'),
  DeclarativeValidation: life('33 beta'),
  DeclarativeValidationTakeover: life('33 beta off'),
  DeploymentReplicaSetTerminatingReplicas: life('33 alpha'),
  DryRun: life('12 alpha, 13 beta, 19 ga, 28 removed'),
  DynamicResourceAllocation: life('26 alpha, 32 beta off'),
  HPAConfigurableTolerance: life('33 alpha'),
  ImageVolume: life('31 alpha, 33 beta off'),
  MaxUnavailableStatefulSet: life('24 alpha'),
  MutableCSINodeAllocatableCount: life('33 alpha'),
  MutatingAdmissionPolicy: life('32 alpha'),
  OpenAPIV3: life('23 alpha, 24 beta, 27 ga'),
  PodLevelResources: life('32 alpha'),
  PodObservedGenerationTracking: life('33 alpha'),
  PodTopologyLabelsAdmission: life('33 alpha'),
  PreferSameTrafficDistribution: life('33 alpha'),
  RemainingItemCount: life('15 alpha, 16 beta, 29 ga'),
  ResourceHealthStatus: life('31 alpha'),
  RetryGenerateName: life('30 alpha, 31 beta, 32 ga'),
  ServerSideFieldValidation: life('23 alpha, 25 beta, 27 ga'),
  ServiceAccountNodeAudienceRestriction: life('33 beta'),
  UserNamespacesPodSecurityStandards: life('29 alpha'),
  VolumeAttributesClass: life('29 alpha, 31 beta off'),
  WatchBookmark: life('15 alpha, 16 beta, 17 ga'),
  WatchList: life('27 alpha, 32 beta'),
});

/** Switch every gate of a stage that is not switched by name. */
const stageKeys: Readonly<Record<string, GateStage>> = lookup({
  AllAlpha: 'alpha',
  AllBeta: 'beta',
});

/** Where a gate stands in a release; undefined when the release does not know it. */
function stepAt(steps: readonly GateStep[], release: number): GateStep | undefined {
  const step = steps.findLast((each) => each.since <= release);
  return step?.stage === 'removed' ? undefined : step;
}

/** Where a gate stands in a release; undefined: it is none there. */
export function stageOfGate(name: string, release: number): GateStage | undefined {
  const stage = stepAt(ownMember(featureGates, name) ?? [], release)?.stage;
  return stage === 'removed' ? undefined : stage;
}

export type ParsedGates =
  | {
      readonly kind: 'ok';
      readonly values: ReadonlyMap<string, boolean>;
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'invalid'; readonly item: string; readonly problem: string };

/** `text` is `NAME=BOOL,...`; a missing value means true, the last one of a name counts. */
export function parseFeatureGates(
  text: string,
  release: number,
  table: GateTable = featureGates,
): ParsedGates {
  const given = new Map<string, boolean>();
  for (const item of text.split(',').map((part) => part.trim())) {
    if (item === '') continue;
    const [name = '', value = 'true', ...extra] = item.split('=').map((part) => part.trim());
    if (extra.length > 0 || (value !== 'true' && value !== 'false')) {
      return { kind: 'invalid', item, problem: 'NAME=true or NAME=false' };
    }
    const on = value === 'true';
    const problem = problemOf(name, on, release, table);
    if (problem !== undefined) return { kind: 'invalid', item, problem };
    given.delete(name);
    given.set(name, on);
  }
  const warnings = [...given].flatMap(([name, on]) => warningOf(name, on, release, table));
  return { kind: 'ok', values: valuesOf(given, release, table), warnings };
}

/** Why the gate cannot be set so, as what it should have been. */
function problemOf(
  name: string,
  on: boolean,
  release: number,
  table: GateTable,
): string | undefined {
  if (stageKeys[name] !== undefined) return undefined;
  const steps = ownMember(table, name) ?? [];
  const step = stepAt(steps, release);
  if (step === undefined) {
    // A gate of a later release may be given as off: that is what it is.
    const later = steps[0] !== undefined && steps[0].since > release;
    if (later && !on) return undefined;
    return `a gate of release 1.${release}: ${knownNames(release, table).join(', ')}`;
  }
  if (step.stage === 'ga' && on !== step.on) {
    return `possible: ${name} is non-operational and locked to ${step.on}`;
  }
  return undefined;
}

function knownNames(release: number, table: GateTable): readonly string[] {
  const known = Object.keys(table).filter((name) => stepAt(table[name] ?? [], release));
  return [...Object.keys(stageKeys), ...known];
}

function warningOf(
  name: string,
  on: boolean,
  release: number,
  table: GateTable,
): readonly string[] {
  const stage = stepAt(table[name] ?? [], release)?.stage;
  if (stage === 'ga') {
    const why = 'it is non-operational, and a later release will not know it';
    return [`the feature gate ${name}=${on} is deprecated: the feature is stable; ${why}`];
  }
  if (stage !== 'deprecated') return [];
  return [`the feature gate ${name}=${on} is deprecated, and still works; it will be removed`];
}

function valuesOf(
  given: ReadonlyMap<string, boolean>,
  release: number,
  table: GateTable,
): ReadonlyMap<string, boolean> {
  const values = new Map<string, boolean>();
  for (const [name, steps] of Object.entries(table)) {
    const step = stepAt(steps, release);
    if (step === undefined) {
      values.set(name, steps.at(-1)?.stage === 'removed' && (steps[0]?.since ?? 0) <= release);
      continue;
    }
    const key = Object.keys(stageKeys).find((each) => stageKeys[each] === step.stage);
    const byStage = key === undefined ? undefined : given.get(key);
    values.set(name, given.get(name) ?? byStage ?? step.on);
  }
  return values;
}
