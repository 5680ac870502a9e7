/**
 * PodSecurity: what pods of a namespace may do to their nodes, at one of three levels (spec 2,
 * section 9.3: it replaces PodSecurityPolicy; levels.ts says how a namespace chooses).
 *
 *     pods, containers added to them later    refused, audited, warned about
 *     objects with a pod template             audited, warned about: their pods are refused later
 *     a namespace                             its labels must be valid; if it becomes stricter,
 *                                             warnings say which of its pods violate the level
 *
 * The checks are in checks.ts. Who may label a namespace is up to the authorizers.
 *
 * Invariants: a pod is checked when it is created and when its images change; nothing else that is
 * checked can change. Exempt users, namespaces and runtime classes are matched by their whole
 * names.
 * Bounds: existing-pods.ts; messages are bounded (evaluated-pod.ts).
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { formatFieldErrors } from '../../apimachinery/field-error.ts';
import { objects, part, text } from '../../apimachinery/members.ts';
import { quote } from '../../apimachinery/quote.ts';
import { newInternalError, newInvalid } from '../../apimachinery/status-error.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import type { Clock } from '../../stdx/clock.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import { after } from '../../stdx/awaitable.ts';
import type { Awaitable } from '../../stdx/awaitable.ts';
import { runToEnd } from '../../stdx/stepwise.ts';
import type { Steps } from '../../stdx/stepwise.ts';
import type { Turns } from '../../stdx/turns.ts';
import type {
  AdmissionObjects,
  AdmissionPlugin,
  Refusal,
  Review,
  AdmissionRecorder,
} from '../admission.ts';
import { inTurns, isLargePod } from '../in-turns.ts';
import { detailsOf, findingsIn, findingSteps, reasonsOf } from './checks.ts';
import type { SecurityRules } from './checks.ts';
import type { PodSecuritySettings } from './configuration.ts';
import { evaluatedPod } from './evaluated-pod.ts';
import type { EvaluatedPod, Finding } from './evaluated-pod.ts';
import { checkedMs, warningsOf } from './existing-pods.ts';
import {
  equalLevels,
  isFullyPrivileged,
  isStricter,
  levelText,
  modes,
  policyOf,
  samePolicies,
  saysOf,
} from './levels.ts';
import type { LevelVersion, ParsedPolicy } from './levels.ts';
import type { ReviewCounts, SecurityCounts } from './security-counts.ts';

export interface PodSecurityPorts {
  readonly objects: AdmissionObjects;
  readonly counts: Pick<SecurityCounts, 'of'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly turns: Pick<Turns, 'run'>;
}

interface PodSecurity extends PodSecurityPorts {
  readonly labelDomain: string;
  readonly settings: PodSecuritySettings;
  readonly rules: SecurityRules;
}

const namespaces = { group: '', resource: 'namespaces' } as const;
const pods = { group: '', resource: 'pods' } as const;

/** Where templates of pods are, by group and resource. */
const templates = new Map(
  Object.entries({
    '/replicationcontrollers': ['spec', 'template'],
    '/podtemplates': ['template'],
    'apps/replicasets': ['spec', 'template'],
    'apps/deployments': ['spec', 'template'],
    'apps/statefulsets': ['spec', 'template'],
    'apps/daemonsets': ['spec', 'template'],
    'batch/jobs': ['spec', 'template'],
    'batch/cronjobs': ['spec', 'jobTemplate', 'spec', 'template'],
  }),
);

export function podSecurity(
  { labelDomain }: Identity,
  settings: PodSecuritySettings,
  rules: SecurityRules,
  ports: PodSecurityPorts,
): AdmissionPlugin {
  const security = { ...ports, labelDomain, settings, rules };
  return {
    name: 'PodSecurity',
    resources: [
      '/namespaces',
      '/pods',
      '/pods/ephemeralcontainers',
      '/pods/resize',
      ...templates.keys(),
    ],
    concerns: (_user, { operations }) => !operations.includes('DELETE'),
    current: () => ports.objects.current(),
    validate(review, { recorder }) {
      if (!hasNext(review)) return undefined;
      const { resource } = review;
      if (resource.group === '' && resource.resource === 'namespaces') {
        return reviewNamespace(security, review, recorder);
      }
      return reviewPods(security, review, recorder);
    },
  };
}

type WithNext = Review & { readonly next: ApiObject };

function hasNext(review: Review): review is WithNext {
  return review.next !== undefined;
}

