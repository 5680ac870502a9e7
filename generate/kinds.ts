/**
 * Derives the rows of src/apis/kinds.gen.ts from the shared facts. Run the compiled file to print
 * the module; a test compares the two, so the data cannot drift from the facts.
 *
 * Not needed at run time.
 */
import { pathToFileURL } from 'node:url';
import { factsOfArguments } from './facts.ts';

export interface FactKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly type: string;
  readonly resource: string;
  readonly namespaced: boolean;
  readonly introduced?: string;
  readonly deprecated?: string;
  readonly removed?: string;
  readonly replacement?: string;
  readonly subresources?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

export interface Facts {
  readonly release: string;
  readonly kinds: readonly FactKind[];
}

function minor(release: string): string {
  return release.slice(release.indexOf('.') + 1);
}

/** Shortest form that names the replacement: what it shares with the row is left out. */
function replacementText(kind: FactKind, replacement: string): string {
  const [group, version, name] = replacement.split(',') as [string, string, string];
  if (name !== kind.kind) return `${group}/${version}/${name}`;
  return group === kind.group ? version : `${group}/${version}`;
}

function row(kind: FactKind): string {
  const attributes = [
    ['since', kind.introduced && minor(kind.introduced)],
    ['old', kind.deprecated && minor(kind.deprecated)],
    ['gone', kind.removed && minor(kind.removed)],
    ['use', kind.replacement && replacementText(kind, kind.replacement)],
    ['sub', kind.subresources?.join(',')],
    ['short', kind.shortNames?.join(',')],
    ['in', kind.categories?.join(',')],
  ].flatMap(([name, value]) => (value ? [`${name}=${value}`] : []));
  const scope = kind.namespaced ? 'namespaced' : 'cluster';
  return [kind.version, kind.kind, kind.resource, scope, ...attributes].join(' ');
}

export function kindRows(facts: Facts): string {
  const groups = new Map<string, FactKind[]>();
  for (const kind of facts.kinds) {
    const of = groups.get(kind.group) ?? [];
    groups.set(kind.group, of);
    of.push(kind);
  }
  const lines: string[] = [];
  for (const [group, kinds] of groups) {
    const typePackage = kinds[0]?.type.split('/')[0] ?? '';
    lines.push(`group ${group === '' ? '-' : group} ${typePackage}`, ...kinds.map(row));
  }
  return `\n${lines.join('\n')}\n`;
}

const header = `/**
 * Every built-in kind at every version, derived from the facts (generate/kinds.ts prints
 * this file). Generated: edit the generator, or a kind's definition for what the facts leave out.
 *
 *     group <name, '-' is core> <package of its types>
 *     <version> <kind> <resource> <scope> [since= old= gone= (minor releases of 1)]
 *       [use=<replacement>] [sub=<subresources>] [short=<names>] [in=<categories>]
 */
`;

export function kindsModule(facts: Facts): string {
  return `${header}export const kindRows = \`${kindRows(facts)}\`;\n`;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.stdout.write(kindsModule(factsOfArguments<Facts>()));
}
