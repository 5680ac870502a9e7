/**
 * Authorization as the options say: the authorizers in their order, and what keeps them up to date
 * (spec 2, sections 5.5 and 7).
 *
 *     --authorization-mode=Node,RBAC    or    a configuration file, read again when it changes
 *
 * Invariants: what the options name and what cannot be used fails the start, with one line. The
 * RBAC index is kept whatever the modes are: writes of roles are measured by it. A configuration
 * that is wrong when it is read again changes nothing; nor may it add or remove RBAC or Node.
 */
import type { Subscription } from 'rxjs';
import type { Identity } from '../apimachinery/identity.ts';
import type { Language } from '../cel/language.ts';
import { followFiles } from '../stdx/followed-files.ts';
import { readFileAtStart, readRegularFile } from '../stdx/regular-file.ts';
import type { ReadFile } from '../stdx/regular-file.ts';
import type { Clock, Timers } from '../stdx/clock.ts';
import { finished, runStepwise } from '../stdx/stepwise.ts';
import type { Steps } from '../stdx/stepwise.ts';
import type { Turns } from '../stdx/turns.ts';
import { readWebhookTarget } from '../webhooks/kubeconfig-target.ts';
import { createWebhookClient } from '../webhooks/webhook-client.ts';
import type { Streams } from '../../streams/streams.ts';
import { messageOf } from '../stdx/message-of.ts';
import { createAbacAuthorizer } from './abac/abac-authorizer.ts';
import { parseAbacPolicies } from './abac/policy-file.ts';
import { alwaysAllow, alwaysDeny } from './always.ts';
import { authorizationConfigurationSteps, webhookTimeoutMaxMs } from './authorization-config.ts';
import type { ConfiguredAuthorizer, WebhookSettings } from './authorization-config.ts';
import type { AccessChecker } from './authorizer.ts';
import { createDecisionCounts } from './decision-counts.ts';
import type { CountedSeries } from './decision-counts.ts';
import { createNodeAuthorizer } from './node/node-authorizer.ts';
import { followNodes } from './node/node-follower.ts';
import { createNodeGraph } from './node/node-graph.ts';
import { rbacDefaults } from './rbac/default-objects.ts';
import { rulesOf } from './rbac/policy-rules.ts';
import { createRbacAuthorizer } from './rbac/rbac-authorizer.ts';
import type { RbacAuthorizer } from './rbac/rbac-authorizer.ts';
import { followRbac } from './rbac/rbac-follower.ts';
import { createRbacIndex } from './rbac/rbac-index.ts';
import type { RbacIndex } from './rbac/rbac-index.ts';
import { escalationCheck } from './rbac/escalation.ts';
import type { EscalationCheck } from './rbac/escalation.ts';
import { createUnion } from './union.ts';
import type { UnionMember } from './union.ts';
import type { AccessReviewVersion } from './webhook/access-review.ts';
import { conditionEnvironment } from './webhook/match-conditions.ts';
import { createWebhookAuthorizer } from './webhook/webhook-authorizer.ts';

export type AuthorizationMode = 'AlwaysAllow' | 'AlwaysDeny' | 'ABAC' | 'RBAC' | 'Node' | 'Webhook';

export interface AuthorizationOptions {
  /** In order; not looked at where there is a configuration file. */
  readonly modes: readonly AuthorizationMode[];
  readonly policyFile: string | undefined;
  readonly webhook: {
    readonly configFile: string | undefined;
    readonly version: AccessReviewVersion;
    readonly authorizedTtlMs: number;
    readonly unauthorizedTtlMs: number;
  };
  readonly configFile: string | undefined;
}

export interface AuthorizationDeps {
  readonly streams: Streams;
  readonly clock: Clock;
  readonly timers: Timers;
  /** For conditions that take long, and for reading the configuration again. */
  readonly turns: Pick<Turns, 'run'>;
  readonly identity: Identity;
  /** What conditions of webhooks are written in. */
  readonly language: Language;
  /** Something that an operator should know; the server goes on. */
  readonly onProblem: (text: string, error: unknown) => void;
  /** The configuration has been read again and is in force. */
  readonly onReload?: ((names: readonly string[]) => void) | undefined;
}

export interface Authorization extends AccessChecker {
  /** RBAC is among the authorizers; a reload does not change that. */
  readonly usesRbac: boolean;
  /** What RBAC says of writes of roles and bindings. */
  readonly escalation: EscalationCheck;
  readonly series: readonly CountedSeries[];
  stop(): void;
}

