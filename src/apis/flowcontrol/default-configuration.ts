/**
 * The flow schemas and priority levels that every server starts with, as data: the mandatory ones,
 * which are always as they stand here, and the suggested ones, which may be changed.
 *
 *     level LINE    name shares/lendable% queues/hand     0 queues: what is too much is rejected
 *     schema        name (precedence) -> level, by what requests are told apart, who, for what
 *
 * What they do is the business of src/flowcontrol.
 * Written in version v1; each release stores its own (src/apimachinery/object-version.ts).
 */
import type { Identity } from '../../apimachinery/identity.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';

export interface DefaultConfiguration {
  readonly mandatory: boolean;
  /** Minor release of 1 that first had it. */
  readonly since: number;
  readonly object: ApiObject;
}

const first = 20;

const nodesApart = 22;

const endpointsApart = 24;

const queueLength = 50;

interface Level {
  readonly name: string;
  readonly shares: number;
  readonly lendable: number;
  /** queues, hand; absent: what is above the limit is rejected. */
  readonly queues?: readonly [number, number];
  readonly since?: number;
}

const levels: readonly Level[] = [
  { name: 'system', shares: 30, lendable: 33, queues: [64, 6] },
  { name: 'node-high', shares: 40, lendable: 25, queues: [64, 6], since: nodesApart },
  { name: 'leader-election', shares: 10, lendable: 0, queues: [16, 4] },
  { name: 'workload-high', shares: 40, lendable: 50, queues: [128, 6] },
  { name: 'workload-low', shares: 100, lendable: 90, queues: [128, 6] },
  { name: 'global-default', shares: 20, lendable: 50, queues: [128, 6] },
];

const catchAll: Level = { name: 'catch-all', shares: 5, lendable: 0 };

/** The mandatory ones first. */
export function defaultPriorityLevels(identity: Identity): readonly DefaultConfiguration[] {
  const exempt = { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } };
  const mandatory = [
    configuration(identity, 'PriorityLevelConfiguration', 'exempt', exempt),
    configuration(identity, 'PriorityLevelConfiguration', catchAll.name, limited(catchAll)),
  ].map((object) => ({ mandatory: true, since: first, object }));
  const suggested = levels.map((level) => ({
    mandatory: false,
    since: level.since ?? first,
    object: configuration(identity, 'PriorityLevelConfiguration', level.name, limited(level)),
  }));
  return [...mandatory, ...suggested];
}

function limited({ shares, lendable, queues }: Level): JsonObject {
  const limitResponse: JsonObject =
    queues === undefined
      ? { type: 'Reject' }
      : {
          type: 'Queue',
          queuing: { queues: queues[0], handSize: queues[1], queueLengthLimit: queueLength },
        };
  return {
    type: 'Limited',
    limited: { nominalConcurrencyShares: shares, limitResponse, lendablePercent: lendable },
  };
}

interface Schema {
  readonly name: string;
  readonly precedence: number;
  readonly level: string;
  /** How flows of one schema are told apart; absent: they are not. */
  readonly by?: 'ByUser' | 'ByNamespace';
  readonly subjects: readonly JsonObject[];
  /** Absent: for everything. */
  readonly rules?: JsonObject;
  readonly since?: number;
}

const group = (name: string): JsonObject => ({ kind: 'Group', group: { name } });

const user = (name: string): JsonObject => ({ kind: 'User', user: { name } });

function requests(
  verbs: readonly string[],
  apiGroup: string,
  resources: readonly string[],
  clusterScope = false,
): JsonObject {
  const scope: JsonObject = clusterScope ? { clusterScope } : {};
  return { verbs, apiGroups: [apiGroup], resources, ...scope, namespaces: ['*'] };
}

const everything: JsonObject = {
  resourceRules: [requests(['*'], '*', ['*'], true)],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};

const anybody = [group('system:unauthenticated'), group('system:authenticated')];

const nodes = [group('system:nodes')];

const controllerManager = user('system:kube-controller-manager');

const scheduler = user('system:kube-scheduler');

const mandatorySchemas: readonly Schema[] = [
  { name: 'exempt', precedence: 1, level: 'exempt', subjects: [group('system:masters')] },
  { name: 'catch-all', precedence: 10_000, level: 'catch-all', by: 'ByUser', subjects: anybody },
];

