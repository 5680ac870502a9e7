/** Definitions of custom types as large as many in use: fields with descriptions, in groups. */

export const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export interface Definition {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: DefinitionSpec;
}

interface DefinitionSpec {
  readonly group: string;
  readonly scope: string;
  readonly names: { readonly plural: string; readonly kind: string };
  readonly versions: readonly Version[];
}

interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly schema: { readonly openAPIV3Schema: { description?: string } & object };
}

const groupsCount = 12;
const fieldsOfGroup = 20;
const description =
  'What this field is for, in some lines of text that people read when they write objects of ' +
  'this type: how it works together with others, and what is assumed where it is not there.';

/** 50 KB. */
export function largeDefinition(): Definition {
  const field = (at: number): object =>
    at % 4 === 0
      ? { type: 'array', description, items: { type: 'string', maxLength: 64 } }
      : { type: at % 4 === 1 ? 'integer' : 'string', description };
  const fields = Array.from({ length: fieldsOfGroup }, (_, at) => [`field${at}`, field(at)]);
  const group = { type: 'object', description, properties: Object.fromEntries(fields) as object };
  const groups = Array.from({ length: groupsCount }, (_, at) => [`group${at}`, group]);
  const spec = { type: 'object', properties: Object.fromEntries(groups) as object };
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: '' },
    spec: {
      group: '',
      scope: 'Namespaced',
      names: { plural: '', kind: '' },
      versions: [version],
    },
  };
}

/** The same, under names of its own, in one of some groups. */
export function placed({ spec, ...model }: Definition, plural: string, group: number): Definition {
  const own = `g${group}.bench.example.org`;
  const kind = `K${plural}`;
  return {
    ...model,
    metadata: { name: `${plural}.${own}` },
    spec: { ...spec, group: own, names: { plural, kind } },
  };
}

/** Where its objects are listed. */
export function listOf({ spec }: Definition): string {
  const { group, names, versions } = spec;
  const version = versions.find(({ served }) => served)?.name ?? '';
  return `/apis/${group}/${version}/${names.plural}`;
}
