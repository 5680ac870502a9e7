/** Rows of Tables that are kept: at each moment the bytes of the row made anew. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { customTable } from '../../src/apiextensions/project/printer-columns.ts';
import { encodeCbor } from '../../src/apimachinery/codecs/cbor.ts';
import { asLine, encodeJson } from '../../src/apimachinery/codecs/json.ts';
import { parseJsonText } from '../../src/apimachinery/codecs/lossless.ts';
import { encodeYaml } from '../../src/apimachinery/codecs/yaml.ts';
import { tableEvents } from '../../src/apimachinery/event-frames.ts';
import { identityOf } from '../../src/apimachinery/identity.ts';
import { KeptEncodings } from '../../src/apimachinery/kept-encodings.ts';
import { emptyList, wholeList } from '../../src/apimachinery/lists/list-form.ts';
import { encodeObject, stampResourceVersion } from '../../src/apimachinery/object-encoding.ts';
import { tableForm } from '../../src/apimachinery/projection/table.ts';
import type { IncludeObject } from '../../src/apimachinery/projection/table.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { buildScheme } from '../../src/apis/build-scheme.ts';
import { listLayout } from '../../src/endpoints/list-layout.ts';
import type { Representation } from '../../src/endpoints/representation.ts';
import type { EndpointDeps } from '../../src/endpoints/request.ts';
import { eventFramesOf } from '../../src/endpoints/watch-frames.ts';
import type { StoredObject } from '../../src/registry/registry.ts';
import { seededPrng } from '../../src/stdx/prng.ts';
import type { Revision } from '../../src/storage/storage.ts';

const identity = identityOf('kubernetes');
const built = buildScheme({ identity });
assert.ok(built.kind === 'ok');
const { scheme } = built;

const bornMs = Date.parse('2026-01-01T00:00:00Z');
const born = '2026-01-01T00:00:00Z';
const later = '2026-01-01T00:00:07.5Z';

interface Case {
  readonly group: string;
  readonly kind: string;
  readonly body: JsonObject;
}

const restarted = (restartCount: JsonValue): JsonObject => ({
  name: 'c',
  restartCount,
  state: { running: {} },
  lastState: { terminated: { exitCode: 1, finishedAt: later } },
});

/** Of each shape that ages have: alone, several, in a longer text, none at all. */
const cases: readonly Case[] = [
  { group: '', kind: 'ConfigMap', body: { data: { a: 'x"\n', b: 'ü'.repeat(300) } } },
  { group: '', kind: 'Pod', body: { status: { containerStatuses: [restarted(3)] } } },
  { group: '', kind: 'Pod', body: { status: { containerStatuses: [restarted(9.5e15)] } } },
  { group: '', kind: 'Event', body: { firstTimestamp: born, lastTimestamp: later, count: 2 } },
  { group: 'batch', kind: 'Job', body: { status: { startTime: later } } },
  {
    group: 'batch',
    kind: 'Job',
    body: { status: { startTime: born, completionTime: later, conditions: [] } },
  },
  { group: 'batch', kind: 'CronJob', body: { status: { lastScheduleTime: later } } },
  { group: 'rbac.authorization.k8s.io', kind: 'Role', body: { rules: [] } },
  { group: '', kind: 'ServiceAccount', body: { secrets: 'nonsense' } },
];

function stored({ group, kind, body }: Case, name: string, note = 'n'): StoredObject {
  const annotations = { note };
  const apiVersion = group === '' ? 'v1' : `${group}/v1`;
  const metadata = { name, namespace: 'default', creationTimestamp: born, annotations };
  const object = { kind, apiVersion, metadata, ...body } as ApiObject;
  const { bytes, metadataAt } = encodeObject(object);
  const revision = 7n as Revision;
  const stamped = stampResourceVersion(bytes, metadataAt, revision);
  return { namespace: 'default', name, revision, bytes: stamped };
}

function kindOf({ group, kind }: Case) {
  const found = scheme.findKind(group, 'v1', kind);
  assert.ok(found !== undefined, kind);
  return found;
}

