/**
 * Counts what PodSecurity does, for the metrics page.
 *
 * Invariant: what is not evaluated (a subresource, an update that brings no images) is not counted.
 * Bound: labels come from small sets; a release whose rules there are not yet counts as `future`.
 */
import type { Review } from '../admission.ts';
import type { LevelVersion, Mode } from './levels.ts';

type Labels = Readonly<Record<string, string>>;

export interface CountedLabels {
  readonly labels: Labels;
  readonly value: number;
}

/** What is counted of one request. */
export interface ReviewCounts {
  evaluated(decision: 'allow' | 'deny', level: LevelVersion, mode: Mode): void;
  exempted(): void;
  /** `fatal`: it could not be evaluated at all. */
  failed(fatal: boolean): void;
}

export const securityCountNames = ['evaluations', 'exemptions', 'errors'] as const;
export type SecurityCountName = (typeof securityCountNames)[number];

export interface SecurityCounts {
  of(review: Pick<Review, 'operation' | 'resource' | 'subresource'>): ReviewCounts;
  read(name: SecurityCountName): Iterable<CountedLabels>;
}

/** `release`: the minor release of 1 that is served. */
export function createSecurityCounts(release: number): SecurityCounts {
  const counts = {
    evaluations: new Map<string, number>(),
    exemptions: new Map<string, number>(),
    errors: new Map<string, number>(),
  };
  const add = (name: SecurityCountName, labels: Labels, by = 1): void => {
    const key = JSON.stringify(labels);
    counts[name].set(key, (counts[name].get(key) ?? 0) + by);
  };
  // What most requests are counted as is there from the start.
  for (const request_operation of ['create', 'update']) {
    const pod = { request_operation, resource: 'pod', subresource: '' };
    const privileged = { policy_level: 'privileged', policy_version: 'latest', mode: 'enforce' };
    add('evaluations', { decision: 'allow', ...privileged, ...pod }, 0);
    add('exemptions', pod, 0);
    add('exemptions', { ...pod, resource: 'controller' }, 0);
  }
  return {
    of({ operation, resource, subresource }) {
      const request_operation = operation.toLowerCase();
      const request = { request_operation, resource: resourceLabel(resource), subresource };
      return {
        evaluated: (decision, level, mode) =>
          add('evaluations', {
            decision,
            policy_level: level.level,
            policy_version: versionLabel(level, release),
            mode,
            ...request,
          }),
        exempted: () => add('exemptions', request),
        failed: (fatal) => add('errors', { fatal: String(fatal), ...request }),
      };
    },
    *read(name) {
      for (const [key, value] of counts[name]) yield { labels: JSON.parse(key) as Labels, value };
    },
  };
}

function resourceLabel({ group, resource }: Review['resource']): string {
  return group === '' && resource === 'pods' ? 'pod' : 'controller';
}

/** No rules have no version. */
function versionLabel({ level, version }: LevelVersion, release: number): string {
  if (version === 'latest' || level === 'privileged') return 'latest';
  return version > release ? 'future' : `v1.${version}`;
}