function reviewPods(
  security: PodSecurity,
  review: WithNext,
  recorder: AdmissionRecorder,
): Awaitable<Refusal> {
  const { settings, labelDomain } = security;
  const { namespace, next, resource, user } = review;
  const annotate = (key: string, value: string): void =>
    recorder.annotate(`pod-security.${labelDomain}/${key}`, value);
  const count = security.counts.of(review);
  const isPod = resource.group === '' && resource.resource === 'pods';
  const template = isPod ? next : templateOf(review);
  const exempt = settings.namespaces.has(namespace)
    ? 'namespace'
    : settings.usernames.has(user.name)
      ? 'user'
      : undefined;
  if (exempt !== undefined) {
    count.exempted();
    annotate('exempt', exempt);
    return undefined;
  }
  const found = security.objects.get(namespaces, '', namespace);
  if (found === undefined) {
    const why = `failed to lookup namespace ${quote(namespace)}`;
    count.failed(true);
    annotate('error', why);
    return isPod ? newInternalError(why) : undefined;
  }
  const parsed = policyOf(found.metadata.labels ?? {}, settings.defaults, labelDomain);
  const { policy, problems } = parsed;
  if (isPod && problems.length === 0 && isFullyPrivileged(policy)) {
    count.evaluated('allow', policy.enforce, 'enforce');
    annotate('enforce-policy', 'privileged:latest');
    return undefined;
  }
  const isSilent = policy.warn.level === 'privileged' && policy.audit.level === 'privileged';
  if (!isPod && problems.length === 0 && isSilent) return undefined;
  if (template === undefined || (isPod && !bringsImages(review))) return undefined;
  const spec = part(template, 'spec');
  if (settings.runtimeClasses.has(text(spec, 'runtimeClassName'))) {
    count.exempted();
    annotate('exempt', 'runtimeClass');
    return undefined;
  }
  return checkTemplate(security, parsed, template, isPod, { annotate, count, recorder });
}

/** Who hears what is found. */
interface Heard {
  readonly annotate: (key: string, value: string) => void;
  readonly count: ReviewCounts;
  readonly recorder: AdmissionRecorder;
}

/** Undefined: it has none. */
function templateOf({ next, resource: { group, resource } }: WithNext): JsonObject | undefined {
  let found: JsonObject = next;
  for (const member of templates.get(`${group}/${resource}`) ?? []) {
    if (found[member] === undefined) return undefined;
    found = part(found, member);
  }
  return found;
}

function checkTemplate(
  { labelDomain, rules, turns }: PodSecurity,
  { policy, problems }: ParsedPolicy,
  template: JsonObject,
  isEnforced: boolean,
  { annotate, count, recorder }: Heard,
): Awaitable<Refusal> {
  if (problems.length > 0) {
    count.failed(false);
    annotate('error', `Failed to parse policy: ${formatFieldErrors(problems)}`);
  }
  const annotations = part(part(template, 'metadata'), 'annotations') as Record<string, string>;
  const spec = part(template, 'spec');
  const pod = evaluatedPod(annotations, spec, labelDomain);
  const { audit, enforce, warn } = policy;
  const asked = isEnforced ? [enforce, audit, warn] : [audit, warn];
  return after(inTurns(turns, isLargePod(spec), byLevel(pod, asked, rules)), (found) => {
    const of = (level: LevelVersion): readonly Finding[] => found.get(levelText(level)) ?? [];
    let refusal: string | undefined;
    if (isEnforced) {
      annotate('enforce-policy', levelText(enforce));
      refusal = violation('violates', enforce, of(enforce));
      count.evaluated(refusal === undefined ? 'allow' : 'deny', enforce, 'enforce');
    }
    const audited = violation('would violate', audit, of(audit));
    if (audited !== undefined) {
      count.evaluated('deny', audit, 'audit');
      annotate('audit-violations', audited);
    }
    if (refusal !== undefined) return refusal;
    const warned = violation('would violate', warn, of(warn));
    if (warned === undefined) return undefined;
    count.evaluated('deny', warn, 'warn');
    recorder.warn(warned);
    return undefined;
  });
}

/** What each level finds; a level that is asked for twice is looked at once. */
function* byLevel(
  pod: EvaluatedPod,
  levels: readonly LevelVersion[],
  rules: SecurityRules,
): Steps<ReadonlyMap<string, readonly Finding[]>> {
  const found = new Map<string, readonly Finding[]>();
  for (const level of levels) {
    const key = levelText(level);
    if (!found.has(key)) found.set(key, yield* findingSteps(pod, level, rules));
  }
  return found;
}