const includes: readonly IncludeObject[] = ['None', 'Metadata', 'Object'];
const writers = {
  json: (value: JsonValue) => asLine(encodeJson(value)),
  indented: (value: JsonValue) => encodeJson(value, true),
  yaml: (value: JsonValue) => encodeYaml(value),
  cbor: (value: JsonValue) => encodeCbor(value),
};
type Written = keyof typeof writers;
const formats = Object.keys(writers) as Written[];

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;
/** Where a duration is written in another way, or not at all. */
const turningPoints = [
  ...[-2 * second, -second, 0, second, 10 * second, 100 * second, 2 * minute, 2 * minute + second],
  ...[10 * minute, 11 * minute, 180 * minute, 3 * hour + minute, 8 * hour, 10 * hour, 48 * hour],
  ...[2 * day + hour, 8 * day, 9 * day, 100 * day, 2 * year, 2 * year + day, 8 * year, 100 * year],
];
/** Both sides of each, for both moments that objects have. */
const moments = turningPoints
  .flatMap((age) => [age, age + 7.5 * second])
  .flatMap((age) => [age - 1, age, age + 1])
  .sort((a, b) => a - b);

/** A server that is asked again and again, as time goes by. */
class Server {
  nowMs = bornMs;
  readonly encodings = new KeptEncodings(64 * 1024 * 1024);
  readonly deps: EndpointDeps;

  constructor(prng = seededPrng(1)) {
    const clock = { nowMs: () => this.nowMs, monotonicMs: () => 0 };
    const deps = { identity, clock, prng, encodings: this.encodings };
    this.deps = deps as unknown as EndpointDeps;
  }

  representation(each: Case, as: Written, includeObject: IncludeObject): Representation {
    const format = as === 'indented' ? 'json' : as;
    const projection = { kind: 'table', version: 'v1' } as const;
    const { schema, table: printer } = kindOf(each);
    const pretty = as === 'indented';
    const negotiated = { mediaType: 'x/y', format, projection, pretty };
    const show = (bytes: Uint8Array): Uint8Array => bytes;
    const shown = { convert: undefined, show, showSteps: undefined };
    return { negotiated, pretty, includeObject, ...shown, schema, printer };
  }

  list(each: Case, as: Written, include: IncludeObject, entries: readonly StoredObject[]) {
    const representation = this.representation(each, as, include);
    const position = { resourceVersion: '9' };
    const { form, itemOf } = listLayout(this.deps, kindOf(each), representation, position);
    return Buffer.from(
      wholeList(
        form,
        entries.map((entry) => Buffer.from(itemOf(entry))),
      ),
    );
  }

  /** The same list with every row made now, written at once. */
  anew(each: Case, as: Written, include: IncludeObject, entries: readonly StoredObject[]) {
    const form = this.form(each, include);
    const rows = entries.map(({ bytes }) => {
      const table = parseJsonText(form.tableOf(bytes, '', false)) as { rows: JsonValue[] };
      return table.rows[0] as JsonValue;
    });
    const columns = JSON.parse(form.columnsText) as JsonValue;
    const { kind, apiVersion } = form;
    const empty = emptyList({ kind, apiVersion, resourceVersion: '9', columns });
    return Buffer.from(writers[as]({ ...empty, rows }));
  }

  form(each: Case, includeObject: IncludeObject) {
    const { table: printer } = kindOf(each);
    const { domain } = identity;
    const nowMs = () => this.nowMs;
    return tableForm({ domain, version: 'v1', includeObject, printer, nowMs });
  }
}

