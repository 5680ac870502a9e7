/**
 * A type as its Protobuf message: fields by number, ready for the two directions.
 *
 * Elsewhere: the wire itself (protobuf-encode.ts and protobuf-decode.ts).
 *
 * Invariants: made once per type; fields without a number are not in it. Every scalar that is a
 * message on the wire (Time, Quantity, ...) has wire type 2.
 */
import { WireType } from '@bufbuild/protobuf/wire';
import { assert } from '../../stdx/assert.ts';
import type {
  FieldSchema,
  ObjectSchema,
  ScalarKind,
  TypeSchema,
  UnionSchema,
} from '../typed/type-schema.ts';

export type MessageType = ObjectSchema | UnionSchema;

/** What stands at one place on the wire. All have the same members, so that the engine sees one
 * shape wherever it walks a message. */
export type WireValue =
  | {
      readonly kind: 'scalar';
      readonly scalar: ScalarKind;
      readonly plan: undefined;
      readonly items: undefined;
    }
  | {
      readonly kind: 'message';
      readonly scalar: undefined;
      /** Made when it is first asked for: types refer to themselves. */
      readonly plan: () => MessagePlan;
      readonly items: undefined;
    }
  /** A message whose field 1 is repeated. */
  | {
      readonly kind: 'wrapped-list';
      readonly scalar: undefined;
      readonly plan: undefined;
      readonly items: WireValue;
    };

export interface PlannedField {
  /** In JSON; '' when inline, the number in a union. */
  readonly name: string;
  readonly number: number;
  readonly cardinality: 'one' | 'list' | 'map';
  /** Of the value, of an item, of the value of a map's entry. */
  readonly value: WireValue;
  /** In JSON the fields of the value lie beside this one's siblings. */
  readonly inline: boolean;
  readonly written: boolean;
  readonly nullable: boolean;
  readonly wireType: WireType;
  readonly tag: number;
}

export interface MessagePlan {
  /** The fields are the forms of a union. */
  readonly union: boolean;
  /** In order of number. */
  readonly fields: readonly PlannedField[];
  readonly byNumber: readonly (PlannedField | undefined)[];
}

const plans = new WeakMap<MessageType, MessagePlan>();

export function planOf(type: MessageType): MessagePlan {
  let plan = plans.get(type);
  if (plan === undefined) {
    plan = makePlan(type);
    plans.set(type, plan);
  }
  return plan;
}

export function wireTypeOf(value: WireValue): WireType {
  if (value.kind !== 'scalar') return WireType.LengthDelimited;
  switch (value.scalar) {
    case 'int32':
    case 'int64':
    case 'boolean':
      return WireType.Varint;
    case 'double':
      return WireType.Bit64;
    default:
      return WireType.LengthDelimited;
  }
}

function makePlan(type: MessageType): MessagePlan {
  const declared = type.kind === 'object' ? type.fields : type.alternatives;
  const fields = declared
    .flatMap((field) => (field.number === undefined ? [] : [planField(field, field.number)]))
    .map((field) => (type.kind === 'object' ? field : asAlternative(field)))
    .sort((a, b) => a.number - b.number);
  const byNumber: (PlannedField | undefined)[] = [];
  for (const field of fields) byNumber[field.number] = field;
  return { union: type.kind === 'union', fields, byNumber: Array.from(byNumber) };
}

function planField(field: FieldSchema, number: number): PlannedField {
  const { type } = field;
  const repeated = type.kind === 'map' || (type.kind === 'list' && !type.wrapped);
  const cardinality = !repeated ? 'one' : type.kind === 'map' ? 'map' : 'list';
  const value = wireValue(type.kind === 'map' ? type.values : repeated ? type.items : type);
  // A map's entry is a message of its own, whatever it holds.
  const wireType = cardinality === 'map' ? WireType.LengthDelimited : wireTypeOf(value);
  return {
    name: field.name,
    number,
    cardinality,
    value,
    inline: field.inline,
    written: field.written,
    nullable: field.nullable,
    wireType,
    tag: (number << 3) | wireType,
  };
}

/** The forms of a union take the place of the whole; they are told apart by their numbers. */
function asAlternative(field: PlannedField): PlannedField {
  return { ...field, name: String(field.number), inline: false };
}

function wireValue(type: TypeSchema): WireValue {
  switch (type.kind) {
    case 'scalar':
      return { kind: 'scalar', scalar: type.scalar, plan: undefined, items: undefined };
    case 'object':
    case 'union': {
      let made: MessagePlan | undefined;
      const plan = (): MessagePlan => (made ??= planOf(type));
      return { kind: 'message', scalar: undefined, plan, items: undefined };
    }
    case 'list':
      assert(type.wrapped, 'a list inside a list or a map is wrapped');
      return {
        kind: 'wrapped-list',
        scalar: undefined,
        plan: undefined,
        items: wireValue(type.items),
      };
    case 'map':
      throw new TypeError('Protobuf has no map inside a list or a map');
  }
}