function violation(
  verb: string,
  level: LevelVersion,
  findings: readonly Finding[],
): string | undefined {
  if (findings.length === 0) return undefined;
  return `${verb} PodSecurity ${quote(levelText(level))}: ${detailsOf(findings)}`;
}

/** A pod that is made, has other images, or other containers. */
function bringsImages({ current, next, operation }: WithNext): boolean {
  if (operation !== 'UPDATE' || current === undefined) return true;
  const [before, after] = [part(current, 'spec'), part(next, 'spec')];
  const imagesOf = (spec: JsonObject, list: string): readonly string[] =>
    objects(spec, list).map((container) => text(container, 'image'));
  for (const list of ['containers', 'initContainers']) {
    if (!deepEqual(imagesOf(before, list), imagesOf(after, list))) return true;
  }
  const had = new Map(
    objects(before, 'ephemeralContainers').map((each) => [text(each, 'name'), text(each, 'image')]),
  );
  return objects(after, 'ephemeralContainers').some(
    (each) => had.get(text(each, 'name')) !== text(each, 'image'),
  );
}

function reviewNamespace(
  security: PodSecurity,
  { current, deadlineMs, kind, next, subresource }: WithNext,
  recorder: AdmissionRecorder,
): Awaitable<Refusal> {
  if (subresource !== '') return undefined;
  const { labelDomain, settings } = security;
  const { labels = {}, name = '' } = next.metadata;
  const after = policyOf(labels, settings.defaults, labelDomain);
  const isExempt = settings.namespaces.has(name);
  if (current === undefined) {
    if (after.problems.length > 0) return newInvalid(kind, name, after.problems);
    if (isExempt) warnOfExemption(security, next, after, recorder);
    return undefined;
  }
  const before = policyOf(current.metadata.labels ?? {}, settings.defaults, labelDomain);
  if (after.problems.length > 0 && !deepEqual(after.problems, before.problems)) {
    return newInvalid(kind, name, after.problems);
  }
  const [old, enforce] = [before.policy.enforce, after.policy.enforce];
  if (equalLevels(old, enforce) || enforce.level === 'privileged') return undefined;
  if (old.version === enforce.version && !isStricter(enforce.level, old.level)) return undefined;
  if (isExempt) {
    warnOfExemption(security, next, after, recorder);
    return undefined;
  }
  return warnOfExisting(security, name, enforce, deadlineMs, recorder);
}

/** A label that does nothing was meant to do something. */
function warnOfExemption(
  { labelDomain, settings }: PodSecurity,
  { metadata: { labels = {}, name = '' } }: ApiObject,
  { policy }: ParsedPolicy,
  recorder: AdmissionRecorder,
): void {
  if (isFullyPrivileged(policy) || samePolicies(policy, settings.defaults)) return;
  const said = modes
    .filter((mode) => policy[mode].level !== 'privileged' && saysOf(labels, labelDomain, mode))
    .map((mode) => `${mode}=${levelText(policy[mode])}`)
    .join(', ');
  const ignored = `the policy (${said}) will be ignored`;
  recorder.warn(`namespace ${quote(name)} is exempt from Pod Security, and ${ignored}`);
}

async function warnOfExisting(
  { clock, labelDomain, objects: known, rules, settings, turns }: PodSecurity,
  namespace: string,
  enforce: LevelVersion,
  deadlineMs: number,
  recorder: AdmissionRecorder,
): Promise<Refusal> {
  const nowMs = clock.monotonicMs();
  // The other half of the time is for those behind this plugin.
  const endMs = nowMs + Math.min(checkedMs, (deadlineMs - nowMs) / 2);
  const evaluator = {
    isOver: () => clock.monotonicMs() >= endMs,
    isExempt: (pod: ApiObject) =>
      settings.runtimeClasses.has(text(part(pod, 'spec'), 'runtimeClassName')),
    reasons: (pod: ApiObject) => {
      const { annotations = {} } = pod.metadata;
      const evaluated = evaluatedPod(annotations, part(pod, 'spec'), labelDomain);
      return reasonsOf(findingsIn(evaluated, enforce, rules));
    },
  };
  const existing = known.listed(pods, namespace);
  const work = warningsOf(namespace, enforce, existing, evaluator);
  const warnings = await runToEnd(turns, work);
  for (const warning of warnings) recorder.warn(warning);
  return undefined;
}
