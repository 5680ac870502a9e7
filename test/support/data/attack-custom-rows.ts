/**
 * What one caller who may write definitions, or the objects of one, can send to stop the others:
 * rows like those of attack-rows.ts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { send } from './attack-rows.ts';
import type { AttackRow } from './attack-rows.ts';

const group = 'attack.example.net';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const bundles = '/apis/certificates.k8s.io/v1beta1/clustertrustbundles';
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const many = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const record = <T>(count: number, make: (i: number) => T): Record<string, T> =>
  Object.fromEntries(many(count, (i) => [`k${i}`, make(i)]));

const text = { type: 'string' };
const object = (properties: object, more: object = {}): object => ({
  type: 'object',
  properties,
  ...more,
});
const list = (items: object): object => ({ type: 'array', items });
const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

let made = 0;

interface Definition {
  readonly name: string;
  readonly spec: object;
  readonly version?: object;
  readonly more?: object;
}

function definitionOf({ more, name, spec, version }: Definition): object {
  const schema = { openAPIV3Schema: object({ spec }) };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${name}s.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: `${name}s`, kind: `K${name}` },
      versions: [{ name: 'v1', served: true, storage: true, schema, ...version }],
      ...more,
    },
  };
}

/** A definition, objects of it, their table, and its end. */
async function tried(
  port: number,
  spec: object,
  objects: readonly unknown[],
  version: object = {},
): Promise<readonly number[]> {
  const name = `tried${(made += 1)}`;
  const path = `/apis/${group}/v1/namespaces/default/${name}s`;
  const post = (to: string, body: object): Promise<number> =>
    send(port, { path: to, body: JSON.stringify(body) });
  const statuses = [await post(definitions, definitionOf({ name, spec, version }))];
  while ((await send(port, { method: 'GET', path })) !== 200) await sleep(20);
  for (const [at, each] of objects.entries()) {
    const head = { apiVersion: `${group}/v1`, kind: `K${name}`, metadata: { name: `o${at}` } };
    statuses.push(await post(path, { ...head, spec: each }));
  }
  statuses.push(await send(port, { method: 'GET', path, accept: table }));
  const own = `${definitions}/${name}s.${group}`;
  return [...statuses, await send(port, { method: 'DELETE', path: own })];
}

const formats =
  'date-time email ipv4 ipv6 cidr uri hostname uuid mac isbn creditcard rgbcolor byte date duration';

const judged: readonly AttackRow[] = [
  {
    title: 'texts of each format that its pattern searches through',
    right: [200, 201, 422],
    run: (port, of) => {
      const names = formats.split(' ');
      const field = (name: string): [string, object] => [
        name.replace('-', ''),
        { type: 'string', format: name },
      ];
      const spec = object(Object.fromEntries(names.map(field)));
      const repeated = ['1', 'a', '1:', 'a@', '1h', '1.', '-', '/'];
      const objects = repeated.map((each) => {
        const value = each.repeat(of(20_000, 150_000) / each.length);
        return Object.fromEntries(names.map((name) => [name.replace('-', ''), value]));
      });
      return tried(port, spec, objects);
    },
  },
  {
    title: 'a mail address that is cut into words in many ways',
    right: [200, 201, 422],
    run: (port) => {
      const spec = object({ mail: { type: 'string', format: 'email' } });
      return tried(port, spec, [{ mail: `${'a'.repeat(200)}(<a@example.org>` }]);
    },
  },
  {
    title: 'items that are none of many values',
    right: [200, 201, 422],
    run: (port, of) => {
      const values = many(of(500, 5_000), (i) => `value${i}`);
      const spec = list({ type: 'string', enum: values });
      const items = many(of(2_000, 20_000), (i) => values[i % values.length]);
      return tried(port, spec, [items.map(() => 'other'), items]);
    },
  },
  {
    title: 'items that are none of many objects',
    right: [200, 201, 422],
    run: (port, of) => {
      const values = many(of(200, 1_000), (i) => ({ a: `v${i}`, b: many(10, (j) => `x${j}`) }));
      const spec = list(object({ a: text, b: list(text) }, { enum: values }));
      const item = { a: 'other', b: many(10, (j) => `x${j}`) };
      return tried(port, spec, [many(of(200, 1_500), () => item)]);
    },
  },
  {
    title: 'items that have none of many names',
    right: [200, 201, 413, 422],
    run: (port, of) => {
      const required = many(of(1_000, 5_000), (i) => `r${i}`);
      const spec = list(object({ a: text }, { required }));
      return tried(port, spec, [many(of(1_000, 20_000), () => ({}))]);
    },
  },
  {
    title: 'items, and the list of them, that are none of many alternatives',
    right: [200, 201, 422],
    run: async (port, of) => {
      const anyOf = many(of(200, 1_000), (i) => ({ pattern: `^x${i}$` }));
      const lists = anyOf.map((items) => ({ items }));
      const items = many(of(250, 1_000), () => 'other');
      const each = await tried(port, list({ type: 'string', anyOf }), [items]);
      return [...each, ...(await tried(port, { ...list(text), anyOf: lists }, [items]))];
    },
  },
];

