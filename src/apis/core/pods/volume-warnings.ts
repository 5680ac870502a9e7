/** Warnings about volumes: removed types, and files that hide each other. */
import { items, objects, part, text } from '../../../apimachinery/members.ts';
import { quote } from '../../../apimachinery/quote.ts';
import type { JsonObject } from '../../../apimachinery/unstructured.ts';
import { claimSpecWarnings } from '../../warnings/amounts.ts';
import type { Warnings } from '../../warnings/kind-warnings.ts';
import { allWarnings, noWarnings, warningsOfEach } from '../../warnings/kind-warnings.ts';
import { lookup } from '../../../stdx/lookup.ts';

/** By the member that says which type of volume it is. */
const gone: Readonly<Record<string, string>> = lookup({
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  storageos: 'deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
  cephfs: 'deprecated in v1.28, non-functional in v1.31+',
  rbd: 'deprecated in v1.28, non-functional in v1.31+',
});

/** Where the member is called otherwise. */
const shown: Readonly<Record<string, string>> = lookup({ storageos: 'storageOS' });

/** Volumes of pods alone. */
const goneFromPods: Readonly<Record<string, string>> = lookup({
  ...gone,
  gitRepo: 'deprecated in v1.11',
  flocker: 'deprecated in v1.22, non-functional in v1.25+',
  quobyte: 'deprecated in v1.22, non-functional in v1.25+',
});

export function sourceWarnings(source: JsonObject, path: string, of = gone): Warnings {
  return warningsOfEach(Object.keys(of), (type) =>
    source[type] === undefined ? noWarnings : [`${path}.${shown[type] ?? type}: ${of[type] ?? ''}`],
  );
}

export function podVolumeWarnings(volumes: readonly JsonObject[], path: string): Warnings {
  return allWarnings(
    warningsOfEach(volumes, (volume, at) => {
      const template = part(part(volume, 'ephemeral'), 'volumeClaimTemplate');
      const claim = `${path}[${at}].ephemeral.volumeClaimTemplate.spec`;
      return allWarnings(
        sourceWarnings(volume, `${path}[${at}]`, goneFromPods),
        claimSpecWarnings(part(template, 'spec'), claim),
      );
    }),
    warningsOfEach(volumes, overlapWarnings),
  );
}

function overlapWarnings(volume: JsonObject): Warnings {
  const of = `volume ${quote(text(volume, 'name'))}`;
  const named = (type: string, member: string, name: string): Warnings => {
    const source = part(volume, member);
    const which = `${type} ${quote(text(source, name))}`;
    return overlapsIn(pathsOf(source), `${of} (${which}): overlapping paths`, createPaths());
  };
  return allWarnings(
    named('ConfigMap', 'configMap', 'name'),
    named('Secret', 'secret', 'secretName'),
    overlapsIn(
      pathsOf(part(volume, 'downwardAPI')),
      `${of} (DownwardAPI): overlapping paths`,
      createPaths(),
    ),
    volume['projected'] === undefined
      ? noWarnings
      : projectedWarnings(part(volume, 'projected'), of),
  );
}

/** The files of all sources stand in one folder. */
function projectedWarnings(projected: JsonObject, of: string): Warnings {
  const paths = createPaths();
  return warningsOfEach(objects(projected, 'sources'), (source) => {
    const [type, content] = Object.entries(source)[0] ?? [];
    if (type === undefined) return [`${of} (Projected) has no sources provided`];
    const own = content as JsonObject;
    const name = (member: string): string => quote(text(own, member));
    const single = items(own, 'items').length === 0 ? text(own, 'path') : '';
    const what =
      type === 'configMap'
        ? `ConfigMap ${name('name')}`
        : type === 'secret'
          ? `Secret ${name('name')}`
          : type === 'clusterTrustBundle'
            ? `ClusterTrustBundle ${name(own['name'] === undefined ? 'signerName' : 'name')}`
            : `${type.slice(0, 1).toUpperCase()}${type.slice(1)}`;
    const files = single === '' ? pathsOf(own) : [single];
    return overlapsIn(files, `${of} (Projected ${what}): overlapping paths`, paths);
  });
}

function pathsOf(source: JsonObject): readonly string[] {
  return objects(source, 'items').map((item) => text(item, 'path'));
}

function overlapsIn(files: readonly string[], message: string, paths: Paths): Warnings {
  return warningsOfEach(files, (file) => {
    const path = file.replace(/(?<!\/)\/+$/, '');
    if (path === '') return noWarnings;
    const other = paths.add(path);
    return other === undefined ? noWarnings : [`${message}: ${quote(path)} with ${quote(other)}`];
  });
}

interface Paths {
  /** A path before it that is the same, one of its folders, or a file under it. */
  add(path: string): string | undefined;
}

interface Folder {
  /** The first path through here. */
  readonly through: string;
  /** The path that ends here. */
  file: string | undefined;
  readonly parts: Map<string, Folder>;
}

/** A tree, so that many paths take as long as they are long. */
function createPaths(): Paths {
  const root: Folder = { through: '', file: undefined, parts: new Map() };
  return {
    add(path) {
      let here = root;
      let other: string | undefined;
      for (const name of path.split('/')) {
        const next = here.parts.get(name) ?? { through: path, file: undefined, parts: new Map() };
        here.parts.set(name, next);
        here = next;
        other ??= here.file;
      }
      if (other === undefined && here.parts.size > 0) other = here.through;
      here.file = path;
      return other;
    },
  };
}
