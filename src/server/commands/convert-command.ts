/**
 * `sluice convert -f FILE --output-version GROUP/VERSION`: manifests in another version, on stdout.
 *
 * Elsewhere: the conversion (src/apis/convert-manifest.ts). It needs no server and no store.
 *
 * A file is JSON, or YAML of one document or several; `-` is stdin. Whatever is wrong is one line
 * and exit code 2, and nothing is written; fields that are unknown, or there twice, are a warning
 * each on stderr, and the exit code is 0. Bounds: those of a request body, for each document.
 */
import { readFileSync } from 'node:fs';
import { decodeJson, encodeJson } from '../../apimachinery/codecs/json.ts';
import { decodeYaml, encodeYaml } from '../../apimachinery/codecs/yaml.ts';
import type { IdentityName } from '../../apimachinery/identity.ts';
import { identityNames } from '../../apimachinery/identity.ts';
import { convertManifest } from '../../apis/convert-manifest.ts';
import type { ManifestDocument } from '../../apis/convert-manifest.ts';
import { OptionsError } from '../config/option-values.ts';
import type { ConvertOptions } from './convert-options.ts';

export interface ConvertedText {
  readonly text: string;
  readonly warnings: readonly string[];
}

/** The text to print, and what to say beside it. @throws OptionsError */
export function convertText(
  options: ConvertOptions,
  read: (file: string) => Uint8Array,
): ConvertedText {
  const identity = identityNames.find((name: IdentityName) => name === options.identity);
  if (identity === undefined)
    throw new OptionsError(`--identity: one of ${identityNames.join(', ')}`);
  if (options.output !== 'yaml' && options.output !== 'json') {
    throw new OptionsError('--output: yaml or json');
  }
  const documents = options.filename.flatMap((file) => documentsOf(file, read(file)));
  const converted = convertManifest(documents, { outputVersion: options.outputVersion, identity });
  if (converted.kind === 'refused') throw new OptionsError(`convert: ${converted.problem}`);
  const bytes =
    options.output === 'json' ? encodeJson(converted.value, true) : encodeYaml(converted.value);
  const text = Buffer.from(bytes).toString('utf8');
  return { text: text.endsWith('\n') ? text : `${text}\n`, warnings: converted.warnings };
}

/** @throws OptionsError */
export function runConvert(options: ConvertOptions): void {
  const { text, warnings } = convertText(options, readInput);
  for (const warning of warnings) process.stderr.write(`Warning: ${warning}\n`);
  process.stdout.write(text);
}

function readInput(file: string): Uint8Array {
  try {
    return readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    throw new OptionsError(`--filename: ${error instanceof Error ? error.message : file}`);
  }
}

/** A line that begins with three dashes ends a document, as the reference's client splits them. */
const separator = /^---(?:[ \t].*)?$/m;

function documentsOf(file: string, bytes: Uint8Array): readonly ManifestDocument[] {
  const text = Buffer.from(bytes).toString('utf8');
  const json = /^\s*[{[]/.test(text)
    ? decodeJson(Buffer.from(text.trim()), { findDuplicates: true })
    : undefined;
  if (json?.kind === 'value') {
    return [{ value: json.value, duplicates: json.duplicates ?? [] }];
  }
  return text.split(separator).flatMap((part): readonly ManifestDocument[] => {
    const decoded = decodeYaml(Buffer.from(part));
    if (decoded.kind === 'refused') throw new OptionsError(`${file}: ${decoded.error.message}`);
    const { value, duplicates = [] } = decoded;
    return value === null ? [] : [{ value, duplicates }];
  });
}
