/**
 * What one caller can send to stop the others in single long texts, and in answers that say them
 * again: rows like those of attack-rows.ts.
 */
import { send } from './attack-rows.ts';
import type { AttackRow, SizeOf } from './attack-rows.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const cronJobs = '/apis/batch/v1/namespaces/default/cronjobs';
const pods = '/api/v1/namespaces/default/pods';
const signingRequests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const tokens = '/api/v1/namespaces/default/serviceaccounts/default/token';
const yaml = 'application/yaml';
const jsonPatch = 'application/json-patch+json';
const apply = 'application/apply-patch+yaml';
const refused = [400, 413, 422];
const many = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const record = <T>(count: number, make: (i: number) => T): Record<string, T> =>
  Object.fromEntries(many(count, (i) => [`k${i}`, make(i)]));

const post = (port: number, path: string, body: object): Promise<number> =>
  send(port, { path, body: JSON.stringify(body) });

const managed = (fieldsV1: object): object => ({
  manager: 'a',
  operation: 'Update',
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  time: '2024-01-01T00:00:00Z',
  fieldsV1,
});

const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: text-}\n';

const readings: readonly AttackRow[] = (
  [
    ['comments', '#\n', 'a: b\n', [201]],
    ['blank lines', ' \n', 'a: b\n', [201]],
    ['folded lines', '   y\n\n', '', [201, ...refused]],
    ['digits with underscores', '_1', '', [201, 422]],
    ['hexadecimal digits', 'f', '', [201, 422]],
  ] as const
).map(([what, repeated, behind, right]) => ({
  title: `YAML: a body of many ${what}`,
  right,
  async run(port, of) {
    const start = behind === '' ? `${head}data:\n  a: 0x1` : head;
    const text = repeated.repeat(of(64_000, 3_000_000) / repeated.length);
    return [await send(port, { path: configMaps, type: yaml, body: `${start}${text}\n${behind}` })];
  },
}));