const account = (identity: Identity, name: string): JsonObject => ({
  kind: 'ServiceAccount',
  serviceAccount: { namespace: identity.namespaces.system, name },
});

const takingTurns = ['get', 'create', 'update'];

/** For some requests of their subjects. */
function schemasForSome(identity: Identity): readonly Schema[] {
  const accounts = account(identity, '*');
  const leases = identity.fill('coordination.{domain}');
  const elections = requests(takingTurns, leases, ['leases']);
  return [
    {
      name: 'system-node-high',
      precedence: 400,
      level: 'node-high',
      by: 'ByUser',
      subjects: nodes,
      rules: {
        resourceRules: [
          requests(['*'], '', ['nodes', 'nodes/status'], true),
          requests(['*'], leases, ['leases']),
        ],
      },
      since: nodesApart,
    },
    {
      name: 'probes',
      precedence: 2,
      level: 'exempt',
      subjects: anybody,
      rules: {
        nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
      },
      since: nodesApart,
    },
    {
      name: 'system-leader-election',
      precedence: 100,
      level: 'leader-election',
      by: 'ByUser',
      subjects: [controllerManager, scheduler, accounts],
      rules: { resourceRules: [elections] },
    },
    {
      name: 'workload-leader-election',
      precedence: 200,
      level: 'leader-election',
      by: 'ByUser',
      subjects: [accounts],
      rules: {
        resourceRules: [requests(takingTurns, '', ['endpoints', 'configmaps']), elections],
      },
    },
    {
      name: 'endpoint-controller',
      precedence: 150,
      level: 'workload-high',
      by: 'ByUser',
      subjects: [
        controllerManager,
        account(identity, 'endpoint-controller'),
        account(identity, 'endpointslicemirroring-controller'),
      ],
      rules: { resourceRules: [requests(takingTurns, '', ['endpoints'])] },
      since: endpointsApart,
    },
  ];
}

/** For everything that their subjects ask. */
function schemasForAll(identity: Identity): readonly Schema[] {
  const high = { level: 'workload-high', by: 'ByNamespace' } as const;
  const accounts = account(identity, '*');
  const everyAccount = group('system:serviceaccounts');
  return [
    { name: 'system-nodes', precedence: 500, level: 'system', by: 'ByUser', subjects: nodes },
    { name: 'kube-controller-manager', precedence: 800, ...high, subjects: [controllerManager] },
    { name: 'kube-scheduler', precedence: 800, ...high, subjects: [scheduler] },
    { name: 'kube-system-service-accounts', precedence: 900, ...high, subjects: [accounts] },
    {
      name: 'service-accounts',
      precedence: 9000,
      level: 'workload-low',
      by: 'ByUser',
      subjects: [everyAccount],
    },
    {
      name: 'global-default',
      precedence: 9900,
      level: 'global-default',
      by: 'ByUser',
      subjects: anybody,
    },
  ];
}

/** The mandatory ones first. */
export function defaultFlowSchemas(identity: Identity): readonly DefaultConfiguration[] {
  const configurationOf = (mandatory: boolean) => (schema: Schema) => ({
    mandatory,
    since: schema.since ?? first,
    object: configuration(identity, 'FlowSchema', schema.name, schemaSpec(schema)),
  });
  return [
    ...mandatorySchemas.map(configurationOf(true)),
    ...[...schemasForAll(identity), ...schemasForSome(identity)].map(configurationOf(false)),
  ];
}

function schemaSpec({ level, precedence, by, subjects, rules }: Schema): JsonObject {
  return {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence: precedence,
    ...(by === undefined ? {} : { distinguisherMethod: { type: by } }),
    rules: [{ subjects, ...(rules ?? everything) }],
  };
}

function configuration(
  identity: Identity,
  kind: string,
  name: string,
  spec: JsonObject,
): ApiObject {
  return {
    apiVersion: `${identity.groups.flowcontrol}/v1`,
    kind,
    metadata: { name, annotations: { [autoUpdateAnnotation(identity)]: 'true' } },
    spec,
  };
}

/** `true`: the server puts the object right; `false`: it is the operator's. */
export function autoUpdateAnnotation(identity: Identity): string {
  return identity.fill('apf.{labelDomain}/autoupdate-spec');
}
