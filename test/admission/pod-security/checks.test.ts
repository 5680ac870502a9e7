/** The checks of pod security: rows from its documentation, for what each level forbids. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { detailsOf, findingsIn } from '../../../src/admission/pod-security/checks.ts';
import { evaluatedPod } from '../../../src/admission/pod-security/evaluated-pod.ts';
import { levelText, parseVersion, policyOf } from '../../../src/admission/pod-security/levels.ts';
import type { Level, RulesVersion } from '../../../src/admission/pod-security/levels.ts';
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';

const rules = { release: 33, relaxesUserNamespaces: false };

const strict: JsonObject = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
};
const strictContainer = (security: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  name: 'c',
  securityContext: {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    ...security,
  },
  ...more,
});
/** A pod that holds the strictest level but for this. */
const strictBut = (security: JsonObject, spec: JsonObject = {}): JsonObject => ({
  ...strict,
  ...spec,
  containers: [strictContainer(security)],
});
const plain = (security: JsonObject, more: JsonObject = {}): JsonObject => ({
  containers: [{ name: 'c', securityContext: security, ...more }],
});

interface Row {
  readonly title: string;
  readonly spec: JsonObject;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly level: Level;
  readonly version?: RulesVersion;
  /** '' is nothing. */
  readonly finds: string;
}

