/** The flags of admission and its configuration file: what they name, and what is wrong with them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readAdmissionConfiguration } from '../../src/admission/configuration.ts';
import { readEventRates } from '../../src/admission/event-rates/settings.ts';
import { readImagePolicy } from '../../src/admission/image-policy/settings.ts';
import { admissionPluginNames } from '../../src/admission/plugin-names.ts';
import type { AdmissionPluginName } from '../../src/admission/plugin-names.ts';
import { limitedResources } from '../../src/admission/quota/limited-resources.ts';
import { readPodSecurity } from '../../src/admission/pod-security/configuration.ts';
import { readNodeSelectors } from '../../src/admission/pods/node-selectors.ts';
import { readTolerationSettings } from '../../src/admission/pods/toleration-restriction.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { decodeYaml } from '../../src/apimachinery/codecs/yaml.ts';
import type { JsonObject } from '../../src/apimachinery/unstructured.ts';
import { completeConfig, optionTable } from '../../src/server/config/options.ts';
import type { OptionName, RawOptions } from '../../src/server/config/options.ts';
import { startTestServer } from '../support/servers/test-server.ts';

const defaults = Object.fromEntries(optionTable.map((spec) => [spec.flag, spec.default]));
const complete = (more: Partial<RawOptions>) =>
  completeConfig({ ...(defaults as Record<OptionName, string>), ...more });

describe('the flags of admission', () => {
  it('have what a server has by default', () => {
    assert.deepEqual(
      [...complete({}).admission.plugins],
      [
        'NamespaceLifecycle',
        'LimitRanger',
        'ServiceAccount',
        'NodeRestriction',
        'TaintNodesByCondition',
        'PodSecurity',
        'Priority',
        'DefaultTolerationSeconds',
        'DefaultStorageClass',
        'StorageObjectInUseProtection',
        'PersistentVolumeClaimResize',
        'RuntimeClass',
        'CertificateApproval',
        'CertificateSigning',
        'ClusterTrustBundleAttest',
        'CertificateSubjectRestriction',
        'DefaultIngressClass',
        'PodTopologyLabels',
        'MutatingAdmissionPolicy',
        'MutatingAdmissionWebhook',
        'ValidatingAdmissionPolicy',
        'ValidatingAdmissionWebhook',
        'ResourceQuota',
      ],
    );
  });

  it('add what is off and take away what is on', () => {
    const { plugins } = complete({
      'enable-admission-plugins': 'AlwaysPullImages, NodeRestriction',
      'disable-admission-plugins': 'PodSecurity, EventRateLimit, AlwaysDeny',
    }).admission;
    assert.deepEqual(
      ['AlwaysPullImages', 'NodeRestriction', 'PodSecurity', 'EventRateLimit', 'Priority'].filter(
        (name) => ([...plugins] as string[]).includes(name),
      ),
      ['AlwaysPullImages', 'NodeRestriction', 'Priority'],
    );
  });

  /** Off by default, each between the two that the reference has it between. */
  const places: readonly (readonly [string, AdmissionPluginName, string])[] = [
    ['', 'AlwaysAdmit', 'NamespaceAutoProvision'],
    ['AlwaysAdmit', 'NamespaceAutoProvision', 'NamespaceLifecycle'],
    ['NamespaceLifecycle', 'NamespaceExists', 'LimitPodHardAntiAffinityTopology'],
    ['DefaultTolerationSeconds', 'PodTolerationRestriction', 'EventRateLimit'],
    ['ResourceQuota', 'AlwaysDeny', ''],
  ];
  for (const [before, name, behind] of places) {
    it(`${name} is known, off by default and asked in the order of the reference`, () => {
      assert.ok(!complete({}).admission.plugins.has(name));
      assert.ok(complete({ 'enable-admission-plugins': name }).admission.plugins.has(name));
      const at = admissionPluginNames.indexOf(name);
      const around = [admissionPluginNames[at - 1] ?? '', admissionPluginNames[at + 1] ?? ''];
      assert.deepEqual(around, [before, behind]);
    });
  }

  const wrong: readonly (readonly [Partial<RawOptions>, RegExp])[] = [
    [
      { 'enable-admission-plugins': 'PodSecurityPolicy' },
      /--enable-admission-plugins: "PodSecurityPolicy" is not one of AlwaysAdmit, /,
    ],
    [
      { 'disable-admission-plugins': 'noderestriction' },
      /--disable-admission-plugins: "noderestriction" is not/,
    ],
    [
      {
        'enable-admission-plugins': 'NodeRestriction',
        'disable-admission-plugins': 'NodeRestriction',
      },
      /NodeRestriction cannot be in both/,
    ],
    [
      { 'disable-admission-plugins': 'NamespaceLifecycle' },
      /NamespaceLifecycle is a part of every write and cannot be switched off/,
    ],
    [
      { 'default-not-ready-toleration-seconds': '-1' },
      /--default-not-ready-toleration-seconds: "-1" is not an integer from 0/,
    ],
  ];
  for (const [options, message] of wrong) {
    it(`are refused: ${JSON.stringify(options)}`, () => {
      assert.throws(() => complete(options), message);
    });
  }
});

