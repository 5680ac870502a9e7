/**
 * What the fields of a kind are: the model that decoding, encoding and validation walk
 * (spec 1, sections 2.2, 4.3 and 8).
 *
 * The types themselves are data: see type-rows.ts.
 *
 *     object   fields by name; inline ones lie flat in JSON and nested in Protobuf
 *     union    one of several forms at the same place of the JSON, each with its own number
 *     list, map (of strings to something), scalar
 *
 * Invariants: schemas are immutable and shared; a catalogue gives the same schema for the same
 * name, so they may be keys of a memo. Types may refer to themselves: fields are made when they
 * are first asked for.
 */
export type ScalarKind =
  | 'string'
  | 'int32'
  | 'int64'
  | 'boolean'
  | 'double'
  /** Base64 text in JSON. */
  | 'bytes'
  /** Text such as `500m` or `1Gi`; JSON numbers are accepted. */
  | 'Quantity'
  /** A JSON number or a JSON string. */
  | 'IntOrString'
  /** RFC 3339 in whole seconds. */
  | 'Time'
  /** RFC 3339 with six digits behind the point. */
  | 'MicroTime'
  /** An object of any kind. */
  | 'RawExtension'
  /** Any JSON value, wrapped in a message of its own in Protobuf. */
  | 'JSON'
  /** Any JSON value; has no Protobuf form. */
  | 'any';

export type TypeSchema = ScalarSchema | ListSchema | MapSchema | ObjectSchema | UnionSchema;

export interface ScalarSchema {
  readonly kind: 'scalar';
  readonly scalar: ScalarKind;
  /** The values that the release knows, for an enumeration; others are left to validation. */
  readonly values?: readonly string[] | undefined;
}

export interface ListSchema {
  readonly kind: 'list';
  readonly items: TypeSchema;
  /** In Protobuf the list is a message with the items as its field 1. */
  readonly wrapped: boolean;
}

export interface MapSchema {
  readonly kind: 'map';
  readonly values: TypeSchema;
}

export interface ObjectSchema {
  readonly kind: 'object';
  /** `core/v1.Pod`. */
  readonly name: string;
  /** Has apiVersion and kind of its own; they are not among the fields. */
  readonly hasTypeMeta: boolean;
  /** Server-side apply treats the object as one value wherever it stands. */
  readonly atomic: boolean;
  /** As declared, inline ones among them. */
  readonly fields: readonly FieldSchema[];
  /** By JSON name, inline objects resolved. */
  readonly members: ReadonlyMap<string, FieldSchema>;
}

export interface UnionSchema {
  readonly kind: 'union';
  readonly name: string;
  /** At most one of each form: a boolean, a list, an object. Their names are ''. */
  readonly alternatives: readonly FieldSchema[];
}

export interface FieldSchema {
  /** In JSON; '' when inline. */
  readonly name: string;
  /** In Protobuf; undefined for a type that has no Protobuf form. */
  readonly number: number | undefined;
  readonly type: TypeSchema;
  readonly inline: boolean;
  /** Must be given; written even when it is the zero value. */
  readonly required: boolean;
  /** Written even when it is the zero value, required or not. */
  readonly written: boolean;
  /** Absent and zero differ. */
  readonly nullable: boolean;
  /** JSON text, or `ref(Name)` of a named constant. */
  readonly default: string | undefined;
  readonly merge: MergeMarkers;
}

/** How apply and strategic merge treat the field. */
export interface MergeMarkers {
  readonly listType?: 'atomic' | 'set' | 'map' | undefined;
  readonly listMapKeys?: readonly string[] | undefined;
  readonly mapType?: 'atomic' | 'granular' | undefined;
  readonly structType?: 'atomic' | 'granular' | undefined;
  readonly patchStrategy?: readonly string[] | undefined;
  readonly patchMergeKey?: string | undefined;
}

export interface TypeCatalogue {
  /** The same schema each time; undefined for a name that is not in it. */
  find(name: string): TypeSchema | undefined;
  /** For a name that is an object's by construction: anything else is a broken invariant. */
  object(name: string): ObjectSchema;
  names(): readonly string[];
}
