/** Objects, and what is wrong with them in the words of the reference. */
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';
import { rowsOf } from './validation-row.ts';
import type { ValidationRow } from './validation-row.ts';
import { clusterValidationRows } from './validation-rows-cluster.ts';
import { validationRowsOfFiles } from './validation-row-files.ts';

const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and " +
  "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used " +
  "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

const container = { name: 'c', image: 'i' };
const labels = { app: 'a' };
const selector = { matchLabels: labels };
const template = { metadata: { labels }, spec: { containers: [container] } };
const others = { metadata: { labels: { app: 'b' } }, spec: { containers: [container] } };
const mismatch =
  'spec.template.metadata.labels: Invalid value: {"app":"b"}: ' +
  '`selector` does not match template `labels`';
const onlyAlways =
  'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"';

const pod = (more: object, spec: object = {}): JsonObject => ({
  spec: { containers: [{ ...container, ...more }], ...spec },
});

const aPod = rowsOf('v1', 'Pod');
const tolerationsAnnotation = 'scheduler.alpha.kubernetes.io/tolerations';
const podUpdate =
  'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,' +
  '`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only ' +
  'additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set ' +
  'to 1 if it was previously negative)';

const namePart =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end " +
  "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for " +
  "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

const pods: readonly ValidationRow[] = [
  aPod('right', pod({ ports: [{ containerPort: 80, name: 'web' }] })),
  aPod(
    'too many tolerations in an annotation',
    {
      ...pod({}),
      metadata: {
        name: 'x',
        annotations: { [tolerationsAnnotation]: `[${'{},'.repeat(1000)}{}]` },
      },
    },
    [
      `metadata.annotations: Invalid value: "${tolerationsAnnotation}": must hold at most 1000 ` +
        'tolerations',
    ],
  ),
  aPod('without containers', { spec: {} }, ['spec.containers: Required value']),
  aPod('without image', pod({ image: '' }), ['spec.containers[0].image: Required value']),
  aPod('bad name', pod({ name: 'C' }), [`spec.containers[0].name: Invalid value: "C": ${label}`]),
  aPod('the same name twice', pod({}, { initContainers: [container] }), [
    'spec.initContainers[0].name: Duplicate value: "c"',
  ]),
  aPod('ports', pod({ ports: [{ containerPort: 70000 }, { name: 'a--b', containerPort: 0 }] }), [
    'spec.containers[0].ports[0].containerPort: Invalid value: 70000: ' +
      'must be between 1 and 65535, inclusive',
    'spec.containers[0].ports[1].name: Invalid value: "a--b": must not contain consecutive hyphens',
    'spec.containers[0].ports[1].containerPort: Required value',
  ]),
  aPod(
    'environment',
    pod({
      env: [
        { name: 'a=b' },
        { name: 'A', valueFrom: {} },
        { name: 'B', value: 'v', valueFrom: { fieldRef: { fieldPath: 'f' } } },
      ],
      envFrom: [{}],
    }),
    [
      'spec.containers[0].env[0].name: Invalid value: "a=b": a valid environment variable name ' +
        "must consist only of printable ASCII characters other than '='",
      'spec.containers[0].env[1].valueFrom: Invalid value: "": must specify one of: `fieldRef`, ' +
        '`resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`',
      'spec.containers[0].env[2].valueFrom.fieldRef.fieldPath: Invalid value: "f": ' +
        'error converting fieldPath: field label not supported: f',
      'spec.containers[0].env[2].valueFrom: Invalid value: "": ' +
        'may not be specified when `value` is not empty',
      'spec.containers[0].envFrom: Invalid value: "": ' +
        'must specify one of: `configMapRef` or `secretRef`',
    ],
  ),
  aPod(
    'fields of which a key is chosen',
    pod({
      env: ["spec.nodeName['a']", "metadata.labels['']", "metadata.annotations['a['b']"].map(
        (fieldPath) => ({ name: 'A', valueFrom: { fieldRef: { fieldPath } } }),
      ),
    }),
    [
      'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: ' +
        '"spec.nodeName[\'a\']": error converting fieldPath: no key can be chosen of spec.nodeName',
      'spec.containers[0].env[1].valueFrom.fieldRef: Invalid value: "": name part must be non-empty',
      `spec.containers[0].env[1].valueFrom.fieldRef: Invalid value: "": ${namePart}`,
      `spec.containers[0].env[2].valueFrom.fieldRef: Invalid value: "a['b": ${namePart}`,
    ],
  ),
  aPod(
    'mounts and volumes',
    pod(
      {
        volumeMounts: [
          { name: 'v', mountPath: '/a' },
          { name: 'w', mountPath: '/a', subPath: '../x' },
        ],
      },
      { volumes: [{ name: 'v' }, { name: 'v', secret: { defaultMode: 1000 } }] },
    ),
    [
      'spec.volumes[1].secret.secretName: Required value',
      'spec.volumes[1].secret.defaultMode: Invalid value: 1000: ' +
        'must be a number between 0 and 0777 (octal), both inclusive',
      'spec.volumes[1].name: Duplicate value: "v"',
      'spec.containers[0].volumeMounts[1].name: Not found: "w"',
      'spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/a": must be unique',
      'spec.containers[0].volumeMounts[1].subPath: Invalid value: "../x": must not contain \'..\'',
    ],
  ),
  aPod(
    'two sources in one volume',
    pod({}, { volumes: [{ name: 'v', emptyDir: {}, configMap: { name: 'c' } }] }),
    ['spec.volumes[0].configMap: Forbidden: may not specify more than 1 volume type'],
  ),
  aPod(
    'probes',
    pod({
      livenessProbe: { successThreshold: 2 },
      readinessProbe: { exec: { command: ['a'] }, tcpSocket: { port: 1 }, periodSeconds: -1 },
    }),
    [
      'spec.containers[0].livenessProbe: Required value: must specify a handler type',
      'spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1',
      'spec.containers[0].readinessProbe.tcpSocket: Forbidden: ' +
        'may not specify more than 1 handler type',
      'spec.containers[0].readinessProbe.periodSeconds: Invalid value: -1: ' +
        'must be greater than or equal to 0',
    ],
  ),
  aPod(
    'resources',
    pod({
      resources: {
        requests: { cpu: '2', memory: '-1' },
        limits: { cpu: '1', 'x.io/gpu': '1', foo: '1' },
      },
    }),
    [
      'spec.containers[0].resources.limits[foo]: Invalid value: "foo": ' +
        'must be a standard resource type or fully qualified',
      'spec.containers[0].resources.limits[foo]: Invalid value: "foo": ' +
        'must be a standard resource for containers',
      'spec.containers[0].resources.requests[foo]: Invalid value: "foo": ' +
        'must be a standard resource type or fully qualified',
      'spec.containers[0].resources.requests[foo]: Invalid value: "foo": ' +
        'must be a standard resource for containers',
      'spec.containers[0].resources.requests[memory]: Invalid value: "-1": ' +
        'must be greater than or equal to 0',
      'spec.containers[0].resources.requests: Invalid value: "2": ' +
        'must be less than or equal to cpu limit of 1',
    ],
  ),
  aPod(
    'spec',
    pod(
      {},
      {
        restartPolicy: 'Sometimes',
        activeDeadlineSeconds: 0,
        nodeSelector: { a: '-' },
        tolerations: [{ operator: 'Equal' }],
      },
    ),
    [
      'spec.restartPolicy: Unsupported value: "Sometimes": ' +
        'supported values: "Always", "Never", "OnFailure"',
      'spec.nodeSelector: Invalid value: "-": a valid label must be an empty string or consist ' +
        "of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
        "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for " +
        "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
      'spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` ' +
        'is empty, which means "match all values and all keys"',
      'spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive',
    ],
  ),
  aPod(
    'another image',
    pod({ image: 'j' }, { tolerations: [{ operator: 'Exists' }] }),
    [],
    pod({}),
  ),
  aPod('another command', pod({ command: ['x'] }), [podUpdate], pod({})),
  aPod(
    'fewer containers',
    pod({}),
    ['spec.containers: Forbidden: pod updates may not add or remove containers'],
    { spec: { containers: [container, { name: 'd', image: 'i' }] } },
  ),
];