const grown: readonly AttackRow[] = [
  {
    title: 'defaults of many items',
    right: [200, 201, 413],
    run: (port, of) => {
      const properties = record(of(500, 5_000), () => ({ type: 'string', default: 'x' }));
      const items = many(of(1_000, 20_000), () => ({}));
      return tried(port, list(object(properties)), [items]);
    },
  },
  {
    title: 'a long default of many items',
    right: [200, 201, 413],
    run: (port, of) => {
      const long = { ...list(text), default: many(of(500, 5_000), (i) => `x${i}`) };
      const words = { type: 'string', default: 'w'.repeat(of(10_000, 500_000)) };
      const items = many(of(1_000, 20_000), () => ({}));
      return tried(port, list(object({ long, words })), [items]);
    },
  },
  {
    title: 'columns that each show the whole of large objects',
    right: [200, 201],
    run: (port, of) => {
      const additionalPrinterColumns = many(60, (i) => ({
        name: `C${i}`,
        type: 'string',
        jsonPath: '.spec',
      }));
      const objects = many(of(3, 50), () => record(1_000, (i) => `v${i}`));
      return tried(port, open, objects, { additionalPrinterColumns });
    },
  },
];

/** Marks of PEM that nothing follows: what looks for an end does so once. */
const marks = (count: number): string => '-----BEGIN CERTIFICATE-----\n'.repeat(count);
const junk = (count: number): string =>
  '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'.repeat(count);

const trusted: readonly AttackRow[] = [
  {
    title: 'a definition whose CA bundle has beginnings, or blocks that are no certificates',
    right: [201, 200, 422],
    run: async (port, of) => {
      const statuses: number[] = [];
      for (const pem of [marks(of(5_000, 50_000)), junk(of(2_000, 30_000))]) {
        const name = `bundled${(made += 1)}`;
        const clientConfig = { url: 'https://127.0.0.1:1/', caBundle: base64(pem) };
        const webhook = { clientConfig, conversionReviewVersions: ['v1'] };
        const more = { conversion: { strategy: 'Webhook', webhook } };
        const body = JSON.stringify(definitionOf({ name, spec: open, more }));
        statuses.push(await send(port, { path: definitions, body }));
        const path = `${definitions}/${name}s.${group}`;
        if (statuses.at(-1) === 201) statuses.push(await send(port, { method: 'DELETE', path }));
      }
      return statuses;
    },
  },
  {
    title: 'a trust bundle of beginnings',
    right: [404, 422],
    run: async (port, of) => {
      const spec = { trustBundle: marks(of(5_000, 30_000)) };
      const body = JSON.stringify({ metadata: { name: 'beginnings' }, spec });
      return [await send(port, { path: bundles, body })];
    },
  },
];

export const attackCustomRows: readonly AttackRow[] = [...judged, ...grown, ...trusted];