/** What was wrong with the options or their files: one line, without the flag. */
export class AuthorizationOptionsError extends Error {
  override readonly name = 'AuthorizationOptionsError';
  readonly flag: FileFlag;

  constructor(flag: FileFlag, message: string) {
    super(message);
    this.flag = flag;
  }
}

/** The flags that name a file of authorization. */
type FileFlag =
  'authorization-config' | 'authorization-policy-file' | 'authorization-webhook-config-file';

interface Member extends UnionMember {
  readonly type: AuthorizationMode;
  close?(): void;
}

/** @throws AuthorizationOptionsError. */
export function createAuthorization(
  options: AuthorizationOptions,
  deps: AuthorizationDeps,
): Authorization {
  const counts = createDecisionCounts();
  const making = makeMembers(options, deps, counts);
  const bytes =
    options.configFile === undefined
      ? undefined
      : readFile('authorization-config', options.configFile);
  const configured =
    bytes === undefined ? undefined : finished(readConfiguration(bytes, options, deps));
  let members = configured === undefined ? making.ofModes() : making.ofConfiguration(configured);
  const fixed = fixedTypes(members);
  let isStopped = false;
  const reload = async (changed: Uint8Array): Promise<void> => {
    const nowMs = deps.clock.nowMs();
    try {
      const reading = readConfiguration(changed, options, deps);
      const read = await runStepwise(deps.turns, reading, () => isStopped);
      if (read === undefined) return;
      const next = making.ofConfiguration(read, readWhileServing);
      checkFixed(next, fixed);
      const before = members;
      members = next;
      for (const member of before) member.close?.();
      counts.reload('success', nowMs);
      deps.onReload?.(members.map((member) => member.name));
    } catch (error) {
      counts.reload('failure', nowMs);
      deps.onProblem('the changed authorization configuration is not in force', error);
    }
  };
  const { configFile } = options;
  const { following } = making;
  if (configFile !== undefined && bytes !== undefined) {
    const onError = (error: unknown): void => {
      counts.reload('failure', deps.clock.nowMs());
      deps.onProblem('the authorization configuration cannot be read', error);
    };
    const { timers } = deps;
    const configuration = followFiles({
      files: [{ file: configFile, bytes }],
      timers,
      onChange: ([changed]) => reload(changed as Uint8Array),
      onError,
    });
    following.add(() => configuration.stop());
  }
  const union = createUnion({
    members: () => members,
    onDecision(member, { kind }) {
      const { type, name } = member as Member;
      counts.decision(type, name, kind === 'allow' ? 'allowed' : 'denied');
    },
    onError: (member, error) => deps.onProblem(`the authorizer ${member.name} failed`, error),
  });
  const rbacGroup = deps.identity.groups.rbac;
  return {
    ...union,
    escalation: escalationCheck({ ...making, turns: deps.turns, rbacGroup }),
    usesRbac: members.some((member) => member.type === 'RBAC'),
    series: counts.series,
    stop() {
      isStopped = true;
      following.unsubscribe();
      for (const member of members) member.close?.();
    },
  };
}

/** Which of those that follow streams are there: a reload may move them, no more. */
function fixedTypes(members: readonly Member[]): string {
  const types = members.map((member) => member.type);
  return types
    .filter((type) => type === 'RBAC' || type === 'Node')
    .sort()
    .join();
}

/** Closes what was made for nothing. @throws AuthorizationOptionsError. */
function checkFixed(next: readonly Member[], fixed: string): void {
  if (fixedTypes(next) === fixed) return;
  for (const member of next) member.close?.();
  const why = 'RBAC and Node cannot be added or removed by a reload';
  throw new AuthorizationOptionsError('authorization-config', why);
}

function* readConfiguration(
  bytes: Uint8Array,
  { configFile = '' }: AuthorizationOptions,
  { identity, language }: AuthorizationDeps,
): Steps<readonly ConfiguredAuthorizer[]> {
  const parsed = yield* authorizationConfigurationSteps(
    bytes,
    identity.groups.apiserverConfig,
    conditionEnvironment(language),
  );
  if (parsed.kind === 'ok') return parsed.authorizers;
  const problems = parsed.problems.join('; ');
  throw new AuthorizationOptionsError('authorization-config', `${configFile}: ${problems}`);
}

/** A larger kubeconfig is not read while the server serves. */
const kubeconfigBytesMax = 1024 * 1024;

/** A pipe would stop the server until somebody writes into it. */
const readWhileServing: ReadFile = (file) => readRegularFile(file, kubeconfigBytesMax);

