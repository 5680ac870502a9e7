/**
 * Descriptors for @bufbuild/protobuf of every message that the facts know, and of those that stand
 * around and inside them: what a second reader reads with.
 */
import assert from 'node:assert/strict';
import { create, createFileRegistry } from '@bufbuild/protobuf';
import type { DescMessage } from '@bufbuild/protobuf';
import {
  DescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  FieldDescriptorProtoSchema,
  FileDescriptorProtoSchema,
  MessageOptionsSchema,
} from '@bufbuild/protobuf/wkt';
import type { DescriptorProto, FieldDescriptorProto } from '@bufbuild/protobuf/wkt';
import type { FactField, FactType, TypeFacts } from '../../../generate/field-types.ts';
import { readFacts } from './corpora.ts';

const plainTypes: Readonly<Record<string, Type>> = {
  string: Type.STRING,
  int32: Type.INT32,
  int64: Type.INT64,
  boolean: Type.BOOL,
  double: Type.DOUBLE,
  bytes: Type.BYTES,
};

/** Messages that a field of JSON stands for, as the reference's generated files have them. */
const special: Readonly<Record<string, readonly (readonly [string, number, Type])[]>> = {
  Time: [
    ['seconds', 1, Type.INT64],
    ['nanos', 2, Type.INT32],
  ],
  MicroTime: [
    ['seconds', 1, Type.INT64],
    ['nanos', 2, Type.INT32],
  ],
  Quantity: [['string', 1, Type.STRING]],
  IntOrString: [
    ['type', 1, Type.INT64],
    ['intVal', 2, Type.INT32],
    ['strVal', 3, Type.STRING],
  ],
  RawExtension: [['raw', 1, Type.BYTES]],
  'meta/v1.FieldsV1': [['Raw', 1, Type.BYTES]],
  'apiextensions/v1.JSON': [['raw', 1, Type.BYTES]],
  'apiextensions/v1beta1.JSON': [['raw', 1, Type.BYTES]],
  TypeMeta: [
    ['apiVersion', 1, Type.STRING],
    ['kind', 2, Type.STRING],
  ],
};

/** Lists of text that are messages of their own: in maps, and as these. */
const wrappedLists = new Set(['meta/v1.APIResource verbs']);
const wrapper = 'StringList';

const messageName = (fact: string): string => fact.replaceAll(/[^\w]/g, '_');

export interface Descriptors {
  has(type: string): boolean;
  /** Of a type of the facts, or of Unknown and WatchEvent. */
  message(type: string): DescMessage;
  /** Undefined for what is not an object in JSON. */
  fieldsOf(type: string): readonly FactField[] | undefined;
}

function fieldOf(name: string, number: number, type: Type, typeName?: string, repeated = false) {
  return create(FieldDescriptorProtoSchema, {
    name,
    jsonName: name,
    number,
    type,
    label: repeated ? Label.REPEATED : Label.OPTIONAL,
    ...(typeName === undefined ? {} : { typeName: `.k.${typeName}` }),
  });
}

/** What a value of this type is on the wire. */
function wireType(type: FactType): readonly [Type, string | undefined] {
  if (typeof type === 'string') {
    const plain = plainTypes[type];
    return plain === undefined ? [Type.MESSAGE, messageName(type)] : [plain, undefined];
  }
  if ('ref' in type) return [Type.MESSAGE, messageName(type.ref)];
  if ('list' in type) return [Type.MESSAGE, wrapper];
  return [Type.STRING, undefined];
}

/** In the message. What is inline has no name in JSON; it has a number all the same. */
export function fieldName({ name, number }: FactField): string {
  return name === undefined ? `inline_${number}` : messageName(name);
}

function describeField(owner: DescriptorProto, of: string, field: FactField): void {
  const { number, type } = field;
  if (number === undefined) return;
  const name = fieldName(field);
  let made: FieldDescriptorProto;
  if (typeof type === 'object' && 'map' in type) {
    const entry = `Entry_${number}`;
    owner.nestedType.push(
      create(DescriptorProtoSchema, {
        name: entry,
        options: create(MessageOptionsSchema, { mapEntry: true }),
        field: [fieldOf('key', 1, Type.STRING), fieldOf('value', 2, ...wireType(type.map))],
      }),
    );
    made = fieldOf(name, number, Type.MESSAGE, `${messageName(of)}.${entry}`, true);
  } else if (typeof type === 'object' && 'list' in type) {
    const isWrapped = wrappedLists.has(`${of} ${name}`);
    made = isWrapped
      ? fieldOf(name, number, Type.MESSAGE, wrapper)
      : fieldOf(name, number, ...wireType(type.list), true);
  } else made = fieldOf(name, number, ...wireType(type));
  owner.field.push(made);
}

function messagesOf(facts: TypeFacts): DescriptorProto[] {
  const messages = Object.entries(special).map(([name, fields]) =>
    create(DescriptorProtoSchema, {
      name: messageName(name),
      field: fields.map(([field, number, type]) => fieldOf(field, number, type)),
    }),
  );
  messages.push(
    create(DescriptorProtoSchema, {
      name: wrapper,
      field: [fieldOf('items', 1, Type.STRING, undefined, true)],
    }),
    create(DescriptorProtoSchema, {
      name: 'Unknown',
      field: [
        fieldOf('typeMeta', 1, Type.MESSAGE, 'TypeMeta'),
        fieldOf('raw', 2, Type.BYTES),
        fieldOf('contentEncoding', 3, Type.STRING),
        fieldOf('contentType', 4, Type.STRING),
      ],
    }),
    create(DescriptorProtoSchema, {
      name: 'WatchEvent',
      field: [fieldOf('type', 1, Type.STRING), fieldOf('object', 2, Type.MESSAGE, 'RawExtension')],
    }),
  );
  for (const [name, { fields }] of Object.entries(facts.types)) {
    if (name in special || name === 'meta/v1.TypeMeta') continue;
    const message = create(DescriptorProtoSchema, { name: messageName(name) });
    for (const field of fields) describeField(message, name, field);
    messages.push(message);
  }
  return messages;
}

export function readDescriptors(): Descriptors {
  const facts = readFacts<TypeFacts>();
  const file = create(FileDescriptorProtoSchema, {
    name: 'facts.proto',
    package: 'k',
    syntax: 'proto2',
    messageType: messagesOf(facts),
  });
  const registry = createFileRegistry(file, () => undefined);
  return {
    has: (type) => type in facts.types,
    message(type) {
      const found = registry.getMessage(`k.${messageName(type)}`);
      assert.ok(found !== undefined, `the facts have no ${type}`);
      return found;
    },
    fieldsOf: (type) => (type in special ? undefined : facts.types[type]?.fields),
  };
}