describe('kept rows of Tables', () => {
  for (const as of formats) {
    it(`${as}: are the rows made anew, on both sides of every change of an age`, () => {
      const server = new Server();
      const asked = cases.map((each, at) => [each, stored(each, `o${at}`)] as const);
      const seen = new Set<string>();
      for (const moment of moments) {
        server.nowMs = bornMs + moment;
        for (const [each, entry] of asked) {
          for (const include of includes) {
            const list = server.list(each, as, include, [entry, entry]);
            const expected = server.anew(each, as, include, [entry, entry]);
            assert.ok(list.equals(expected), `${each.kind} ${include} ${moment}: ${String(list)}`);
            seen.add(list.toString('latin1'));
          }
        }
      }
      assert.equal(server.encodings.madeCount, cases.length * includes.length, 'made once each');
      assert.ok(seen.size > 20 * server.encodings.madeCount, 'they change with time');
    });
  }

  it('are the rows made anew at any moment', () => {
    const servers = new Server();
    const [each, entry] = [cases[1] as Case, stored(cases[1] as Case, 'p')];
    fc.assert(
      fc.property(
        fc.constantFrom(...formats),
        fc.integer({ min: -5 * second, max: 20 * year }),
        (as, moment) => {
          servers.nowMs = bornMs + moment;
          const list = servers.list(each, as, 'Metadata', [entry]);
          assert.ok(list.equals(servers.anew(each, as, 'Metadata', [entry])));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('are right when an object holds the mark itself, which nobody can know', () => {
    const mark = `age${seededPrng(5).uuid().replaceAll('-', '')}`;
    const each = cases[1] as Case;
    for (const as of formats) {
      for (const [name, note] of [
        [mark, ''],
        ['a', mark],
        ['a', `${mark}${mark}`],
      ] as const) {
        const server = new Server(seededPrng(5));
        const entry = stored(each, name, note);
        const moment = [0, 90 * second, 5 * hour];
        for (const ms of moment) {
          server.nowMs = bornMs + ms;
          const list = server.list(each, as, 'Object', [entry]);
          assert.ok(list.equals(server.anew(each, as, 'Object', [entry])), `${as} ${name} ${note}`);
        }
      }
    }
  });

  it('are another one for each revision', () => {
    const server = new Server();
    const each = cases[0] as Case;
    const entry = stored(each, 'a');
    server.list(each, 'json', 'Metadata', [entry]);
    const changed = { ...stored(each, 'a', 'changed'), revision: 8n as Revision };
    assert.match(String(server.list(each, 'json', 'Metadata', [changed])), /"note":"changed"/);
  });

  it('are not kept of large objects that are only copied, and the same', () => {
    const server = new Server();
    const printer = customTable(() => ({}));
    const each = cases[0] as Case;
    const large = { ...each, body: { data: { a: 'ü"'.repeat(50_000) } } };
    const representation = { ...server.representation(each, 'json', 'Object'), printer };
    const position = { resourceVersion: '9' };
    const { itemOf } = listLayout(server.deps, kindOf(each), representation, position);
    const nowMs = () => server.nowMs;
    const { domain } = identity;
    const form = tableForm({ domain, version: 'v1', includeObject: 'Object', printer, nowMs });
    for (const [entry, kept] of [
      [stored(large, 'l'), 0] as const,
      [stored(each, 's'), 1] as const,
    ]) {
      for (const age of [second, 90 * second, 5 * hour]) {
        server.nowMs = bornMs + age;
        assert.ok(Buffer.from(form.rowNow(entry.bytes)).equals(itemOf(entry)));
      }
      assert.equal(server.encodings.madeCount, kept);
    }
  });

  it('are those of watches, which send what a watch of its own would', () => {
    const server = new Server();
    for (const [at, each] of cases.entries()) {
      const entry = stored(each, `w${at}`);
      for (const includeObject of includes) {
        const representation = server.representation(each, 'json', includeObject);
        server.list(each, 'json', includeObject, [entry]);
        const made = server.encodings.madeCount;
        const frames = eventFramesOf(server.deps, kindOf(each), representation, 'w1');
        const { group, kind } = each;
        const own = tableEvents({
          apiVersion: group === '' ? 'v1' : `${group}/v1`,
          kind,
          domain: identity.domain,
          version: 'v1',
          includeObject,
          printer: representation.printer,
          nowMs: () => server.nowMs,
          watchId: 'w1',
        });
        for (const [index, type] of (['ADDED', 'MODIFIED', 'DELETED'] as const).entries()) {
          server.nowMs = bornMs + index * 40 * minute;
          const frame = Buffer.from(frames.event(type, entry)).toString();
          assert.equal(frame, Buffer.from(own.event(type, entry)).toString());
        }
        assert.equal(server.encodings.madeCount, made, 'a list has asked for it before');
      }
    }
  });
});