interface MemberMaking {
  readonly rbac: RbacAuthorizer;
  readonly index: RbacIndex;
  ofModes(): readonly Member[];
  /** `read`: the kubeconfigs that it names; absent at the start. */
  ofConfiguration(configured: readonly ConfiguredAuthorizer[], read?: ReadFile): readonly Member[];
  readonly following: Subscription;
}

function makeMembers(
  options: AuthorizationOptions,
  deps: AuthorizationDeps,
  counts: ReturnType<typeof createDecisionCounts>,
): MemberMaking {
  const { streams, clock, timers, turns, identity } = deps;
  const index = createRbacIndex();
  const rbacGroup = identity.groups.rbac;
  const rbac = createRbacAuthorizer(index, rbacGroup, turns);
  const following = followRbac({ streams, rbacGroup, index });
  let node: UnionMember | undefined;
  const nodeMember = (): UnionMember => {
    if (node !== undefined) return node;
    const graph = createNodeGraph();
    following.add(followNodes({ streams, identity, graph }));
    node = createNodeAuthorizer(graph, identity, nodeRules(identity));
    return node;
  };
  const webhook = (name: string, settings: WebhookSettings, read?: ReadFile): Member => {
    const flag =
      options.configFile === undefined
        ? 'authorization-webhook-config-file'
        : 'authorization-config';
    const target = usable(flag, () => readWebhookTarget(settings.kubeConfigFile, read));
    const client = createWebhookClient(target, settings.timeoutMs, { clock, timers, turns });
    const reviewGroup = `authorization.${identity.domain}`;
    const made = createWebhookAuthorizer(
      { ...settings, name, reviewGroup },
      {
        client,
        clock,
        turns,
        onCall: (call) => counts.webhookCall(call),
        onConditions: (outcome) => counts.conditions(outcome),
      },
    );
    return { ...made, type: 'Webhook' };
  };
  const ofMode = (mode: AuthorizationMode): Member => {
    switch (mode) {
      case 'AlwaysAllow':
        return { ...alwaysAllow, type: mode };
      case 'AlwaysDeny':
        return { ...alwaysDeny, type: mode };
      case 'ABAC':
        return { ...abacOf(options, identity), type: mode };
      case 'RBAC':
        return { ...rbac, type: mode };
      case 'Node':
        return { ...nodeMember(), type: mode };
      case 'Webhook':
        return webhook('default', webhookOfFlags(options));
    }
  };
  return {
    rbac,
    index,
    ofModes: () => options.modes.map((mode) => named(ofMode(mode))),
    ofConfiguration: (configured, read) =>
      configured.map((each) =>
        each.type === 'Webhook'
          ? webhook(each.name, each.webhook, read)
          : { ...ofMode(each.type), name: each.name },
      ),
    following,
  };
}

/** Without a configuration that names it: a webhook has its name already. */
function named(member: Member): Member {
  return member.type === 'Webhook' ? member : { ...member, name: member.type.toLowerCase() };
}

function nodeRules(identity: Identity): ReturnType<typeof rulesOf> {
  const role = rbacDefaults(identity).clusterRoles.find(
    ({ metadata }) => metadata.name === 'system:node',
  );
  return role === undefined ? [] : rulesOf(role);
}

function abacOf(
  { policyFile }: AuthorizationOptions,
  identity: Identity,
): ReturnType<typeof createAbacAuthorizer> {
  const flag = 'authorization-policy-file';
  if (policyFile === undefined) throw new AuthorizationOptionsError(flag, 'mode ABAC needs it');
  const text = Buffer.from(readFile(flag, policyFile)).toString('utf8');
  const parsed = parseAbacPolicies(text, identity.labelDomain);
  if (parsed.kind === 'ok') return createAbacAuthorizer(parsed.policies);
  throw new AuthorizationOptionsError(flag, `${policyFile}: ${parsed.problem}`);
}

function webhookOfFlags({ webhook }: AuthorizationOptions): WebhookSettings {
  if (webhook.configFile === undefined) {
    throw new AuthorizationOptionsError(
      'authorization-webhook-config-file',
      'mode Webhook needs it',
    );
  }
  return {
    ...webhook,
    timeoutMs: webhookTimeoutMaxMs,
    failurePolicy: 'NoOpinion',
    kubeConfigFile: webhook.configFile,
  };
}

function readFile(flag: FileFlag, file: string): Uint8Array {
  return usable(flag, () => readFileAtStart(file));
}

function usable<T>(flag: FileFlag, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new AuthorizationOptionsError(flag, messageOf(error));
  }
}
