/** Storms of definitions of custom types, and of objects of them. */
import { definitionsPath } from '../load/definitions.ts';
import { fetchBytes } from '../load/http-client.ts';
import { currentVersion, define } from '../load/prepare.ts';
import type { Place, Scene, Storm } from './storm.ts';
import { readTogether, sendMany, sendOne, tables, until } from './storm.ts';

const group = 'storm.example.org';
const merge = { method: 'PATCH', type: 'application/merge-patch+json' } as const;

interface Version {
  readonly name: string;
  readonly fields: number;
}

/** 210 bytes. */
const description = 'What this field is for, in a line of text that people read. '.repeat(3);

/** `versions`: the first one is stored. */
function definition(plural: string, versions: readonly Version[], columns = 0): object {
  const version = ({ fields, name }: Version, at: number): object => {
    const field = (i: number) => [`field${i}`, { type: 'string', description }] as const;
    const properties = Object.fromEntries(Array.from({ length: fields }, (_, i) => field(i)));
    const spec = { type: 'object', properties };
    const openAPIV3Schema = { type: 'object', properties: { spec } };
    const column = (i: number): object => ({
      name: `Column ${i}`,
      type: 'string',
      jsonPath: `.spec.field${i}`,
    });
    return {
      name,
      served: true,
      storage: at === 0,
      schema: { openAPIV3Schema },
      ...(columns === 0
        ? {}
        : { additionalPrinterColumns: Array.from({ length: columns }, (_, i) => column(i)) }),
    };
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind: `K${plural}` },
      versions: versions.map(version),
    },
  };
}

const numbered = (count: number, fields: number): readonly Version[] =>
  Array.from({ length: count }, (_, i) => ({ name: `v${i + 1}`, fields }));

const pathOf = (plural: string): string => `/apis/${group}/v1/namespaces/default/${plural}`;

async function makeObjects(
  place: Place,
  plural: string,
  prefix: string,
  count: number,
): Promise<void> {
  const path = pathOf(plural);
  const made = (i: number): object => ({
    apiVersion: `${group}/v1`,
    kind: `K${plural}`,
    metadata: { name: `${prefix}${i}` },
    spec: { field0: 'x'.repeat(300), field1: `~${i}` },
  });
  await sendMany(place, count, (i) => ({ method: 'POST', path, body: made(i) }), 201);
}

const first: Storm = {
  title: 'a definition of 2.4 MB with 100 versions, the first of a process',
  async run(place) {
    const body = definition('large', numbered(place.of(100), 110));
    await sendOne(place, { method: 'POST', path: definitionsPath, body }, 201);
  },
};

const versionsStorm: Storm = {
  title: '10,000 versions in one group, as they are defined',
  async run(place) {
    const made = (i: number): object => definition(`many${i}`, numbered(100, 2));
    const post = (i: number) => ({ method: 'POST', path: definitionsPath, body: made(i) });
    await sendMany(place, place.of(100), post, 201);
    await readTogether(place, 2, '/apis');
  },
};

const definitionsStorm: Storm = {
  title: '6,000 definitions, as they are made under a reader of discovery',
  async run(place) {
    const made = (i: number): object => definition(`small${i}s`, numbered(1, 4));
    const post = (i: number) => ({ method: 'POST', path: definitionsPath, body: made(i) });
    let isOver = false;
    const reading = (async (): Promise<void> => {
      while (!isOver) await readTogether(place, 1, '/apis');
    })();
    try {
      await sendMany(place, place.of(6_000), post, 201);
    } finally {
      isOver = true;
      await reading;
    }
  },
};

const openApiStorm: Storm = {
  title: 'eight readers of OpenAPI v2 over them, the first time; of v3',
  async run(place) {
    await readTogether(place, 8, '/openapi/v2');
    await readTogether(place, 8, '/openapi/v3');
  },
};

const plural = 'watched';
const watched = pathOf(plural);
const definitionPath = `${definitionsPath}/${plural}.${group}`;

const watchedStorm: Storm = {
  title: '10,000 custom objects are made under 1,000 watches, beside 90,000 others',
  async prepare(place) {
    await define(place.port, definition(plural, numbered(1, 10)), watched);
    await makeObjects(place, plural, 'a', place.of(90_000));
    await place.watch(`${watched}?watch=1`, place.of(1_000));
  },
  async run(place) {
    await makeObjects(place, plural, 'b', place.of(10_000));
    place.endWatches();
  },
};

const resumedStorm: Storm = {
  title: '100 watches of them begin 3,000 changes ago, and 100 with all 100,000',
  async run(place) {
    const from = Math.max(1, Number(await currentVersion(place.port, watched)) - 3_000);
    await place.watch(`${watched}?watch=1&resourceVersion=${from}`, place.of(100));
    const watchers = await place.watch(`${watched}?watch=1&resourceVersion=0`, place.of(100));
    await watchers.reached(place.of(100) * (place.of(90_000) + place.of(10_000)));
    place.endWatches();
  },
};

const tabled = pathOf('tabled');

const tablesStorm: Storm = {
  title: '1,000 watches of tables begin with 2,000 custom objects',
  async prepare(place) {
    await define(place.port, definition('tabled', numbered(1, 10), 2), tabled);
    await makeObjects(place, 'tabled', 'a', place.of(2_000));
  },
  async run(place) {
    const count = place.of(1_000);
    const watchers = await place.watch(`${tabled}?watch=1&resourceVersion=0`, count, tables);
    await watchers.reached(count * place.of(2_000));
    place.endWatches();
  },
};

const columnsStorm: Storm = {
  title: 'the columns of that type change, twice, under 1,000 watches of it',
  async prepare(place) {
    const from = await currentVersion(place.port, watched);
    await place.watch(`${watched}?watch=1&resourceVersion=${from}`, place.of(1_000));
  },
  async run(place) {
    for (const columns of [5, 6]) {
      const body = definition(plural, numbered(1, 10), columns);
      const sent = { ...merge, path: definitionPath, body };
      await sendMany(place, 1, () => sent, 200);
    }
  },
};

const goneStorm: Storm = {
  title: 'the definition of 100,000 objects is deleted under 1,000 watches, until all are gone',
  async run(place) {
    await sendOne(place, { method: 'DELETE', path: definitionPath }, 200);
    await until(async () => (await fetchBytes(place.port, 'GET', definitionPath)).status === 404);
    place.endWatches();
  },
};

export const typeScenes: readonly Scene[] = [
  { storms: [tablesStorm] },
  { storms: [first, versionsStorm] },
  { storms: [definitionsStorm, openApiStorm] },
  { storms: [watchedStorm, resumedStorm, columnsStorm, goneStorm] },
];
