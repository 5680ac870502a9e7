/**
 * The table of pod security checks by level and release, and their evaluation for a pod.
 *
 *     privileged   none
 *     baseline     what is known to let a pod take over its node
 *     restricted   the baseline, and what a pod must explicitly give up
 *
 * The checks themselves are in baseline-checks.ts and restricted-checks.ts.
 *
 * Invariants: the rules of a release never change; a newer release may have more. A release newer
 * than this server counts as the newest that it knows.
 * Bounds: a pod is walked once for each check; messages are bounded (evaluated-pod.ts).
 */
import {
  appArmorProfile,
  baselineCapabilities,
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  privileged,
  procMount,
  seccompAnnotations,
  seccompProfile,
  seLinuxOptions,
  sysctls,
  windowsHostProcess,
} from './baseline-checks.ts';
import { finished } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { EvaluatedPod, Finding, PodCheck } from './evaluated-pod.ts';
import type { Level, LevelVersion } from './levels.ts';
import {
  allowPrivilegeEscalation,
  restrictedCapabilities,
  restrictedVolumes,
  runAsNonRoot,
  runAsUser,
  seccompProfileSet,
  unlessWindows,
} from './restricted-checks.ts';

/** By which rules pods are looked at. */
export interface SecurityRules {
  /** Minor release of 1: the newest whose rules there are. */
  readonly release: number;
  /** Whether a pod whose users are not those of its node (`hostUsers: false`) may be root in it
   * (feature gate UserNamespacesPodSecurityStandards). */
  readonly relaxesUserNamespaces: boolean;
}

interface CheckRow {
  readonly id: string;
  readonly level: Exclude<Level, 'privileged'>;
  /** From which minor release of 1 on, which check; a later one takes its place. */
  readonly since: readonly (readonly [number, PodCheck])[];
  /** A baseline check that this one makes needless while it holds. */
  readonly overrides?: string | undefined;
  /** It means nothing for users that are not those of the node. */
  readonly ofHostUsers?: true;
}

const sysctlsAt0 = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
];
const sysctlsAt27 = [...sysctlsAt0, 'net.ipv4.ip_local_reserved_ports'];
const sysctlsAt29 = [
  ...sysctlsAt27,
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
];
const sysctlsAt32 = [...sysctlsAt29, 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'];

const seLinuxTypesAt0 = ['', 'container_t', 'container_init_t', 'container_kvm_t'];
const seLinuxTypesAt31 = [...seLinuxTypesAt0, 'container_engine_t'];

/** In the order of their texts: the baseline first, then by name. */
const rows: readonly CheckRow[] = [
  { id: 'appArmorProfile', level: 'baseline', since: [[0, appArmorProfile]] },
  { id: 'capabilities_baseline', level: 'baseline', since: [[0, baselineCapabilities]] },
  { id: 'hostNamespaces', level: 'baseline', since: [[0, hostNamespaces]] },
  { id: 'hostPathVolumes', level: 'baseline', since: [[0, hostPathVolumes]] },
  { id: 'hostPorts', level: 'baseline', since: [[0, hostPorts]] },
  { id: 'privileged', level: 'baseline', since: [[0, privileged]] },
  { id: 'procMount', level: 'baseline', since: [[0, procMount]], ofHostUsers: true },
  {
    id: 'seLinuxOptions',
    level: 'baseline',
    since: [
      [0, seLinuxOptions(seLinuxTypesAt0)],
      [31, seLinuxOptions(seLinuxTypesAt31)],
    ],
  },
  {
    id: 'seccompProfile_baseline',
    level: 'baseline',
    since: [
      [0, seccompAnnotations],
      [19, seccompProfile],
    ],
  },
  {
    id: 'sysctls',
    level: 'baseline',
    since: [
      [0, sysctls(sysctlsAt0)],
      [27, sysctls(sysctlsAt27)],
      [29, sysctls(sysctlsAt29)],
      [32, sysctls(sysctlsAt32)],
    ],
  },
  { id: 'windowsHostProcess', level: 'baseline', since: [[0, windowsHostProcess]] },
  {
    id: 'allowPrivilegeEscalation',
    level: 'restricted',
    since: [
      [8, allowPrivilegeEscalation],
      [25, unlessWindows(allowPrivilegeEscalation)],
    ],
  },
  {
    id: 'capabilities_restricted',
    level: 'restricted',
    since: [
      [22, restrictedCapabilities],
      [25, unlessWindows(restrictedCapabilities)],
    ],
    overrides: 'capabilities_baseline',
  },
  {
    id: 'restrictedVolumes',
    level: 'restricted',
    since: [[0, restrictedVolumes]],
    overrides: 'hostPathVolumes',
  },
  { id: 'runAsNonRoot', level: 'restricted', since: [[0, runAsNonRoot]], ofHostUsers: true },
  { id: 'runAsUser', level: 'restricted', since: [[23, runAsUser]], ofHostUsers: true },
  {
    id: 'seccompProfile_restricted',
    level: 'restricted',
    since: [
      [19, seccompProfileSet],
      [25, unlessWindows(seccompProfileSet)],
    ],
    overrides: 'seccompProfile_baseline',
  },
];

type Chosen = readonly (Pick<CheckRow, 'ofHostUsers'> & { readonly check: PodCheck })[];

/** The checks of each level and release that were asked for; there are a few dozen releases. */
const chosen = new Map<string, Chosen>();

function checksOf(level: Level, minor: number): Chosen {
  const key = `${level} ${minor}`;
  const known = chosen.get(key);
  if (known !== undefined) return known;
  const found = chooseChecks(level, minor);
  chosen.set(key, found);
  return found;
}

function chooseChecks(level: Level, minor: number): Chosen {
  if (level === 'privileged') return [];
  const holding = rows.flatMap((row) => {
    if (row.level === 'restricted' && level === 'baseline') return [];
    const check = row.since.findLast(([since]) => since <= minor)?.[1];
    return check === undefined ? [] : [{ ...row, check }];
  });
  const overridden = new Set(holding.map(({ overrides }) => overrides));
  return holding.filter(({ id }) => !overridden.has(id));
}

/** What the level finds in a pod, in the order of the table; a step for each check. */
export function* findingSteps(
  pod: EvaluatedPod,
  { level, version }: LevelVersion,
  { relaxesUserNamespaces, release }: SecurityRules,
): Steps<readonly Finding[]> {
  const minor = version === 'latest' ? release : Math.min(version, release);
  const isRelaxed = relaxesUserNamespaces && pod.spec['hostUsers'] === false;
  const findings: Finding[] = [];
  for (const { check, ofHostUsers } of checksOf(level, minor)) {
    if (isRelaxed && ofHostUsers === true) continue;
    const found = check(pod);
    if (found !== undefined) findings.push(found);
    yield;
  }
  return findings;
}

/** The same at once. */
export function findingsIn(
  pod: EvaluatedPod,
  level: LevelVersion,
  rules: SecurityRules,
): readonly Finding[] {
  return finished(findingSteps(pod, level, rules));
}

/** `reason (detail), reason (detail)`. */
export function detailsOf(findings: readonly Finding[]): string {
  return findings.map(({ reason, detail }) => `${reason} (${detail})`).join(', ');
}

export function reasonsOf(findings: readonly Finding[]): string {
  return findings.map(({ reason }) => reason).join(', ');
}
