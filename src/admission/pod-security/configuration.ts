/**
 * The configuration of PodSecurity: `PodSecurityConfiguration` of
 * pod-security.admission.config.<domain>/v1.
 *
 *     defaults:      levels of a namespace without labels
 *       enforce: baseline
 *       enforce-version: latest
 *       audit, audit-version, warn, warn-version
 *     exemptions:    what is not checked
 *       usernames, namespaces, runtimeClasses
 *
 * Invariant: it is read strictly, and all problems are reported together.
 */
import { listOfTexts, unknownFields } from '../../apimachinery/configuration-document.ts';
import { part, text } from '../../apimachinery/members.ts';
import { quote } from '../../apimachinery/quote.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { checkDns1123Label, checkDns1123Subdomain } from '../../apimachinery/validation/names.ts';
import { levelProblem, modes, parseLevel, parseVersion, versionProblem } from './levels.ts';
import type { LevelVersion, Mode, SecurityPolicy } from './levels.ts';

export interface PodSecuritySettings {
  readonly defaults: SecurityPolicy;
  readonly usernames: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
  readonly runtimeClasses: ReadonlySet<string>;
}

const versions = ['v1', 'v1beta1', 'v1alpha1'];

/** `group`: pod-security.admission.config.<domain>. `document` undefined: nothing is configured. */
export function readPodSecurity(
  document: JsonObject | undefined,
  group: string,
  problems: string[],
): PodSecuritySettings {
  const given = document ?? {};
  if (document !== undefined) {
    const apiVersions = versions.map((version) => `${group}/${version}`);
    if (!apiVersions.includes(text(given, 'apiVersion'))) {
      problems.push(`apiVersion: one of ${apiVersions.join(', ')} expected`);
    }
    if (given['kind'] !== 'PodSecurityConfiguration') {
      problems.push('kind: PodSecurityConfiguration expected');
    }
    unknownFields(given, ['apiVersion', 'kind', 'defaults', 'exemptions'], '', problems);
  }
  const defaults = member(given, 'defaults', problems);
  unknownFields(defaults, [...modes, ...modes.map((m) => `${m}-version`)], 'defaults', problems);
  const exemptions = member(given, 'exemptions', problems);
  unknownFields(exemptions, [...nameRules.keys()], 'exemptions', problems);
  const level = (mode: Mode): LevelVersion => levelOf(defaults, mode, problems);
  return {
    defaults: { enforce: level('enforce'), audit: level('audit'), warn: level('warn') },
    usernames: exemptionsOf(exemptions, 'usernames', problems),
    namespaces: exemptionsOf(exemptions, 'namespaces', problems),
    runtimeClasses: exemptionsOf(exemptions, 'runtimeClasses', problems),
  };
}

function member(object: JsonObject, field: string, problems: string[]): JsonObject {
  const value = object[field] ?? {};
  if (!isJsonObject(value)) problems.push(`${field}: an object expected`);
  return part(object, field);
}

/** Empty is as if it were not said. */
function levelOf(defaults: JsonObject, mode: Mode, problems: string[]): LevelVersion {
  const [level, version] = [defaults[mode] ?? '', defaults[`${mode}-version`] ?? ''];
  const wrong = (field: string, value: unknown, why: string): void => {
    problems.push(`defaults.${field}: Invalid value: ${quote(String(value))}: ${why}`);
  };
  const parsedLevel = parseLevel(level === '' ? 'privileged' : String(level));
  if (parsedLevel === undefined) wrong(mode, level, levelProblem);
  const parsedVersion = parseVersion(version === '' ? 'latest' : String(version));
  if (parsedVersion === undefined) wrong(`${mode}-version`, version, versionProblem);
  return { level: parsedLevel ?? 'restricted', version: parsedVersion ?? 'latest' };
}

type Exempted = 'usernames' | 'namespaces' | 'runtimeClasses';
type NameRule = (name: string) => readonly string[];

const nameRules: ReadonlyMap<Exempted, NameRule> = new Map<Exempted, NameRule>([
  ['usernames', (name) => (name === '' ? ['username must not be empty'] : [])],
  ['namespaces', checkDns1123Label],
  ['runtimeClasses', checkDns1123Subdomain],
]);

function exemptionsOf(
  exemptions: JsonObject,
  field: Exempted,
  problems: string[],
): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [at, name] of listOfTexts(exemptions, field, 'exemptions', problems).entries()) {
    const path = `exemptions.${field}[${at}]`;
    const wrong = nameRules.get(field)?.(name) ?? [];
    if (wrong.length > 0) {
      problems.push(`${path}: Invalid value: ${quote(name)}: ${wrong.join(', ')}`);
    } else if (names.has(name)) problems.push(`${path}: Duplicate value: ${quote(name)}`);
    names.add(name);
  }
  return names;
}
