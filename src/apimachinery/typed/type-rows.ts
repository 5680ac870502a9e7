/**
 * Reads type catalogues from their compact text.
 *
 *     package core/v1
 *     Pod kind                                     a type, with its marks
 *      metadata 1 meta/v1.ObjectMeta               name, Protobuf number, type, marks
 *      containers 2 []Container ! list=map:name patch=merge:name
 *      - 3 VolumeSource                            inline
 *      phase 4 enum = Pending|Running
 *
 *   marks of a type    kind (has apiVersion and kind), atomic, union, raw (any JSON)
 *   types              a scalar, enum, a type of the package or of another one, []list, {}map
 *   marks of a field   ! required, ? nullable, written, wrapped, default=, list=, map=, struct=,
 *                      patch=
 *
 * Invariants: nothing but an index is made before a type is asked for, and a type's fields only
 * when they are. A malformed row is a broken build and throws.
 */
import { assert } from '../../stdx/assert.ts';
import type {
  FieldSchema,
  MergeMarkers,
  ScalarKind,
  TypeCatalogue,
  TypeSchema,
} from './type-schema.ts';

const scalarKinds: ReadonlySet<string> = new Set<ScalarKind>([
  'string',
  'int32',
  'int64',
  'boolean',
  'double',
  'bytes',
  'Quantity',
  'IntOrString',
  'Time',
  'MicroTime',
  'RawExtension',
  'any',
]);

interface Reading {
  readonly find: (name: string) => TypeSchema | undefined;
  readonly fill: (template: string) => string;
}

/** `base` answers for what `rows` do not hold. `fill` completes names that hold a domain. */
export function readTypes(
  rows: string,
  options: {
    readonly base?: TypeCatalogue | undefined;
    readonly fill?: ((template: string) => string) | undefined;
  } = {},
): TypeCatalogue {
  const { base } = options;
  const fill = options.fill ?? ((template: string) => template);
  let index: ReadonlyMap<string, string> | undefined;
  const known = new Map<string, TypeSchema>();
  const texts = () => (index ??= indexRows(rows));

  const find = (name: string): TypeSchema | undefined => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const text = texts().get(name);
    if (text === undefined) return base?.find(name);
    const made = readType(name, text, { find, fill });
    known.set(name, made);
    return made;
  };
  return {
    find,
    object(name) {
      const found = find(name);
      assert(found?.kind === 'object', `${name} is an object type`);
      return found;
    },
    names: () => [...(base?.names() ?? []), ...texts().keys()],
  };
}

/** Full name to the text of the type. */
function indexRows(rows: string): ReadonlyMap<string, string> {
  const index = new Map<string, string>();
  let inPackage = '';
  let start = 0;
  while (start < rows.length) {
    // A block goes from a line that is not indented to the next such line.
    let end = rows.indexOf('\n', start);
    while (end !== -1 && rows[end + 1] === ' ') end = rows.indexOf('\n', end + 1);
    if (end === -1) end = rows.length;
    const block = rows.slice(start, end);
    start = end + 1;
    if (block === '') continue;
    if (block.startsWith('package ')) {
      inPackage = block.slice('package '.length);
      continue;
    }
    const name = /^\S+/.exec(block)?.[0];
    assert(name !== undefined && inPackage !== '', `malformed type: ${block}`);
    index.set(`${inPackage}.${name}`, block);
  }
  return index;
}

function readType(name: string, text: string, reading: Reading): TypeSchema {
  const [head = '', ...lines] = text.split('\n');
  const marks = head.split(' ').slice(1);
  if (marks.includes('raw')) return { kind: 'scalar', scalar: 'JSON' };
  const inPackage = name.slice(0, name.lastIndexOf('.'));
  const fields = () => lines.map((line) => readField(line, inPackage, reading));
  if (marks.includes('union')) {
    return {
      kind: 'union',
      name,
      get alternatives() {
        return remember(this, 'alternatives', fields());
      },
    };
  }
  return {
    kind: 'object',
    name,
    hasTypeMeta: marks.includes('kind'),
    atomic: marks.includes('atomic'),
    get fields() {
      return remember(this, 'fields', fields());
    },
    get members() {
      return remember(this, 'members', membersOf(this.fields));
    },
  };
}

/** Puts the value that a getter has made in the getter's place. */
function remember<T>(owner: object, property: string, value: T): T {
  Object.defineProperty(owner, property, { value, enumerable: true });
  return value;
}

/** The outer field wins over one of the same name inside an inline object. */
function membersOf(fields: readonly FieldSchema[]): ReadonlyMap<string, FieldSchema> {
  const members = new Map<string, FieldSchema>();
  for (const field of fields) {
    if (!field.inline || field.type.kind !== 'object') continue;
    for (const [name, inner] of field.type.members) members.set(name, inner);
  }
  for (const field of fields) if (!field.inline) members.set(field.name, field);
  return members;
}

function readField(line: string, inPackage: string, reading: Reading): FieldSchema {
  const [row = '', valuesText] = line.slice(1).split(' = ');
  const [name, number, typeText, ...marks] = row.split(' ');
  assert(
    name !== undefined && number !== undefined && typeText !== undefined,
    `malformed field: ${line}`,
  );
  const values = valuesText === undefined ? undefined : reading.fill(valuesText).split('|');
  const attributes = new Map(
    marks.map((mark): [string, string] => {
      const at = mark.indexOf('=');
      return at === -1 ? [mark, ''] : [mark.slice(0, at), mark.slice(at + 1)];
    }),
  );
  const inline = name === '-';
  return {
    name: inline ? '' : name,
    number: number === '-' ? undefined : Number(number),
    type: readTypeText(typeText, inPackage, values, attributes.has('wrapped'), reading),
    inline,
    required: attributes.has('!'),
    written: attributes.has('!') || attributes.has('written'),
    nullable: attributes.has('?'),
    default: attributes.get('default'),
    merge: readMerge(attributes),
  };
}

function readTypeText(
  text: string,
  inPackage: string,
  values: readonly string[] | undefined,
  wrapped: boolean,
  reading: Reading,
): TypeSchema {
  if (text.startsWith('[]')) {
    const items = readTypeText(text.slice(2), inPackage, values, false, reading);
    return { kind: 'list', items, wrapped };
  }
  if (text.startsWith('{}')) {
    // A map cannot hold lists in Protobuf, so they are wrapped.
    return { kind: 'map', values: readTypeText(text.slice(2), inPackage, values, true, reading) };
  }
  if (text === 'enum') return { kind: 'scalar', scalar: 'string', values };
  if (scalarKinds.has(text)) return { kind: 'scalar', scalar: text as ScalarKind };
  const name = text.includes('/') ? text : `${inPackage}.${text}`;
  const found = reading.find(name);
  assert(found !== undefined, `the catalogue has no type ${name}`);
  return found;
}

function readMerge(attributes: ReadonlyMap<string, string>): MergeMarkers {
  const list = attributes.get('list')?.split(':');
  const patch = attributes.get('patch')?.split(':');
  return {
    ...(list === undefined ? {} : { listType: list[0] as MergeMarkers['listType'] }),
    ...(list?.[1] === undefined ? {} : { listMapKeys: list[1].split(',') }),
    ...(attributes.has('map') ? { mapType: attributes.get('map') as MergeMarkers['mapType'] } : {}),
    ...(attributes.has('struct')
      ? { structType: attributes.get('struct') as MergeMarkers['structType'] }
      : {}),
    ...(patch === undefined ? {} : { patchStrategy: (patch[0] as string).split(',') }),
    ...(patch?.[1] === undefined ? {} : { patchMergeKey: patch[1] }),
  };
}
