/**
 * Times of events, in and out through every format, under the names of both groups (spec 1, section
 * 1.5; spec 2, section 9.3). MicroTime has six digits however it was sent: what is finer is cut, not
 * rounded. Time has whole seconds.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decodeCbor, encodeCbor } from '../../src/apimachinery/codecs/cbor.ts';
import { decodeProtobuf, encodeProtobuf } from '../../src/apimachinery/codecs/protobuf.ts';
import { decodeYaml } from '../../src/apimachinery/codecs/yaml.ts';
import { readTypes } from '../../src/apimachinery/typed/type-rows.ts';
import type { ObjectSchema } from '../../src/apimachinery/typed/type-schema.ts';
import type { JsonObject, JsonValue } from '../../src/apimachinery/unstructured.ts';
import { startTestServer } from '../support/servers/test-server.ts';
import type { Reply, TestServer } from '../support/servers/test-server.ts';

/** Times as the generated clients have them: two numbers, which the codec under test never sees. */
const wireTypes = readTypes(`
package core/v1
Event kind
 metadata 1 Meta
 involvedObject 2 Reference
 reason 3 string
 firstTimestamp 6 Timestamp
 lastTimestamp 7 Timestamp
 type 9 string
 eventTime 10 Timestamp
 series 11 Series
 action 12 string
 reportingComponent 14 string
 reportingInstance 15 string
Series
 count 1 int32
 lastObservedTime 2 Timestamp
Timestamp
 seconds 1 int64
 nanos 2 int32
Meta
 name 1 string
 namespace 3 string
Reference
 kind 1 string
 namespace 2 string
 name 3 string
package events/v1
Event kind
 metadata 1 core/v1.Meta
 eventTime 2 core/v1.Timestamp
 series 3 core/v1.Series
 reportingController 4 string
 reportingInstance 5 string
 action 6 string
 reason 7 string
 regarding 8 core/v1.Reference
 type 11 string
 deprecatedFirstTimestamp 13 core/v1.Timestamp
 deprecatedLastTimestamp 14 core/v1.Timestamp
`);

interface Version {
  readonly apiVersion: string;
  readonly collection: string;
  readonly wire: ObjectSchema;
  readonly names: Readonly<Record<'first' | 'last' | 'reporter' | 'about', string>>;
}

const core: Version = {
  apiVersion: 'v1',
  collection: '/api/v1/namespaces/default/events',
  wire: wireTypes.object('core/v1.Event'),
  names: {
    first: 'firstTimestamp',
    last: 'lastTimestamp',
    reporter: 'reportingComponent',
    about: 'involvedObject',
  },
};
const events: Version = {
  apiVersion: 'events.k8s.io/v1',
  collection: '/apis/events.k8s.io/v1/namespaces/default/events',
  wire: wireTypes.object('events/v1.Event'),
  names: {
    first: 'deprecatedFirstTimestamp',
    last: 'deprecatedLastTimestamp',
    reporter: 'reportingController',
    about: 'regarding',
  },
};

/** A time as it is sent: text in three of the formats, numbers in the fourth. */
interface Sent {
  readonly text: string;
  readonly seconds: number;
  readonly nanos: number;
  readonly micro: string;
  readonly second: string;
}

const at = 1_704_067_200;
const rows: readonly Sent[] = [
  {
    text: '2024-01-01T00:00:00.123456Z',
    seconds: at,
    nanos: 123_456_000,
    micro: '2024-01-01T00:00:00.123456Z',
    second: '2024-01-01T00:00:00Z',
  },
  {
    text: '2024-01-01T00:00:00.123456789Z',
    seconds: at,
    nanos: 123_456_789,
    micro: '2024-01-01T00:00:00.123456Z',
    second: '2024-01-01T00:00:00Z',
  },
  {
    text: '2024-01-01T00:00:00.999999999Z',
    seconds: at,
    nanos: 999_999_999,
    micro: '2024-01-01T00:00:00.999999Z',
    second: '2024-01-01T00:00:00Z',
  },
  {
    text: '2024-01-01T00:00:00Z',
    seconds: at,
    nanos: 0,
    micro: '2024-01-01T00:00:00.000000Z',
    second: '2024-01-01T00:00:00Z',
  },
  {
    text: '2024-01-01T02:30:00.5+02:30',
    seconds: at,
    nanos: 500_000_000,
    micro: '2024-01-01T00:00:00.500000Z',
    second: '2024-01-01T00:00:00Z',
  },
  {
    text: '1969-12-31T23:59:59.000001Z',
    seconds: -1,
    nanos: 1_000,
    micro: '1969-12-31T23:59:59.000001Z',
    second: '1969-12-31T23:59:59Z',
  },
];

/** An event whose times are all that one, as `time` writes it. The stable version of the group
 * takes no times of the older form. */
function eventOf(version: Version, name: string, time: JsonValue): JsonObject {
  const { names, apiVersion } = version;
  return {
    apiVersion,
    kind: 'Event',
    metadata: { name, namespace: 'default' },
    [names.about]: { kind: 'Pod', name: 'p', namespace: 'default' },
    reason: 'Seen',
    action: 'Look',
    type: 'Normal',
    [names.reporter]: 'example.org/c',
    reportingInstance: 'c-1',
    eventTime: time,
    series: { count: 2, lastObservedTime: time },
    ...(version === core ? { [names.first]: time, [names.last]: time } : {}),
  };
}