const rows: readonly Row[] = [
  {
    title: 'nothing is forbidden to the privileged',
    spec: { ...plain({ privileged: true }), hostNetwork: true },
    level: 'privileged',
    finds: '',
  },
  { title: 'a plain pod holds the baseline', spec: plain({}), level: 'baseline', finds: '' },
  {
    title: 'a plain pod does not hold the restricted level',
    spec: plain({}),
    level: 'restricted',
    finds:
      'allowPrivilegeEscalation != false (container "c" must set ' +
      'securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" ' +
      'must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or ' +
      'container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or ' +
      'container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or ' +
      '"Localhost")',
  },
  { title: 'a careful pod does', spec: strictBut({}), level: 'restricted', finds: '' },
  {
    title: 'namespaces of the node',
    spec: { ...plain({}), hostNetwork: true, hostPID: true, hostIPC: false },
    level: 'baseline',
    finds: 'host namespaces (hostNetwork=true, hostPID=true)',
  },
  {
    title: 'containers that are privileged, those that initialize first',
    spec: {
      initContainers: [{ name: 'i', securityContext: { privileged: true } }],
      ...plain({ privileged: true }),
    },
    level: 'baseline',
    finds: 'privileged (containers "i", "c" must not set securityContext.privileged=true)',
  },
  {
    title: 'a container that is added later',
    spec: {
      ...plain({}),
      ephemeralContainers: [{ name: 'debug', securityContext: { privileged: true } }],
    },
    level: 'baseline',
    finds: 'privileged (container "debug" must not set securityContext.privileged=true)',
  },
  {
    title: 'capabilities beyond the usual',
    spec: plain({ capabilities: { add: ['SYS_ADMIN', 'CHOWN', 'NET_RAW'] } }),
    level: 'baseline',
    finds:
      'non-default capabilities (container "c" must not include "NET_RAW", "SYS_ADMIN" in ' +
      'securityContext.capabilities.add)',
  },
  {
    title: 'a capability that is nearly one of the usual',
    spec: plain({ capabilities: { add: ['chown', 'CAP_CHOWN', 'CHOWN '] } }),
    level: 'baseline',
    finds:
      'non-default capabilities (container "c" must not include "CAP_CHOWN", "CHOWN ", "chown" ' +
      'in securityContext.capabilities.add)',
  },
  {
    title: 'usual capabilities are too many for the restricted level',
    spec: strictBut({ capabilities: { drop: ['ALL'], add: ['CHOWN', 'NET_BIND_SERVICE'] } }),
    level: 'restricted',
    finds:
      'unrestricted capabilities (container "c" must not include "CHOWN" in ' +
      'securityContext.capabilities.add)',
  },
  {
    title: 'folders of the node',
    spec: { ...plain({}), volumes: [{ name: 'v', hostPath: { path: '/' } }] },
    level: 'baseline',
    finds: 'hostPath volumes (volume "v")',
  },
  {
    title: 'volumes of the node or the network, once',
    spec: strictBut(
      {},
      {
        volumes: [
          { name: 'v', hostPath: { path: '/' } },
          { name: 'w', nfs: {} },
          { name: 'ok', projected: {} },
        ],
      },
    ),
    level: 'restricted',
    finds:
      'restricted volume types (volumes "v", "w" use restricted volume types "hostPath", "nfs")',
  },
  {
    title: 'ports of the node',
    spec: plain({}, { ports: [{ hostPort: 80 }, { hostPort: 0 }, { hostPort: 443 }] }),
    level: 'baseline',
    finds: 'hostPort (container "c" uses hostPorts 443, 80)',
  },
  {
    title: 'profiles that are switched off',
    spec: {
      securityContext: { appArmorProfile: { type: 'Unconfined' } },
      containers: [{ name: 'c', securityContext: { seccompProfile: { type: 'Unconfined' } } }],
    },
    level: 'baseline',
    finds:
      'forbidden AppArmor profile (pod must not set AppArmor profile type to "Unconfined"), ' +
      'seccompProfile (container "c" must not set securityContext.seccompProfile.type to ' +
      '"Unconfined")',
  },
  {
    title: 'profiles by annotation',
    spec: plain({}),
    annotations: {
      'container.apparmor.security.beta.kubernetes.io/c': 'unconfined',
      'container.apparmor.security.beta.kubernetes.io/d': 'localhost/x',
    },
    level: 'baseline',
    finds:
      'forbidden AppArmor profile (annotation must not set AppArmor profile type to ' +
      '"container.apparmor.security.beta.kubernetes.io/c="unconfined"")',
  },
  {
    title: 'profiles by annotation, which older rules look at',
    spec: plain({ seccompProfile: { type: 'Unconfined' } }),
    annotations: { 'seccomp.security.alpha.kubernetes.io/pod': 'unconfined' },
    level: 'baseline',
    version: 18,
    finds:
      'seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined")',
  },
  {
    title: 'a label for processes that gives them more',
    spec: {
      securityContext: { seLinuxOptions: { type: 'spc_t', user: 'u' } },
      ...plain({ seLinuxOptions: { type: 'container_t', role: 'r' } }),
    },
    level: 'baseline',
    finds:
      'seLinuxOptions (pod and container "c" set forbidden securityContext.seLinuxOptions: ' +
      'type "spc_t"; user may not be set; role may not be set)',
  },
  {
    title: 'a label that rules know since 1.31',
    spec: plain({ seLinuxOptions: { type: 'container_engine_t' } }),
    level: 'baseline',
    version: 30,
    finds:
      'seLinuxOptions (container "c" set forbidden securityContext.seLinuxOptions: ' +
      'type "container_engine_t")',
  },
  {
    title: 'the same label by the rules of 1.31',
    spec: plain({ seLinuxOptions: { type: 'container_engine_t' } }),
    level: 'baseline',
    version: 31,
    finds: '',
  },
  {
    title: 'settings of the kernel',
    spec: {
      securityContext: { sysctls: [{ name: 'kernel.msgmax' }, { name: 'net.ipv4.tcp_rmem' }] },
      ...plain({}),
    },
    level: 'baseline',
    finds: 'forbidden sysctls (kernel.msgmax)',
  },
  {
    title: 'settings that rules know since 1.32',
    spec: {
      securityContext: { sysctls: [{ name: 'net.ipv4.tcp_rmem' }] },
      ...plain({}),
    },
    level: 'baseline',
    version: 31,
    finds: 'forbidden sysctls (net.ipv4.tcp_rmem)',
  },
  {
    title: 'the whole of /proc',
    spec: { ...plain({ procMount: 'Unmasked' }), hostUsers: false },
    level: 'baseline',
    finds: 'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
  },
  {
    title: 'processes of a Windows node',
    spec: { securityContext: { windowsOptions: { hostProcess: true } }, ...plain({}) },
    level: 'baseline',
    finds: 'hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)',
  },
  {
    title: 'root, by number and by word',
    spec: strictBut({ runAsUser: 0, runAsNonRoot: false }),
    level: 'restricted',
    finds:
      'runAsNonRoot != true (container "c" must not set securityContext.runAsNonRoot=false), ' +
      'runAsUser=0 (container "c" must not set runAsUser=0)',
  },
  {
    title: 'a pod for Windows need not say what Windows does not know',
    spec: { os: { name: 'windows' }, ...strict, containers: [{ name: 'c' }] },
    level: 'restricted',
    finds: '',
  },
  {
    title: 'a pod for Windows had to before 1.25',
    spec: { os: { name: 'windows' }, ...strict, containers: [{ name: 'c' }] },
    level: 'restricted',
    version: 24,
    finds:
      'allowPrivilegeEscalation != false (container "c" must set ' +
      'securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" ' +
      'must set securityContext.capabilities.drop=["ALL"])',
  },
  {
    title: 'rules that are not known yet are the newest that are',
    spec: plain({ capabilities: { add: ['SYS_ADMIN'] } }),
    level: 'baseline',
    version: 99,
    finds:
      'non-default capabilities (container "c" must not include "SYS_ADMIN" in ' +
      'securityContext.capabilities.add)',
  },
];