const texts: readonly AttackRow[] = [
  {
    title: 'JSON: halves of pairs in many keys',
    right: refused,
    run: async (port, of) => {
      const members = many(of(2_000, 24_000), (i) => `"\\udc00${i}":1`).join();
      const path = `${configMaps}?fieldValidation=Strict`;
      return [await send(port, { path, body: `{"metadata":{"name":"a"},${members}}` })];
    },
  },
  {
    title: 'JSON: long texts beside long integers, and keys that come twice in large objects',
    right: [201, ...refused],
    run: async (port, of) => {
      const everyMark = '\\u0001\\u0002\\u0003\\u0004\\u0005\\u0006\\u0007\\u0008';
      const long = (each: string): string => each.repeat(of(100_000, 2_800_000) / each.length);
      const bodies = [everyMark, '\\"', '\\\\', 'é', '😀'].map((each) => `"${long(each)}"`);
      const keys = many(of(2_000, 24_000), (i) => `"k${i}":"${'x'.repeat(100)}"`).join();
      const integers = many(of(2_000, 24_000), () => '12345678901234567').join();
      const sent = [
        ...bodies.map((text) => `"a":12345678901234567,"b":${text}`),
        `"k0":"",${keys}`,
      ];
      const spec = [...sent.map((members) => `{${members}}`), `[${integers}]`];
      const path = '/apis/apps/v1/namespaces/default/controllerrevisions';
      const statuses: number[] = [];
      for (const data of spec) {
        const body = `{"metadata":{"generateName":"long-"},"revision":1,"data":${data}}`;
        statuses.push(await send(port, { path, body }));
      }
      return statuses;
    },
  },
  {
    title: 'refusals of names, keys and audiences as long as a body',
    right: refused,
    run: async (port, of) => {
      const long = (each: string): string => each.repeat(of(100_000, 2_900_000) / each.length);
      const escapes = (of(100_000, 2_900_000) / 6) | 0;
      const control = `{"metadata":{"name":"a"},"data":{"${'\\u0001'.repeat(escapes)}":"v"}}`;
      const key = JSON.stringify([{ op: 'add', path: `/data/${long('~1~0')}`, value: 'x' }]);
      const patched = { method: 'PATCH', path: `${configMaps}/keyed`, type: jsonPatch, body: key };
      await post(port, configMaps, { metadata: { name: 'keyed' }, data: { a: 'b' } });
      return [
        await post(port, configMaps, { metadata: { name: long('A') } }),
        await post(port, configMaps, { metadata: { name: 'a' }, data: { [long('k!')]: 'v' } }),
        await send(port, { path: configMaps, body: control }),
        await send(port, patched),
        await post(port, tokens, { spec: { audiences: [long('a')], expirationSeconds: 1 } }),
      ];
    },
  },
  ...[
    ['line separators', '\u2028'],
    ['angle brackets', '<'],
    ['slashes', '/'],
    ['dots', 'a.'],
    ['controls', '\x01'],
  ].map(([what = '', each = '']) => ({
    title: `refusals of names, keys and patterns of many ${what}`,
    right: [409, ...refused],
    async run(port: number, of: SizeOf) {
      const size = of(100_000, 2_800_000);
      // A control takes six bytes in JSON.
      const long = each.repeat(size / (each < ' ' ? 6 : Buffer.byteLength(each)));
      const name = 'a';
      const keyed = { [`k:${JSON.stringify({ name: long })}`]: {} };
      const sysctls = [{ name: long, value: '1' }];
      const containers = [{ name: long, image: 'i' }];
      const schema = { openAPIV3Schema: { type: 'string', pattern: long } };
      const bodies: readonly (readonly [path: string, body: object])[] = [
        [configMaps, { metadata: { name: long } }],
        [configMaps, { metadata: { name, labels: { [long]: 'v' }, finalizers: [long] } }],
        [configMaps, { metadata: { name: long, managedFields: [managed(keyed)] } }],
        [pods, { metadata: { name }, spec: { containers, securityContext: { sysctls } } }],
        [signingRequests, { metadata: { name }, spec: { signerName: long, request: '' } }],
        [definitions, { metadata: { name }, spec: { versions: [{ name, schema }] } }],
      ];
      const statuses: number[] = [];
      for (const [path, body] of bodies) statuses.push(await post(port, path, body));
      return statuses;
    },
  })),
  {
    title: 'paths of a pod that are all slashes, and its field paths of many marks',
    right: [201, ...refused],
    run: async (port, of) => {
      const size = of(100_000, 2_800_000);
      const path = `a${'/'.repeat(size)}b`;
      const field = (fieldPath: string): object => ({ fieldRef: { fieldPath } });
      const projected = { sources: [{ configMap: { name: 'c', items: [{ key: 'k', path }] } }] };
      const statuses: number[] = [];
      for (const start of ['', "metadata.annotations['"]) {
        const env = [{ name: 'A', valueFrom: field(start + "['".repeat(size / 2)) }];
        const spec = { containers: [{ name: 'c', image: 'i', env }] };
        statuses.push(await post(port, pods, { metadata: { name: 'a' }, spec }));
      }
      const spec = { containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'v', projected }] };
      statuses.push(await post(port, pods, { metadata: { name: 'a' }, spec }));
      return statuses;
    },
  },
  {
    title: 'schedules as long as a body',
    right: refused,
    run: async (port, of) => {
      const size = of(100_000, 2_900_000);
      const template = {
        spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] },
      };
      const schedules = ['1,', '*/1 ', '1-59/1,'].map(
        (each) => `${each.repeat(size / each.length)}1 * * * *`,
      );
      const jobs = [...schedules, `@every ${'1h'.repeat(size / 2)}`].map((schedule) => ({
        metadata: { generateName: 'long-' },
        spec: { schedule, jobTemplate: { spec: { template } } },
      }));
      const statuses: number[] = [];
      for (const each of jobs) statuses.push(await post(port, cronJobs, each));
      return statuses;
    },
  },
];

const secrets: readonly AttackRow[] = [
  {
    title: 'a secret whose document is all brackets, and one whose certificates are all beginnings',
    right: [201, 422],
    run: async (port, of) => {
      const path = '/api/v1/namespaces/default/secrets';
      const base64 = (text: string): string => Buffer.from(text).toString('base64');
      const document = base64('['.repeat(of(100_000, 2_000_000)));
      const mark = '-----BEGIN CERTIFICATE-----\n';
      const begun = base64(mark.repeat(of(100_000, 900_000) / mark.length));
      const metadata = { generateName: 'documents-' };
      const type = (name: string): string => `kubernetes.io/${name}`;
      return [
        await post(port, path, {
          metadata,
          type: type('dockerconfigjson'),
          data: { '.dockerconfigjson': document },
        }),
        await post(port, path, {
          metadata,
          type: type('tls'),
          data: { 'tls.crt': begun, 'tls.key': begun },
        }),
      ];
    },
  },
];

