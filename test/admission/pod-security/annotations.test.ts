/** What PodSecurity tells the audit event and what it counts, and that a large pod is judged as a small one is. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AdmissionObjects, Review } from '../../../src/admission/admission.ts';
import { readPodSecurity } from '../../../src/admission/pod-security/configuration.ts';
import { podSecurity } from '../../../src/admission/pod-security/pod-security.ts';
import {
  createSecurityCounts,
  securityCountNames,
} from '../../../src/admission/pod-security/security-counts.ts';
import { identityOf } from '../../../src/apimachinery/identity.ts';
import type { ApiObject, JsonObject } from '../../../src/apimachinery/unstructured.ts';
import { systemClock, systemTimers } from '../../../src/stdx/clock.ts';
import { createTurns } from '../../../src/stdx/turns.ts';
import { userNamed } from '../../support/data/access-attributes.ts';

const prefix = 'pod-security.kubernetes.io/';
const document = {
  apiVersion: 'pod-security.admission.config.k8s.io/v1',
  kind: 'PodSecurityConfiguration',
  exemptions: { usernames: ['trusted'], namespaces: ['exempt'], runtimeClasses: ['vm'] },
};

interface Judged {
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: JsonObject;
  readonly user?: string;
  readonly namespace?: string;
  readonly resource?: string;
}

async function judged({
  labels = {},
  namespace = 'n',
  resource = 'pods',
  spec = { containers: [{ name: 'c' }] },
  user = 'ann',
}: Judged) {
  const clock = systemClock;
  const counts = createSecurityCounts(33);
  const stored = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: {} } };
  const labelled = Object.entries(labels).map(([key, value]) => [`${prefix}${key}`, value]);
  const found = { ...stored, metadata: { name: namespace, labels: Object.fromEntries(labelled) } };
  const objects = {
    get: (_resource: unknown, _namespace: string, name: string) =>
      name === 'missing' ? undefined : found,
  } as unknown as AdmissionObjects;
  const problems: string[] = [];
  const group = 'pod-security.admission.config.k8s.io';
  const plugin = podSecurity(
    identityOf('kubernetes'),
    readPodSecurity(document, group, problems),
    { release: 33, relaxesUserNamespaces: false },
    { objects, clock, counts, turns: createTurns({ clock, timers: systemTimers }) },
  );
  assert.deepEqual(problems, []);
  const next = (resource === 'pods'
    ? { spec }
    : { spec: { template: { spec } } }) as unknown as ApiObject;
  const review = {
    user: userNamed(user),
    operation: 'CREATE',
    resource: { group: resource === 'pods' ? '' : 'apps', resource },
    subresource: '',
    namespace,
    name: 'p',
    next: { ...next, metadata: { name: 'p' } },
    current: undefined,
  } as unknown as Review;
  const told: Record<string, string> = {};
  const warned: string[] = [];
  const recorder = {
    warn: (text: string) => void warned.push(text),
    annotate: (key: string, value: string) => void (told[key.replace(prefix, '')] = value),
  };
  const refusal = await plugin.validate?.(review, {
    ask: () => true,
    decide: () => true,
    recorder,
  });
  const counted = securityCountNames.flatMap((name) =>
    [...counts.read(name)].flatMap(({ labels, value }) =>
      value === 0 ? [] : [`${name} ${Object.values(labels).join(' ').trimEnd()}`],
    ),
  );
  return { told, warned, counted, refusal: refusal === undefined ? '' : String(refusal) };
}

const host: JsonObject = { containers: [{ name: 'c' }], hostPID: true };
const found = 'host namespaces (hostPID=true)';

describe('what pod security counts', () => {
  const rows: readonly (readonly [string, Judged, readonly string[]])[] = [
    ['a pod where all is allowed', {}, ['evaluations allow privileged latest enforce create pod']],
    [
      'a pod that is refused, once for those who enforce and once for those who audit',
      { labels: { enforce: 'baseline', audit: 'baseline', warn: 'baseline' }, spec: host },
      [
        'evaluations deny baseline latest enforce create pod',
        'evaluations deny baseline latest audit create pod',
      ],
    ],
    [
      'a level of a release that has not come, and a warning',
      { labels: { enforce: 'privileged', warn: 'baseline', 'warn-version': 'v1.99' }, spec: host },
      [
        'evaluations allow privileged latest enforce create pod',
        'evaluations deny baseline future warn create pod',
      ],
    ],
    [
      'a template',
      {
        labels: { audit: 'baseline', 'audit-version': 'v1.30' },
        spec: host,
        resource: 'deployments',
      },
      ['evaluations deny baseline v1.30 audit create controller'],
    ],
    ['who is exempt', { user: 'trusted', spec: host }, ['exemptions create pod']],
    ['a namespace that is not there', { namespace: 'missing' }, ['errors true create pod']],
    [
      'a label that cannot be read',
      { labels: { audit: 'all' } },
      ['evaluations allow privileged latest enforce create pod', 'errors false create pod'],
    ],
  ];
  for (const [title, given, expected] of rows) {
    it(title, async () => {
      const { counted } = await judged(given);
      assert.deepEqual(counted, expected);
    });
  }
});

describe('what pod security tells the audit event', () => {
  const rows: readonly (readonly [string, Judged, JsonObject])[] = [
    ['of a namespace that says nothing', {}, { 'enforce-policy': 'privileged:latest' }],
    [
      'the level and its release',
      { labels: { enforce: 'baseline', 'enforce-version': 'v1.24' } },
      { 'enforce-policy': 'baseline:v1.24' },
    ],
    [
      'what would be refused',
      { labels: { audit: 'baseline' }, spec: host },
      {
        'enforce-policy': 'privileged:latest',
        'audit-violations': `would violate PodSecurity "baseline:latest": ${found}`,
      },
    ],
    [
      'of what makes pods',
      { labels: { audit: 'baseline' }, spec: host, resource: 'deployments' },
      { 'audit-violations': `would violate PodSecurity "baseline:latest": ${found}` },
    ],
    ['who is exempt', { user: 'trusted', spec: host }, { exempt: 'user' }],
    ['which namespace is', { namespace: 'exempt', spec: host }, { exempt: 'namespace' }],
    [
      'which runtime class is',
      { labels: { enforce: 'baseline' }, spec: { ...host, runtimeClassName: 'vm' } },
      { exempt: 'runtimeClass' },
    ],
    [
      'a label that cannot be read',
      { labels: { audit: 'all' } },
      {
        error:
          'Failed to parse policy: metadata.labels[pod-security.kubernetes.io/audit]: ' +
          'Invalid value: "all": must be one of privileged, baseline, restricted',
        'enforce-policy': 'privileged:latest',
      },
    ],
    [
      'all labels that cannot be read',
      { labels: { audit: 'all', 'warn-version': '1' } },
      {
        error:
          'Failed to parse policy: [metadata.labels[pod-security.kubernetes.io/audit]: ' +
          'Invalid value: "all": must be one of privileged, baseline, restricted, ' +
          'metadata.labels[pod-security.kubernetes.io/warn-version]: ' +
          'Invalid value: "1": must be "latest" or "v1.x"]',
        'enforce-policy': 'privileged:latest',
      },
    ],
  ];
  for (const [title, given, told] of rows) {
    it(title, async () => assert.deepEqual((await judged(given)).told, told));
  }

  it('nothing in the words of a pod that is nearly exempt', async () => {
    const labels = { enforce: 'baseline' };
    for (const given of [{ user: 'Trusted' }, { namespace: 'exempt-not' }]) {
      const { refusal } = await judged({ labels, spec: host, ...given });
      assert.equal(refusal, `violates PodSecurity "baseline:latest": ${found}`);
    }
  });

  it('that the namespace of a pod is missing', async () => {
    const { refusal, told } = await judged({ namespace: 'missing' });
    assert.match(refusal, /failed to lookup namespace "missing"/);
    assert.deepEqual(told, { error: 'failed to lookup namespace "missing"' });
  });

  it('of thousands of containers what it tells of one', async () => {
    const containers = Array.from({ length: 5000 }, (_, at) => ({
      name: `c${at}`,
      securityContext: { privileged: at % 2 === 0 },
    }));
    const { refusal } = await judged({ labels: { enforce: 'baseline' }, spec: { containers } });
    assert.match(
      refusal,
      /^violates PodSecurity "baseline:latest": privileged \(containers "c0", /,
    );
    assert.match(refusal, /"c198" and 2400 more must not set securityContext.privileged=true\)$/);
  });
});