describe('pod security', () => {
  for (const { annotations = {}, finds, level, spec, title, version = 'latest' } of rows) {
    it(title, () => {
      const pod = evaluatedPod(annotations, spec, 'kubernetes.io');
      assert.equal(detailsOf(findingsIn(pod, { level, version }, rules)), finds);
    });
  }

  it('lets a pod be root among users of its own, where that is switched on', () => {
    const spec = { ...strictBut({ runAsUser: 0, runAsNonRoot: false }), hostUsers: false };
    const pod = evaluatedPod({}, spec, 'kubernetes.io');
    const level = { level: 'restricted', version: 'latest' } as const;
    assert.equal(findingsIn(pod, level, rules).length, 2);
    assert.deepEqual(findingsIn(pod, level, { ...rules, relaxesUserNamespaces: true }), []);
  });

  it('says in a bounded text what is wrong with ten thousand containers', () => {
    const containers = Array.from({ length: 10_000 }, (_, at) => ({ name: `container-${at}` }));
    const pod = evaluatedPod({}, { containers }, 'kubernetes.io');
    const text = detailsOf(findingsIn(pod, { level: 'restricted', version: 'latest' }, rules));
    assert.ok(text.length < 10_000, `${text.length} characters`);
    assert.match(text, /"container-99" and 9900 more must set/);
  });
});

const defaults = policyOf(
  {},
  {
    enforce: { level: 'privileged', version: 'latest' },
    audit: { level: 'privileged', version: 'latest' },
    warn: { level: 'privileged', version: 'latest' },
  },
  'kubernetes.io',
).policy;

describe('the levels of a namespace', () => {
  const labelled = (labels: Record<string, string>) =>
    policyOf(
      Object.fromEntries(
        Object.entries(labels).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]),
      ),
      defaults,
      'kubernetes.io',
    );
  const table: readonly (readonly [string, Record<string, string>, string, number])[] = [
    ['none', {}, 'privileged:latest privileged:latest privileged:latest', 0],
    [
      'warn of what they enforce',
      { enforce: 'baseline', 'enforce-version': 'v1.20' },
      'baseline:v1.20 privileged:latest baseline:v1.20',
      0,
    ],
    [
      'warn of what they say',
      { enforce: 'restricted', warn: 'baseline' },
      'restricted:latest privileged:latest baseline:latest',
      0,
    ],
    [
      'that are none are the strictest where they are enforced',
      { enforce: 'Restricted', audit: 'nothing', warn: 'nothing' },
      'restricted:latest privileged:latest privileged:latest',
      3,
    ],
    [
      'of versions that are none',
      { enforce: 'baseline', 'enforce-version': '1.20', 'warn-version': 'v1.020' },
      'baseline:latest privileged:latest baseline:latest',
      2,
    ],
  ];
  for (const [title, labels, expected, problems] of table) {
    it(title, () => {
      const found = labelled(labels);
      const { audit, enforce, warn } = found.policy;
      assert.equal([enforce, audit, warn].map(levelText).join(' '), expected);
      assert.equal(found.problems.length, problems);
    });
  }

  it('have versions as `latest` and `v1.N` alone', () => {
    for (const text of [
      '',
      'v1',
      'v1.',
      'v1.01',
      'v2.0',
      'V1.1',
      ' v1.1',
      'v1.1 ',
      'v1.-1',
      'Latest',
    ]) {
      assert.equal(parseVersion(text), undefined, text);
    }
    assert.equal(parseVersion('v1.0'), 0);
    assert.equal(parseVersion('v1.33'), 33);
  });
});