interface Format {
  readonly type: string;
  encode(version: Version, name: string, sent: Sent): string | Uint8Array;
}

const formats: readonly Format[] = [
  {
    type: 'application/json',
    encode: (version, name, { text }) => JSON.stringify(eventOf(version, name, text)),
  },
  {
    type: 'application/yaml',
    // Plain scalars, which YAML 1.1 would call timestamps.
    encode: (version, name, { text }) =>
      JSON.stringify(eventOf(version, name, text)).replaceAll(`"${text}"`, text),
  },
  {
    type: 'application/vnd.kubernetes.protobuf',
    encode: (version, name, { seconds, nanos }) =>
      encodeProtobuf(version.wire, eventOf(version, name, { seconds, nanos })),
  },
  {
    type: 'application/cbor',
    encode: (version, name, { text }) => encodeCbor(eventOf(version, name, text)),
  },
];

function decode(format: string, reply: Reply, { wire }: Version): JsonObject {
  switch (format) {
    case 'application/json':
      return reply.body;
    case 'application/yaml':
      return valueOf(decodeYaml(reply.bytes));
    case 'application/cbor':
      return valueOf(decodeCbor(reply.bytes));
    default:
      return valueOf(decodeProtobuf(reply.bytes, () => wire));
  }
}

function valueOf(decoded: ReturnType<typeof decodeCbor>): JsonObject {
  assert.ok(decoded.kind === 'value', JSON.stringify(decoded));
  return decoded.value as JsonObject;
}

/** Its times under the names of the core group. */
function timesOf(event: JsonObject, { names }: Version): JsonObject {
  return {
    eventTime: event['eventTime'] ?? null,
    lastObservedTime: (event['series'] as JsonObject)['lastObservedTime'] ?? null,
    first: event[names.first] ?? null,
    last: event[names.last] ?? null,
  };
}

describe('times of events', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ 'feature-gates': 'CBORServingAndStorage=true' });
  });
  after(() => server.remove());

  for (const version of [core, events]) {
    for (const format of formats) {
      rows.forEach((sent, row) => {
        it(`${version.apiVersion} ${format.type}: ${sent.text} is ${sent.micro}`, async () => {
          const name = `e-${row}`;
          const body = format.encode(version, name, sent);
          const headers = { 'content-type': format.type, accept: 'application/json' };
          const made = await server.request('POST', version.collection, { body, headers });
          assert.equal(made.status, 201, made.text);
          for (const other of [core, events]) {
            for (const { type } of formats) {
              const own = `${other.collection}/${name}`;
              const reply = await server.request('GET', own, { headers: { accept: type } });
              assert.equal(reply.headers['content-type'], type);
              const shown = timesOf(decode(type, reply, other), other);
              assert.deepEqual(shown, expected(sent, type, version), `${own} as ${type}`);
            }
          }
          // What is shown in its own format is taken back, and nothing has changed.
          const own = `${version.collection}/${name}`;
          const read = await server.request('GET', own, { headers: { accept: format.type } });
          const put = await server.request('PUT', own, { body: read.bytes, headers });
          assert.equal(put.status, 200, put.text);
          assert.deepEqual(put.body, made.body);
          assert.equal((await server.request('DELETE', own)).status, 200);
        });
      });
    }
  }

  for (const [format, why] of [
    ['application/json', /RFC 3339/],
    ['application/yaml', /RFC 3339/],
    ['application/cbor', /RFC 3339/],
    ['application/vnd.kubernetes.protobuf', /time/],
  ] as const) {
    it(`that do not exist are refused in ${format}`, async () => {
      const never: Sent = {
        text: '2024-02-30T00:00:00.000000Z',
        seconds: 253_402_300_800,
        nanos: 0,
        micro: '',
        second: '',
      };
      const encoding = formats.find(({ type }) => type === format);
      assert.ok(encoding !== undefined);
      const body = encoding.encode(events, 'never', never);
      const headers = { 'content-type': format, accept: 'application/json' };
      const reply = await server.request('POST', events.collection, { body, headers });
      assert.equal(reply.status, 400, reply.text);
      assert.match(String(reply.body['message']), why);
      assert.equal((await server.request('GET', `${events.collection}/never`)).status, 404);
    });
  }
});

/** What is seen of a time: text, or the numbers of Protobuf, which has no nanos of whole seconds. */
function expected(sent: Sent, format: string, writtenAs: Version): JsonObject {
  const wire = format === 'application/vnd.kubernetes.protobuf';
  const micros = Math.floor(sent.nanos / 1000) * 1000;
  const { seconds } = sent;
  const whole = micros === 0 ? { seconds } : { seconds, nanos: micros };
  const micro = wire ? whole : sent.micro;
  const second = wire ? { seconds } : sent.second;
  // Protobuf has an empty message where there is no time.
  const none = wire ? {} : null;
  const older = writtenAs === core ? second : none;
  return { eventTime: micro, lastObservedTime: micro, first: older, last: older };
}