const owners: readonly AttackRow[] = [
  {
    title: 'an apply in conflict with many managers of many keys',
    right: [200, 201, 409],
    run: async (port, of) => {
      const count = of(500, 4_900);
      const intent = (value: string): string => {
        const data = record(count, () => value);
        return JSON.stringify({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'm' },
          data,
        });
      };
      const by = (manager: string, value: string): Promise<number> => {
        const path = `${configMaps}/m?fieldManager=${manager}`;
        return send(port, { method: 'PATCH', path, type: apply, body: intent(value) });
      };
      const statuses: number[] = [];
      for (let i = 0; i < of(5, 20); i += 1) statuses.push(await by(`m${i}`, 'v'));
      return [...statuses, await by('other', 'w')];
    },
  },
  {
    title: 'answers in YAML that have to be escaped and indented',
    right: [200, 201],
    run: async (port, of) => {
      const statuses: number[] = [];
      for (const each of ['\u0085', 'a\n']) {
        const name = `escaped-${each.length}`;
        const data = { a: each.repeat(of(20_000, 450_000)) };
        statuses.push(await post(port, configMaps, { metadata: { name }, data }));
        const path = `${configMaps}/${name}`;
        statuses.push(await send(port, { method: 'GET', path, accept: yaml }));
      }
      return statuses;
    },
  },
  {
    title: 'managedFields of items whose keys are nested',
    right: [201],
    run: async (port, of) => {
      const key = (i: number): string => `k:{"a":${'['.repeat(100)}${i}${']'.repeat(100)}}`;
      const keys = many(of(500, 4_000), (i) => [key(i), {}] as const);
      const entry = { manager: 'a', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' };
      const fieldsV1 = Object.fromEntries(keys);
      const managedFields = [{ ...entry, time: '2024-01-01T00:00:00Z', fieldsV1 }];
      return [await post(port, configMaps, { metadata: { generateName: 'k-', managedFields } })];
    },
  },
];

/** Annotations that are read as something else. */
const annotations: readonly AttackRow[] = [
  {
    title: 'annotations that are read as fields of an autoscaler, and as tolerations',
    right: [422],
    run: async (port, of) => {
      const list = `[${many(of(10_000, 80_000), () => '{}').join()}]`;
      const asScaler = ['metrics', 'current-metrics', 'conditions', 'behavior'].map((what) => ({
        [`autoscaling.alpha.kubernetes.io/${what}`]:
          what === 'behavior' ? `{"scaleUp":{"policies":${list}}}` : list,
      }));
      const spec = { maxReplicas: 2, scaleTargetRef: { kind: 'Deployment', name: 'd' } };
      const path = '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers';
      const statuses: number[] = [];
      for (const said of asScaler) {
        statuses.push(await post(port, path, { metadata: { name: 'a', annotations: said }, spec }));
      }
      const tolerations = { 'scheduler.alpha.kubernetes.io/tolerations': list };
      const containers = [{ name: 'a', image: 'b' }];
      const metadata = { name: 'a', annotations: tolerations };
      return [...statuses, await post(port, pods, { metadata, spec: { containers } })];
    },
  },
  {
    title: 'a last intent of many names in an annotation, and applies in conflict with it',
    right: [201, 409],
    run: async (port, of) => {
      const object = (name: string, data: object) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name },
        data,
      });
      const statuses: number[] = [];
      for (const count of [of(4_000, 4_900), of(6_000, 18_000)]) {
        const name = `intent-${count}`;
        const text = JSON.stringify(object(name, { ...record(count, () => ''), a: 'b' }));
        const said = { 'kubectl.kubernetes.io/last-applied-configuration': text };
        const live = { metadata: { name, annotations: said }, data: { k1: 'x', a: 'c' } };
        statuses.push(await post(port, `${configMaps}?fieldManager=other`, live));
        const body = JSON.stringify(object(name, { k1: 'y', a: 'd' }));
        const path = `${configMaps}/${name}?fieldManager=kubectl`;
        statuses.push(await send(port, { method: 'PATCH', path, type: apply, body }));
      }
      return statuses;
    },
  },
  {
    title: 'texts to select by that are as long as a body',
    right: [413],
    run: async (port, of) => {
      const long = 'x'.repeat(of(100_000, 2_500_000));
      const involvedObject = { namespace: 'default', name: 'x' };
      const event = { metadata: { name: 'a' }, involvedObject, reportingComponent: long };
      return [
        await post(port, '/api/v1/namespaces/default/events', event),
        await post(port, '/api/v1/namespaces/default/secrets', {
          metadata: { name: 'long' },
          type: long,
        }),
      ];
    },
  },
];

export const attackTextRows: readonly AttackRow[] = [
  ...readings,
  ...texts,
  ...secrets,
  ...owners,
  ...annotations,
];