const head = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n';

describe('the configuration of admission', () => {
  const read = (text: string, files: Readonly<Record<string, string>> = {}) =>
    readAdmissionConfiguration(
      Buffer.from(text),
      '/etc/a/config.yaml',
      identityOf('kubernetes'),
      (file) => {
        const found = files[file];
        if (found === undefined) throw new Error(`${file}: no such file`);
        return Buffer.from(found);
      },
    );

  it('stands in the file, or in one of its own beside it', () => {
    const { plugins, problems } = read(
      `${head}plugins:\n- {name: PodSecurity, configuration: {a: 1}}\n- {name: EventRateLimit, path: sub/rates.yaml}\n`,
      { '/etc/a/sub/rates.yaml': 'limits: []' },
    );
    assert.deepEqual(problems, []);
    assert.deepEqual(plugins.get('PodSecurity')?.document, { a: 1 });
    assert.deepEqual(plugins.get('EventRateLimit'), {
      document: { limits: [] },
      folder: '/etc/a/sub',
      source: '/etc/a/sub/rates.yaml',
    });
  });

  const problems: readonly (readonly [string, readonly string[]])[] = [
    ['[', ['not valid YAML: did not find the expected content at line 1, column 2']],
    ['a', ['not an object']],
    [
      'kind: AdmissionConfiguration',
      ['apiVersion: one of apiserver.config.k8s.io/v1, apiserver.k8s.io/v1alpha1 expected'],
    ],
    [
      'apiVersion: apiserver.config.k8s.io/v1\nkind: Other',
      ['kind: AdmissionConfiguration expected'],
    ],
    [`${head}plugin: []`, ['plugin: unknown field']],
    [`${head}plugins: {}`, ['plugins: a list expected']],
    [`${head}plugins: [a]`, ['plugins[0]: an object expected']],
    [
      `${head}plugins: [{name: Nobody, configuration: {}}]`,
      ['plugins[0].name: "Nobody" is no admission plugin'],
    ],
    [
      `${head}plugins: [{name: LimitRanger, configuration: {}}]`,
      ['plugins[0].name: LimitRanger takes no configuration'],
    ],
    [
      `${head}plugins: [{name: PodSecurity, configuration: {}}, {name: PodSecurity, configuration: {}}]`,
      ['plugins[1].name: PodSecurity is there twice'],
    ],
    [
      `${head}plugins: [{name: PodSecurity}]`,
      ['plugins[0]: either configuration or path is required'],
    ],
    [
      `${head}plugins: [{name: PodSecurity, path: a, configuration: {}}]`,
      ['plugins[0]: either configuration or path is required'],
    ],
    [
      `${head}plugins: [{name: PodSecurity, path: gone.yaml}]`,
      ['plugins[0].path: /etc/a/gone.yaml: no such file'],
    ],
    [
      `${head}plugins: [{name: PodSecurity, config: {}, configuration: 7}]`,
      ['plugins[0].config: unknown field', 'plugins[0].configuration: an object expected'],
    ],
  ];
  for (const [text, expected] of problems) {
    it(`is refused: ${JSON.stringify(text.replace(head, ''))}`, () => {
      assert.deepEqual(read(text).problems, expected);
    });
  }

  it('ends the start of a server that cannot be told what it says', async () => {
    await assert.rejects(
      startTestServer({ 'admission-control-config-file': '/nowhere/config.yaml' }),
      /--admission-control-config-file: .*nowhere/,
    );
    await assert.rejects(
      startTestServer({ 'enable-admission-plugins': 'EventRateLimit' }),
      /--admission-control-config-file: ; EventRateLimit: a configuration is required/,
    );
  });
});

