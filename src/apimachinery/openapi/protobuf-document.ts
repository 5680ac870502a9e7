/**
 * OpenAPI documents in Protobuf, from the same values as in JSON: kubectl and client libraries of
 * older releases read /openapi/v2 in this form only.
 *
 * Elsewhere: the codec of API objects (codecs/protobuf.ts).
 *
 * Invariants: a member that the messages do not know is a broken build and throws, except for a
 * value of a choice that has no place for it (a default that is an object), which is left out.
 */
import { assert } from '../../stdx/assert.ts';
import { jsonParts } from '../codecs/json-parts.ts';
import { ReverseWriter } from '../codecs/protobuf-writer.ts';
import { isJsonObject } from '../unstructured.ts';
import type { JsonArray, JsonObject, JsonValue } from '../unstructured.ts';
import { openApiV2Messages, openApiV3Messages } from './protobuf-messages.ts';

interface Member {
  /** Name, `x-`, `*`, or the condition of a choice. */
  readonly name: string;
  readonly number: number;
  /** '' for `x-`. */
  readonly type: string;
  readonly repeated: boolean;
}

interface Message {
  readonly choice: boolean;
  readonly members: ReadonlyMap<string, Member>;
}

type Messages = ReadonlyMap<string, Message>;

let messagesV2: Messages | undefined;
let messagesV3: Messages | undefined;

/** In pieces, so that the caller may pause after each. */
type Encoding = Generator<undefined, Uint8Array, undefined>;

export function encodeOpenApiV2(document: JsonObject): Encoding {
  return encode(document, (messagesV2 ??= readMessages(openApiV2Messages)));
}

export function encodeOpenApiV3(document: JsonObject): Encoding {
  return encode(document, (messagesV3 ??= readMessages(openApiV3Messages)));
}

function readMessages(text: string): Messages {
  const messages = new Map<string, Message>();
  let members = new Map<string, Member>();
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [name = '', number, type = ''] = line.trim().split(' ');
    if (!line.startsWith(' ')) {
      members = new Map();
      messages.set(name, { choice: number === 'one', members });
      continue;
    }
    const repeated = type.startsWith('[]');
    members.set(name, {
      name,
      number: Number(number),
      type: repeated ? type.slice(2) : type,
      repeated,
    });
  }
  return messages;
}

const lengthDelimited = 2;
const varint = 0;
const fixed64 = 1;

/** Written between two pauses; a field counts for so much at least. */
const pieceBytes = 32 * 1024;
const fieldBytes = 32;

interface Work {
  readonly writer: ReverseWriter;
  readonly messages: Messages;
  /** Since the last pause. */
  fields: number;
  /** Of the writer, at the last pause. */
  pausedAt: number;
}

/** Of a part. */
type Writing = Generator<undefined, void, undefined>;

function* encode(document: JsonObject, messages: Messages): Encoding {
  const work: Work = { writer: new ReverseWriter(), messages, fields: 0, pausedAt: 0 };
  yield* writeMessage(work, 'Document', document);
  return work.writer.finish();
}

function* writeMessage(work: Work, type: string, value: JsonValue): Writing {
  const message = work.messages.get(type);
  assert(message !== undefined, `OpenAPI has a message ${type}`);
  if (message.choice) {
    const member = chosen(message, value);
    if (member !== undefined) yield* writeField(work, member, value);
    return;
  }
  assert(isJsonObject(value), `${type} is an object`);
  const entries = Object.entries(value).map(([name, each]) => {
    const member = memberOf(message, name);
    assert(member !== undefined, `the message ${type} has a member ${name}`);
    return { name, member, value: each };
  });
  // Backwards: the highest number first, and within a number the last entry.
  entries.reverse().sort((a, b) => b.member.number - a.member.number);
  for (const entry of entries) {
    if (entry.value === undefined) continue;
    yield* pauseAfter(work);
    if (entry.member.name === 'x-' || entry.member.name === '*') {
      yield* writeNamed(work, entry.member, entry.name, entry.value);
    } else if (entry.member.repeated) {
      const items = entry.value as JsonArray;
      for (let at = items.length - 1; at >= 0; at -= 1) {
        yield* pauseAfter(work);
        yield* writeField(work, entry.member, items[at] as JsonValue);
      }
    } else {
      yield* writeField(work, entry.member, entry.value);
    }
  }
}

function memberOf(message: Message, name: string): Member | undefined {
  const own = message.members.get(name);
  if (own !== undefined) return own;
  const extension = name.startsWith('x-') ? message.members.get('x-') : undefined;
  return extension ?? message.members.get('*');
}

function chosen(message: Message, value: JsonValue): Member | undefined {
  for (const member of message.members.values()) {
    const [test, operand] = member.name.split('=');
    if (test === 'else') return member;
    if (test === 'is' && typeof value === operand) return member;
    if (!isJsonObject(value)) continue;
    if (test === 'has' && value[operand as string] !== undefined) return member;
    if (test === 'in' && value['in'] === operand) return member;
  }
  return undefined;
}

/** An entry of a map: a message of name (1) and value (2). */
function* writeNamed(work: Work, member: Member, name: string, value: JsonValue): Writing {
  const { writer } = work;
  const before = writer.size;
  if (member.name === 'x-') yield* writeAny(writer, 2, value);
  else yield* writeField(work, { ...member, name: 'value', number: 2 }, value);
  delimited(writer, 1, () => writer.text(name));
  sealed(writer, member.number, before);
}

function* pauseAfter(work: Work): Writing {
  work.fields += 1;
  const written = work.writer.size - work.pausedAt;
  if (Math.max(written, work.fields * fieldBytes) < pieceBytes) return;
  work.fields = 0;
  work.pausedAt = work.writer.size;
  yield;
}

function* writeField(work: Work, member: Member, value: JsonValue): Writing {
  const { writer } = work;
  const { number, type } = member;
  switch (type) {
    case 'string':
      delimited(writer, number, () => writer.text(String(value)));
      return;
    case 'bool':
      writer.uvarint(value === true ? 1 : 0);
      writer.uvarint(number * 8 + varint);
      return;
    case 'int64':
      writer.uvarint(Math.max(0, Number(value)));
      writer.uvarint(number * 8 + varint);
      return;
    case 'double':
      writer.double(Number(value));
      writer.uvarint(number * 8 + fixed64);
      return;
    case 'any':
      return yield* writeAny(writer, number, value);
    default: {
      const before = writer.size;
      yield* writeMessage(work, type, value);
      sealed(writer, number, before);
    }
  }
}

/** Any value travels as YAML text (2), which JSON is. */
function* writeAny(writer: ReverseWriter, number: number, value: JsonValue): Writing {
  const parts: string[] = [];
  for (const part of jsonParts(value)) {
    if (parts.length > 0) yield;
    parts.push(part);
  }
  const before = writer.size;
  writer.text('\n');
  for (let at = parts.length - 1; at >= 0; at -= 1) {
    writer.text(parts[at] as string);
    if (at > 0) yield;
  }
  sealed(writer, 2, before);
  sealed(writer, number, before);
}

function delimited(writer: ReverseWriter, number: number, content: () => void): void {
  const before = writer.size;
  content();
  sealed(writer, number, before);
}

/** Length and tag of what has been written since. */
function sealed(writer: ReverseWriter, number: number, before: number): void {
  writer.uvarint(writer.size - before);
  writer.uvarint(number * 8 + lengthDelimited);
}
