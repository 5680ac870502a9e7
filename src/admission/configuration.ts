/**
 * Reads the file of `--admission-control-config-file`: the configurations of plugins.
 *
 *     apiVersion: apiserver.config.<domain>/v1
 *     kind: AdmissionConfiguration
 *     plugins:
 *       - name: PodSecurity
 *         configuration: { ... }       here, or
 *         path: pod-security.yaml      in a file of its own, relative to this file
 *
 * Each plugin reads its own configuration.
 *
 * Invariants: the file is read strictly. These are problems, reported together with their places:
 * an unknown plugin, a plugin named twice, a configuration for a plugin that takes none, both forms
 * or neither.
 */
import path from 'node:path';
import {
  openDocument,
  fieldPath,
  unknownFields,
  unreadable,
} from '../apimachinery/configuration-document.ts';
import { decodeYaml } from '../apimachinery/codecs/yaml.ts';
import type { Identity } from '../apimachinery/identity.ts';
import { items, text } from '../apimachinery/members.ts';
import type { JsonObject, JsonValue } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import { messageOf } from '../stdx/message-of.ts';
import { admissionPluginNames, takesConfiguration } from './plugin-names.ts';
import type { AdmissionPluginName } from './plugin-names.ts';

export interface PluginConfiguration {
  readonly document: JsonObject;
  /** What file names in it start from. */
  readonly folder: string;
  /** For problems: where it stands. */
  readonly source: string;
}

export interface AdmissionConfiguration {
  readonly plugins: ReadonlyMap<AdmissionPluginName, PluginConfiguration>;
  readonly problems: readonly string[];
}

/** @throws what the file system says. */
export type ReadFile = (file: string) => Buffer;

/** `file`: its folder is what paths start from. */
export function readAdmissionConfiguration(
  bytes: Uint8Array,
  file: string,
  { groups: { apiserverConfig }, domain }: Pick<Identity, 'groups' | 'domain'>,
  read: ReadFile,
): AdmissionConfiguration {
  const plugins = new Map<AdmissionPluginName, PluginConfiguration>();
  const versions = [`${apiserverConfig}/v1`, `apiserver.${domain}/v1alpha1`];
  const opened = openDocument(bytes, versions, 'AdmissionConfiguration');
  if (opened.kind === 'invalid') return { plugins, problems: [opened.problem] };
  const { document } = opened;
  const problems: string[] = [];
  unknownFields(document, ['apiVersion', 'kind', 'plugins'], '', problems);
  if (document['plugins'] !== undefined && !Array.isArray(document['plugins'])) {
    problems.push('plugins: a list expected');
  }
  const folder = path.dirname(path.resolve(file));
  for (const [at, entry] of items(document, 'plugins').entries()) {
    const field = `plugins[${at}]`;
    const name = nameOf(entry, field, problems);
    if (!isJsonObject(entry) || name === undefined) continue;
    if (plugins.has(name)) problems.push(`${field}.name: ${name} is there twice`);
    const found = configurationOf(entry, field, folder, read, problems);
    if (found !== undefined) plugins.set(name, found);
  }
  return { plugins, problems };
}

function nameOf(
  entry: JsonValue,
  field: string,
  problems: string[],
): AdmissionPluginName | undefined {
  if (!isJsonObject(entry)) {
    problems.push(`${field}: an object expected`);
    return undefined;
  }
  unknownFields(entry, ['name', 'path', 'configuration'], field, problems);
  const name = admissionPluginNames.find((each) => each === entry['name']);
  if (name === undefined) {
    const given = JSON.stringify(entry['name'] ?? '');
    problems.push(`${fieldPath(field, 'name')}: ${given} is no admission plugin`);
  } else if (!takesConfiguration(name)) {
    problems.push(`${fieldPath(field, 'name')}: ${name} takes no configuration`);
  }
  return name;
}

function configurationOf(
  entry: JsonObject,
  field: string,
  folder: string,
  read: ReadFile,
  problems: string[],
): PluginConfiguration | undefined {
  const { configuration } = entry;
  const file = text(entry, 'path');
  const isInline = configuration !== undefined && configuration !== null;
  if (isInline === (file !== '')) {
    problems.push(`${field}: either configuration or path is required`);
    return undefined;
  }
  if (isInline) {
    if (isJsonObject(configuration)) {
      return { document: configuration, folder, source: `${field}.configuration` };
    }
    problems.push(`${field}.configuration: an object expected`);
    return undefined;
  }
  const resolved = path.resolve(folder, file);
  const found = documentIn(resolved, read);
  if (typeof found !== 'string') {
    return { document: found, folder: path.dirname(resolved), source: resolved };
  }
  problems.push(`${field}.path: ${found}`);
  return undefined;
}

/** A text: why it cannot be read. */
function documentIn(file: string, read: ReadFile): JsonObject | string {
  try {
    const decoded = decodeYaml(read(file));
    if (decoded.kind === 'refused') return `${file}: ${unreadable(decoded.error)}`;
    return isJsonObject(decoded.value) ? decoded.value : `${file}: not an object`;
  } catch (error) {
    return messageOf(error);
  }
}