describe('what plugins read from it', () => {
  const document = (text: string): JsonObject => {
    const decoded = decodeYaml(Buffer.from(text));
    assert(decoded.kind !== 'refused');
    return decoded.value as JsonObject;
  };
  const problemsOf = (
    reader: (given: JsonObject | undefined, problems: string[]) => unknown,
    text: string | undefined,
  ): readonly string[] => {
    const problems: string[] = [];
    reader(text === undefined ? undefined : document(text), problems);
    return problems;
  };
  const security = (given: JsonObject | undefined, problems: string[]) =>
    readPodSecurity(given, 'pod-security.admission.config.k8s.io', problems);
  const rates = (given: JsonObject | undefined, problems: string[]) =>
    readEventRates(given, 'eventratelimit.admission.k8s.io', problems);
  const images = (given: JsonObject | undefined, problems: string[]) =>
    readImagePolicy(given, '/etc', problems);
  const limits = (given: JsonObject | undefined, problems: string[]) =>
    limitedResources(given, identityOf('kubernetes'), problems);
  const ofSecurity =
    'apiVersion: pod-security.admission.config.k8s.io/v1\nkind: PodSecurityConfiguration\n';
  const ofRates = 'apiVersion: eventratelimit.admission.k8s.io/v1alpha1\nkind: Configuration\n';

  const rows: readonly (readonly [
    string,
    (given: JsonObject | undefined, problems: string[]) => unknown,
    string | undefined,
    readonly string[],
  ])[] = [
    ['PodSecurity without one', security, undefined, []],
    ['PodSecurity with an empty one', security, ofSecurity, []],
    [
      'PodSecurity of another kind',
      security,
      'apiVersion: v1\nkind: A',
      [
        'apiVersion: one of pod-security.admission.config.k8s.io/v1, ' +
          'pod-security.admission.config.k8s.io/v1beta1, ' +
          'pod-security.admission.config.k8s.io/v1alpha1 expected',
        'kind: PodSecurityConfiguration expected',
      ],
    ],
    [
      'PodSecurity with all that can be wrong',
      security,
      `${ofSecurity}defaults: {enforce: Baseline, warn-version: "1.2", audits: baseline}
exemptions: {namespaces: [a, A, a], usernames: [""], runtimeClasses: [a_b]}`,
      [
        'defaults.audits: unknown field',
        'defaults.enforce: Invalid value: "Baseline": must be one of privileged, baseline, restricted',
        'defaults.warn-version: Invalid value: "1.2": must be "latest" or "v1.x"',
        'exemptions.usernames[0]: Invalid value: "": username must not be empty',
        'exemptions.namespaces[1]: Invalid value: "A": a lowercase RFC 1123 label must consist of ' +
          "lower case alphanumeric characters or '-', and must start and end with an alphanumeric " +
          "character (e.g. 'my-name',  or '123-abc', regex used for validation is " +
          "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
        'exemptions.namespaces[2]: Duplicate value: "a"',
        'exemptions.runtimeClasses[0]: Invalid value: "a_b": a lowercase RFC 1123 subdomain must ' +
          "consist of lower case alphanumeric characters, '-' or '.', and must start and end with " +
          "an alphanumeric character (e.g. 'example.com', regex used for validation is " +
          "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ],
    ],
    [
      'EventRateLimit without one',
      rates,
      undefined,
      ['a configuration is required: which limits are to hold'],
    ],
    ['EventRateLimit without limits', rates, ofRates, ['limits: must not be empty']],
    [
      'EventRateLimit with all that can be wrong',
      rates,
      `${ofRates}limits: [{type: Node, qps: 0, burst: 1.5, cacheSize: -1, rate: 1}, 7]`,
      [
        'limits[0].rate: unknown field',
        'limits[0].cacheSize: an integer of at least 0 expected',
        'limits[0].type: one of Server, Namespace, User, SourceAndObject expected',
        'limits[0].qps: an integer of at least 1 expected',
        'limits[0].burst: an integer of at least 1 expected',
        'limits[1]: an object expected',
        'limits[1].type: one of Server, Namespace, User, SourceAndObject expected',
        'limits[1].qps: an integer of at least 1 expected',
        'limits[1].burst: an integer of at least 1 expected',
      ],
    ],
    [
      'ImagePolicyWebhook without one',
      images,
      undefined,
      ['a configuration is required: where the webhook is', 'imagePolicy.kubeConfigFile: required'],
    ],
    [
      'ImagePolicyWebhook with all that can be wrong',
      images,
      'imagePolicy: {kubeConfigFile: k, allowTTL: 9999, denyTTL: x, defaultAllow: 1, more: 1}',
      [
        'imagePolicy.more: unknown field',
        'imagePolicy.allowTTL: an integer from 1 to 1800 expected, or -1 for none',
        'imagePolicy.denyTTL: an integer from 1 to 1800 expected, or -1 for none',
        'imagePolicy.defaultAllow: true or false expected',
      ],
    ],
    [
      'ImagePolicyWebhook with durations beyond what they may be',
      images,
      'imagePolicy: {kubeConfigFile: k, allowTTL: 1801, denyTTL: -2, retryBackoff: 300001}',
      [
        'imagePolicy.allowTTL: an integer from 1 to 1800 expected, or -1 for none',
        'imagePolicy.denyTTL: an integer from 1 to 1800 expected, or -1 for none',
        'imagePolicy.retryBackoff: an integer from 1 to 300000 expected, or -1 for none',
      ],
    ],
    [
      'ImagePolicyWebhook with a duration that is no whole number',
      images,
      'imagePolicy: {kubeConfigFile: k, allowTTL: 1.5}',
      ['imagePolicy.allowTTL: an integer from 1 to 1800 expected, or -1 for none'],
    ],
    ['ResourceQuota without one', limits, undefined, []],
    [
      'ResourceQuota with one of each version',
      (_given, problems) => {
        for (const head of [
          'apiVersion: apiserver.config.k8s.io/v1\nkind: ResourceQuotaConfiguration\n',
          'apiVersion: resourcequota.admission.k8s.io/v1beta1\nkind: Configuration\n',
          'apiVersion: resourcequota.admission.k8s.io/v1alpha1\nkind: Configuration\n',
        ]) {
          assert.equal(limits(document(head), problems), undefined);
          assert.ok(limits(document(`${head}limitedResources: [{resource: pods}]`), problems));
        }
      },
      undefined,
      [],
    ],
    [
      'ResourceQuota of the kind of another version',
      limits,
      'apiVersion: apiserver.config.k8s.io/v1\nkind: Configuration',
      ['kind: ResourceQuotaConfiguration expected'],
    ],
    [
      'ResourceQuota of another version',
      limits,
      'apiVersion: v1\nkind: Configuration\nlimitedResources: {}',
      [
        'apiVersion: one of apiserver.config.k8s.io/v1, ' +
          'resourcequota.admission.k8s.io/v1beta1, ' +
          'resourcequota.admission.k8s.io/v1alpha1 expected',
        'limitedResources: a list expected',
      ],
    ],
    [
      'ResourceQuota with all that can be wrong',
      limits,
      'apiVersion: resourcequota.admission.k8s.io/v1beta1\nkind: Configuration\nmore: 1\n' +
        'limitedResources: [7, {apiGroup: 1, matchContains: [1], matchScopes: [2, ' +
        '{scopeName: A, operator: B, values: c, d: 1}], limit: 1}]',
      [
        'more: unknown field',
        'limitedResources[0]: an object expected',
        'limitedResources[1].limit: unknown field',
        'limitedResources[1].apiGroup: a string expected',
        'limitedResources[1].resource: Required value',
        'limitedResources[1].matchContains: a list of strings expected',
        'limitedResources[1].matchScopes[0]: an object expected',
        'limitedResources[1].matchScopes[1].d: unknown field',
        'limitedResources[1].matchScopes[1].scopeName: one of Terminating, NotTerminating, ' +
          'BestEffort, NotBestEffort, PriorityClass, CrossNamespacePodAffinity, ' +
          'VolumeAttributesClass expected',
        'limitedResources[1].matchScopes[1].operator: one of In, NotIn, Exists, DoesNotExist ' +
          'expected',
        'limitedResources[1].matchScopes[1].values: a list of strings expected',
      ],
    ],
    [
      'PodNodeSelector with labels that are none',
      readNodeSelectors,
      'podNodeSelectorPluginConfig: {clusterDefaultNodeSelector: "a=b,c", team: 7}\nmore: 1',
      [
        'more: unknown field',
        'podNodeSelectorPluginConfig.clusterDefaultNodeSelector: labels expected, as a=b,c=d',
        'podNodeSelectorPluginConfig.team: labels expected, as a=b,c=d',
      ],
    ],
    [
      'PodTolerationRestriction with what is no toleration',
      (given, problems) => readTolerationSettings(given, 'g', problems),
      'apiVersion: g/v1\nkind: Other\ndefault: [7, {key: a, effect: Never}]\n' +
        'whitelist: [{operator: Equal, tolerationSeconds: 5}, {seconds: 1, operator: Exists}]',
      [
        'apiVersion: g/v1alpha1 expected',
        'kind: Configuration expected',
        'default[0]: an object expected',
        'default[1].effect: one of , NoSchedule, PreferNoSchedule, NoExecute expected',
        'whitelist[0].tolerationSeconds: only with effect NoExecute',
        'whitelist[0].operator: Exists expected where there is no key',
        'whitelist[1].seconds: unknown field',
      ],
    ],
  ];
  for (const [title, reader, text, expected] of rows) {
    it(title, () => assert.deepEqual(problemsOf(reader, text), expected));
  }

  it('ImagePolicyWebhook: durations in their units, the file from its folder', () => {
    const problems: string[] = [];
    const read = (durations: string) => {
      const given = document(`imagePolicy: {kubeConfigFile: k${durations}}`);
      return readImagePolicy(given, '/etc', problems);
    };
    const file = { kubeConfigFile: '/etc/k', allowsWithoutAnswer: false };
    const some = read(', allowTTL: 50, denyTTL: -1');
    assert.deepEqual(some, { ...file, allowedMs: 50_000, deniedMs: 0, firstPauseMs: 500 });
    const usual = { ...file, allowedMs: 300_000, deniedMs: 30_000, firstPauseMs: 500 };
    assert.deepEqual(read(''), usual);
    assert.deepEqual(read(', allowTTL: 0, denyTTL: 0, retryBackoff: 0'), usual);
    const most = { ...file, allowedMs: 1_800_000, deniedMs: 1_800_000, firstPauseMs: 300_000 };
    assert.deepEqual(read(', allowTTL: 1800, denyTTL: 1800, retryBackoff: 300000'), most);
    const none = { ...file, allowedMs: 0, deniedMs: 0, firstPauseMs: 0 };
    assert.deepEqual(read(', allowTTL: -1, denyTTL: -1, retryBackoff: -1'), none);
    assert.deepEqual(problems, []);
  });
});