const deployment = rowsOf('apps/v1', 'Deployment');
const job = rowsOf('batch/v1', 'Job');
const cronJob = rowsOf('batch/v1', 'CronJob');
const ending = { metadata: { labels }, spec: { containers: [container], restartPolicy: 'Never' } };
const cron = (more: object): JsonObject => ({
  spec: { schedule: '*/5 * * * 1-5', jobTemplate: { spec: { template: ending } }, ...more },
});

const workloads: readonly ValidationRow[] = [
  deployment('right', { spec: { selector, template } }),
  deployment('empty selector', { spec: { selector: {}, template } }, [
    'spec.selector: Invalid value: {}: empty selector is invalid for deployment',
  ]),
  deployment('foreign template', { spec: { selector, template: others } }, [mismatch]),
  deployment('pods that end', { spec: { selector, template: ending, replicas: -1 } }, [
    'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    onlyAlways,
  ]),
  deployment(
    'stuck strategy',
    {
      spec: {
        selector,
        template,
        strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: '0%' } },
      },
    },
    [
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": ' +
        'may not be 0 when `maxSurge` is 0',
    ],
  ),
  deployment(
    'another selector',
    { spec: { selector: { matchLabels: { app: 'b' } }, template: others } },
    ['spec.selector: Invalid value: {"matchLabels":{"app":"b"}}: field is immutable'],
    { spec: { selector, template } },
  ),
  ...['ReplicaSet', 'DaemonSet'].flatMap((kind) => {
    const row = rowsOf('apps/v1', kind);
    return [
      row('right', { spec: { selector, template } }),
      row('foreign template', { spec: { selector, template: others } }, [mismatch]),
    ];
  }),
  rowsOf('apps/v1', 'StatefulSet')('right', { spec: { selector, template, serviceName: 's' } }),
  rowsOf('apps/v1', 'StatefulSet')(
    'another service',
    { spec: { selector, template, serviceName: 't', replicas: 3 } },
    [
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', " +
        "'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', " +
        "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ],
    { spec: { selector, template, serviceName: 's' } },
  ),
  rowsOf('v1', 'ReplicationController')('right', { spec: { template } }),
  rowsOf('v1', 'ReplicationController')('empty', { spec: {} }, [
    'spec.selector: Required value',
    'spec.template: Required value',
  ]),
  rowsOf('v1', 'PodTemplate')('right', { template }),
  rowsOf('v1', 'PodTemplate')(
    'bad labels',
    { template: { metadata: { labels: { '/': '' } }, spec: template.spec } },
    [
      'template.labels: Invalid value: "/": prefix part must be non-empty',
      'template.labels: Invalid value: "/": name part must be non-empty',
      'template.labels: Invalid value: "/": name part must consist of alphanumeric ' +
        "characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. " +
        "'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
        "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ),
  job('right', { spec: { template: ending } }),
  job('pods that never end', { spec: { template, completions: -1 } }, [
    'spec.completions: Invalid value: -1: must be greater than or equal to 0',
    'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
  ]),
  job(
    'other completions',
    { spec: { template: ending, completions: 3 } },
    ['spec.completions: Invalid value: 3: field is immutable'],
    { spec: { template: ending, completions: 2 } },
  ),
  cronJob('right', cron({ timeZone: 'Europe/Paris' })),
  cronJob('every hour', cron({ schedule: '@hourly' })),
  cronJob('wrong schedule', cron({ schedule: '* * *' }), [
    'spec.schedule: Invalid value: "* * *": expected exactly 5 fields, found 3: [* * *]',
  ]),
  cronJob('hour 24', cron({ schedule: '0 24 * * *', timeZone: 'Nowhere' }), [
    'spec.schedule: Invalid value: "0 24 * * *": end of range (24) above maximum (23): 24',
    'spec.timeZone: Invalid value: "Nowhere": unknown time zone Nowhere',
  ]),
  cronJob('zone in the schedule', cron({ schedule: 'TZ=UTC * * * * *' }), [
    'spec.schedule: Invalid value: "TZ=UTC * * * * *": ' +
      'cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
  ]),
];

export const validationRows: readonly ValidationRow[] = [
  ...pods,
  ...workloads,
  ...clusterValidationRows,
  ...validationRowsOfFiles(),
];
