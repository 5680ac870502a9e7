/** Storms of the longest bodies there may be, as YAML; of readers of a long answer that go. */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { define } from '../load/prepare.ts';
import { documentsDefinition } from './documents.ts';
import type { Place, Scene, Storm } from './storm.ts';
import { sendMany, sendOne } from './storm.ts';

const group = 'bodies.storm.example.org';
const documents = `/apis/${group}/v1/namespaces/default/documents`;

const head = (index: number): string =>
  `apiVersion: ${group}/v1\nkind: Document\nmetadata:\n  name: d${index}\ntext: `;

const bodyBytes = 2_900_000;
const atATime = 10;

/** Written, and refused because they are there already. */
const yamlStorm = (title: string, count: number, textOf: (bytes: number) => string): Storm => ({
  title,
  async run(place) {
    const text = textOf(place.of(bodyBytes));
    for (const expected of [201, 409]) {
      for (let from = 0; from < count; from += atATime) {
        const sent = (i: number) => ({
          method: 'POST',
          path: documents,
          body: head(from + i) + text,
          type: 'application/yaml',
        });
        await sendMany(place, Math.min(atATime, count - from), sent, expected);
      }
    }
    await sendOne(place, { method: 'DELETE', path: documents }, 200);
  },
});

const line = '  a line of text in a block, as long as most are in files of settings\n';

const blocks = {
  ...yamlStorm('30 bodies of 2.9 MB of YAML in blocks, written and refused', 30, (bytes) => {
    return `|\n${line.repeat(bytes / line.length)}`;
  }),
  prepare: ({ port }: Place) => define(port, documentsDefinition(group, ['v1']), documents),
};
const escapes = yamlStorm('10 bodies of 2.9 MB of YAML, a text of escapes', 10, (bytes) => {
  return `"${'\\n\\x41'.repeat(bytes / 6)}"\n`;
});
const quotes = yamlStorm('10 bodies of 2.9 MB of YAML, a text of doubled quotes', 10, (bytes) => {
  return `'${"''".repeat(bytes / 2)}'\n`;
});
const lines = yamlStorm('10 bodies of 2.9 MB of YAML, plain lines that fold', 10, (bytes) => {
  return `a\n${line.repeat(bytes / line.length)}`;
});

const readersStorm: Storm = {
  title: '400 readers of OpenAPI v2 that take nothing, and go',
  async run(place) {
    const to = { host: '127.0.0.1', port: place.port, path: '/openapi/v2' };
    const requests = Array.from({ length: place.of(400) }, () => {
      return http.get({ ...to, agent: false, headers: { 'accept-encoding': 'gzip' } });
    });
    await Promise.all(
      requests.map((request) => {
        return new Promise<void>((resolve, reject) => {
          request.once('error', reject);
          request.once('response', () => resolve());
        });
      }),
    );
    for (const request of requests) request.on('error', () => undefined).destroy();
    await sleep(place.of(1_000));
  },
};

export const bodyScenes: readonly Scene[] = [
  { storms: [readersStorm] },
  { storms: [blocks, escapes, quotes, lines] },
];
