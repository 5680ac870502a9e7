/**
 * Reads the schemas of the shared apply scenarios (YAML: named types with scalar, list and map
 * forms) as merge types.
 */
import { parse } from 'yaml';
import type {
  MergeField,
  MergeList,
  MergeMap,
  MergeScalar,
  MergeType,
} from '../../../src/apimachinery/fieldmanager/schema/merge-type.ts';
import type { JsonValue } from '../../../src/apimachinery/unstructured.ts';

interface SchemaAtom {
  readonly scalar?: MergeScalar;
  readonly list?: {
    readonly elementType: SchemaRef;
    readonly elementRelationship?: string;
    readonly keys?: readonly string[];
  };
  readonly map?: {
    readonly fields?: readonly { name: string; type: SchemaRef; default?: JsonValue }[];
    readonly elementType?: SchemaRef;
    readonly elementRelationship?: string;
  };
  readonly untyped?: { readonly elementRelationship?: string };
}

interface SchemaRef extends SchemaAtom {
  readonly namedType?: string;
  /** Overrides that of the type. */
  readonly elementRelationship?: string;
}

export interface MergeSchema {
  readonly names: readonly string[];
  type(name: string): MergeType;
}

export function readMergeSchema(text: string): MergeSchema {
  const document = parse(text) as { types: readonly (SchemaAtom & { name: string })[] };
  const atoms = new Map(document.types.map((type) => [type.name, type]));
  const known = new Map<string, MergeType>();

  function typeOf(ref: SchemaRef): MergeType {
    const key = `${ref.namedType ?? ''}!${ref.elementRelationship ?? ''}`;
    const found = ref.namedType === undefined ? undefined : known.get(key);
    if (found !== undefined) return found;
    const atom = ref.namedType === undefined ? ref : atoms.get(ref.namedType);
    if (atom === undefined) throw new Error(`the schema has no type ${ref.namedType}`);
    const made = makeType(atom, ref.elementRelationship);
    if (ref.namedType !== undefined) known.set(key, made);
    return made;
  }

  function makeType(atom: SchemaAtom, override: string | undefined): MergeType {
    return {
      ...(atom.scalar === undefined ? {} : { scalar: atom.scalar }),
      ...(atom.list === undefined ? {} : { list: listOf(atom.list, override) }),
      ...(atom.map === undefined ? {} : { map: mapOf(atom.map, override) }),
    };
  }

  function listOf(list: NonNullable<SchemaAtom['list']>, override?: string): MergeList {
    return {
      get items() {
        return typeOf(list.elementType);
      },
      atomic: (override ?? list.elementRelationship) !== 'associative',
      keys: [...(list.keys ?? [])].sort(),
    };
  }

  function mapOf(map: NonNullable<SchemaAtom['map']>, override?: string): MergeMap {
    let fields: ReadonlyMap<string, MergeField> | undefined;
    return {
      get fields() {
        fields ??= new Map(
          (map.fields ?? []).map((f) => [f.name, { type: typeOf(f.type), default: f.default }]),
        );
        return fields;
      },
      get values() {
        return map.elementType === undefined ? undefined : typeOf(map.elementType);
      },
      atomic: (override ?? map.elementRelationship) === 'atomic',
    };
  }

  return { names: [...atoms.keys()], type: (name) => typeOf({ namedType: name }) };
}
