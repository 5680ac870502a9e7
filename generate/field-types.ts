/**
 * Derives the type catalogues (src/apis/field-types.gen.ts and src/apimachinery/meta-types.gen.ts)
 * from the shared facts. Run the compiled file with a repository's root to write both; a test
 * compares, so the data cannot drift from the facts.
 *
 * Not needed at run time.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { factsOfArguments } from './facts.ts';

export type FactType =
  | string
  | { readonly ref: string }
  | { readonly list: FactType }
  | { readonly map: FactType }
  | { readonly enum: readonly string[] };

export interface FactField {
  readonly name?: string;
  readonly number?: number;
  readonly type: FactType;
  readonly inline?: boolean;
  readonly required?: boolean;
  readonly nullable?: boolean;
  readonly default?: string;
  readonly listType?: string;
  readonly listMapKeys?: readonly string[];
  readonly mapType?: string;
  readonly structType?: string;
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
}

export interface FactStruct {
  readonly fields: readonly FactField[];
  readonly structType?: string;
}

export interface TypeFacts {
  readonly types: Readonly<Record<string, FactStruct>>;
}

/** What the facts leave out: these hold any JSON, as bytes in field 1. */
export const rawTypes = new Set([
  'meta/v1.FieldsV1',
  'apiextensions/v1.JSON',
  'apiextensions/v1beta1.JSON',
]);

/** And these lists are messages of their own. */
const wrappedLists = new Set(['meta/v1.APIResource.verbs']);

export const typeMeta = 'meta/v1.TypeMeta';

/** And these are written even when they are zero, though they need not be given. */
const writtenFields = new Set([
  ...['v1', 'v1beta1', 'v1beta2'].flatMap((version) => [
    `apps/${version}.StatefulSetOrdinals.start`,
    `apps/${version}.StatefulSetSpec.serviceName`,
    `apps/${version}.StatefulSetStatus.availableReplicas`,
  ]),
  // What is there, and empty, is refused.
  'autoscaling/v2.HPAScalingRules.policies',
  'autoscaling/v2beta2.HPAScalingRules.policies',
  'core/v1.Event.reportingComponent',
  'core/v1.Event.reportingInstance',
  'core/v1.NodeRuntimeHandler.name',
]);

const packageOf = (name: string) => name.slice(0, name.lastIndexOf('.'));

/** One form of a value or another: what is inline there is not always an object. */
export function isUnion(struct: FactStruct): boolean {
  return struct.fields.some((f) => f.inline && (typeof f.type === 'string' || 'list' in f.type));
}

export function hasTypeMeta(struct: FactStruct): boolean {
  const [first] = struct.fields;
  return first?.inline === true && typeof first.type === 'object' && refOf(first.type) === typeMeta;
}

function refOf(type: FactType): string | undefined {
  return typeof type === 'object' && 'ref' in type ? type.ref : undefined;
}

function typeText(type: FactType, inPackage: string): string {
  if (typeof type === 'string') return type;
  if ('list' in type) return `[]${typeText(type.list, inPackage)}`;
  if ('map' in type) return `{}${typeText(type.map, inPackage)}`;
  if ('enum' in type) return 'enum';
  const name = type.ref;
  return packageOf(name) === inPackage ? name.slice(inPackage.length + 1) : name;
}

export function enumOf(type: FactType): readonly string[] | undefined {
  if (typeof type === 'string' || 'ref' in type) return undefined;
  if ('list' in type) return enumOf(type.list);
  if ('map' in type) return enumOf(type.map);
  return type.enum;
}

/** Joined by a colon when there is a second part. */
const pair = (first: string | undefined, second: string | undefined) =>
  first === undefined || second === undefined ? first : `${first}:${second}`;

function fieldRow(field: FactField, owner: string): string {
  const marks: readonly (readonly [string, string | undefined])[] = [
    ['default', field.default],
    ['list', pair(field.listType, field.listMapKeys?.join(','))],
    ['map', field.mapType],
    ['struct', field.structType],
    ['patch', pair(field.patchStrategy, field.patchMergeKey)],
  ];
  const values = enumOf(field.type);
  return [
    ` ${field.inline ? '-' : field.name}`,
    field.number ?? '-',
    typeText(field.type, packageOf(owner)),
    ...(field.required ? ['!'] : []),
    ...(field.nullable ? ['?'] : []),
    ...(writtenFields.has(`${owner}.${field.name}`) ? ['written'] : []),
    ...(wrappedLists.has(`${owner}.${field.name}`) ? ['wrapped'] : []),
    ...marks.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`])),
    ...(values === undefined ? [] : [`= ${values.map(asTemplate).join('|')}`]),
  ].join(' ');
}

/** The facts spell the labels' domain in the values of one enumeration. */
function asTemplate(value: string): string {
  return value.replaceAll('kubernetes.io', '{labelDomain}');
}

function typeRows(name: string, struct: FactStruct): readonly string[] {
  const own = hasTypeMeta(struct);
  const marks = [
    ...(own ? ['kind'] : []),
    ...(struct.structType === undefined ? [] : [struct.structType]),
    ...(isUnion(struct) ? ['union'] : []),
    ...(rawTypes.has(name) ? ['raw'] : []),
  ];
  const fields = own ? struct.fields.slice(1) : struct.fields;
  const head = [name.slice(packageOf(name).length + 1), ...marks].join(' ');
  return [head, ...fields.map((field) => fieldRow(field, name))];
}

/** Text of all types of the packages that `wanted` takes. */
function catalogueRows(facts: TypeFacts, wanted: (inPackage: string) => boolean): string {
  const lines: string[] = [];
  let current = '';
  for (const [name, struct] of Object.entries(facts.types)) {
    const inPackage = packageOf(name);
    if (!wanted(inPackage) || name === typeMeta) continue;
    if (inPackage !== current) lines.push(`package ${inPackage}`);
    current = inPackage;
    lines.push(...typeRows(name, struct));
  }
  return `\n${lines.join('\n')}\n`;
}

const isMeta = (inPackage: string) => inPackage.startsWith('meta/');

function moduleText(header: string, constant: string, rows: string): string {
  const reader = ' * src/apimachinery/typed/type-rows.ts says how rows are read.';
  return `/**\n${header}\n${reader}\n */\nexport const ${constant} = \`${rows}\`;\n`;
}

/** Path in the repository to its text. */
export function typeModules(facts: TypeFacts): Readonly<Record<string, string>> {
  const generated = 'Generated from the facts\n * by generate/field-types.ts.';
  return {
    'src/apimachinery/meta-types.gen.ts': moduleText(
      ` * The types that every group shares: metadata, lists, Status, options. ${generated}`,
      'metaTypeRows',
      catalogueRows(facts, isMeta),
    ),
    'src/apis/field-types.gen.ts': moduleText(
      ` * Every type of every built-in kind at every version, field by field. ${generated}`,
      'fieldTypeRows',
      catalogueRows(facts, (inPackage) => !isMeta(inPackage)),
    ),
  };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = process.argv[3] ?? process.cwd();
  for (const [name, text] of Object.entries(typeModules(factsOfArguments<TypeFacts>()))) {
    writeFileSync(path.join(root, name), text);
  }
}
