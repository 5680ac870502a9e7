/**
 * Annotations of a pod that decide what its node does, and what the node may read: they are set
 * with the pod and stay, also in writes to its status. Those of templates will be those of pods.
 */
import { mayHoldMore } from '../../../../apimachinery/codecs/body-bounds.ts';
import { forbidden, invalid } from '../../../../apimachinery/field-error.ts';
import type { Identity } from '../../../../apimachinery/identity.ts';
import { objects, text, textMap } from '../../../../apimachinery/members.ts';
import { quote } from '../../../../apimachinery/quote.ts';
import { isJsonObject } from '../../../../apimachinery/unstructured.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../../../apimachinery/unstructured.ts';
import { ownMember } from '../../../../stdx/lookup.ts';
import { appArmorPrefix, localhost } from '../app-armor.ts';
import type { Problems } from '../../../validation/checks.ts';
import { allErrors, among, each, noProblems } from '../../../validation/checks.ts';
import { containerLists } from '../pod-parts.ts';
import type { AnnotatedPod } from './annotated-pod.ts';
import { descendingPath } from './container-mounts.ts';
import { tolerationRules } from './pod-placement.ts';
import { seccompKey, seccompPrefix } from './profile-annotations.ts';

/** Of a pod that mirrors one which a node runs from a file of its own. */
export function mirrorAnnotation({ labelDomain }: Identity): string {
  return `${labelDomain}/config.mirror`;
}

export function annotationRules(pod: AnnotatedPod, identity: Identity): Problems {
  const given = pod.metadata['annotations'];
  if (given === undefined) return noProblems;
  const annotations = textMap(pod.metadata, 'annotations');
  const { annotationsPath: path, spec } = pod;
  const key = mirrorAnnotation(identity);
  const value = ownMember(annotations, key);
  const homeless = value !== undefined && text(spec, 'nodeName') === '';
  const detail = 'must set spec.nodeName if mirror pod annotation is set';
  return allErrors(
    homeless ? [invalid(`${path}[${key}]`, value, detail)] : noProblems,
    annotatedTolerations(annotations, path, identity),
    seccompRules(annotations, path, identity),
    profileRules(annotations, spec, path, appArmorPrefix(identity)),
  );
}

/** They are read in one piece, and a text may hold 87,000. */
const annotatedTolerationsMax = 1_000;

/** Itself and its members, with some room: what has more is not read at all. */
const valuesOfToleration = 10;

/** Tolerations as JSON, from before they had a field: nobody reads them, but they are checked. */
function annotatedTolerations(
  annotations: Readonly<Record<string, string>>,
  path: string,
  identity: Identity,
): Problems {
  const key = identity.fill('scheduler.alpha.{labelDomain}/tolerations');
  const given = ownMember(annotations, key) ?? '';
  if (given === '') return noProblems;
  const tooMany = [invalid(path, key, `must hold at most ${annotatedTolerationsMax} tolerations`)];
  if (mayHoldMore(given, annotatedTolerationsMax * valuesOfToleration)) return tooMany;
  const tolerations = parsedTolerations(given);
  if (tolerations === undefined) return [invalid(path, key, 'is no list of tolerations')];
  if (tolerations.length > annotatedTolerationsMax) return tooMany;
  return each(tolerations, (toleration, at) => {
    const here = `${path}.${key}[${at}]`;
    return allErrors(
      tolerationRules(toleration, here),
      oneOfOrNothing(`${here}.operator`, text(toleration, 'operator'), ['Equal', 'Exists']),
      oneOfOrNothing(`${here}.effect`, text(toleration, 'effect'), taintEffects),
    );
  });
}

const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function oneOfOrNothing(field: string, value: string, known: readonly string[]): Problems {
  return value === '' ? noProblems : among(field, value, known);
}

function parsedTolerations(given: string): readonly JsonObject[] | undefined {
  let parsed: JsonValue;
  try {
    parsed = JSON.parse(given) as JsonValue;
  } catch {
    return undefined;
  }
  if (parsed === null) return [];
  return Array.isArray(parsed) && parsed.every(isToleration) ? parsed : undefined;
}

function isToleration(given: JsonValue): given is JsonObject {
  if (!isJsonObject(given)) return false;
  const { effect, key, operator, value } = given;
  return [effect, key, operator, value].every(isTextOrNothing);
}

function isTextOrNothing(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || typeof value === 'string';
}

const seccompProfiles: readonly string[] = ['runtime/default', 'docker/default', 'unconfined'];

function seccompRules(
  annotations: Readonly<Record<string, string>>,
  path: string,
  identity: Identity,
): Problems {
  const ofPod = seccompKey(identity);
  const ofContainer = seccompPrefix(identity);
  return each(Object.entries(annotations), ([key, profile]) => {
    if (key !== ofPod && !key.startsWith(ofContainer)) return noProblems;
    if (seccompProfiles.includes(profile)) return noProblems;
    const field = `${path}.${key}`;
    if (profile.startsWith(localhost)) {
      return descendingPath(field, profile.slice(localhost.length));
    }
    return [invalid(field, profile, 'names no seccomp profile')];
  });
}

const ownProfiles: readonly string[] = ['', 'runtime/default', 'unconfined'];

/** A container whose name is mistyped would run without the profile. */
function profileRules(
  annotations: Readonly<Record<string, string>>,
  spec: JsonObject,
  path: string,
  prefix: string,
): Problems {
  const profiles = Object.entries(annotations).filter(([key]) => key.startsWith(prefix));
  if (profiles.length === 0) return noProblems;
  const all = containerLists.flatMap((list) => objects(spec, list));
  const names = new Set(all.map((container) => text(container, 'name')));
  return each(profiles, ([key, profile]) => {
    const name = key.slice(prefix.length);
    const known = ownProfiles.includes(profile) || profile.startsWith(localhost);
    const detail = `invalid AppArmor profile name: ${quote(profile)}`;
    return allErrors(
      names.has(name) ? noProblems : [invalid(`${path}[${key}]`, name, 'container not found')],
      known ? noProblems : [invalid(`${path}[${key}]`, profile, detail)],
    );
  });
}

/** Which of its pods a workload takes down first: a whole number of 32 bits. One that was there
 * before (`current`) may stay as it is. */
export function deletionCostRules(
  { annotationsPath: path, metadata }: AnnotatedPod,
  identity: Identity,
  current?: AnnotatedPod,
): Problems {
  if (metadata['annotations'] === undefined) return noProblems;
  const key = identity.fill('controller.{labelDomain}/pod-deletion-cost');
  const cost = ownMember(textMap(metadata, 'annotations'), key);
  if (cost === undefined || isCost(cost)) return noProblems;
  const before = current && ownMember(textMap(current.metadata, 'annotations'), key);
  if (before !== undefined && !isCost(before)) return noProblems;
  return [invalid(`${path}[${key}]`, cost, 'must be an integer of 32 bits')];
}

function isCost(text: string): boolean {
  if (!/^(?:0|[1-9]\d*|-\d+)$/.test(text)) return false;
  const cost = Number(text);
  return cost === (cost | 0);
}

export function annotationUpdateRules(
  next: ApiObject,
  current: ApiObject,
  identity: Identity,
): Problems {
  const [now, was] = [next.metadata.annotations ?? {}, current.metadata.annotations ?? {}];
  const mirror = mirrorAnnotation(identity);
  const profile = appArmorPrefix(identity);
  return each([...new Set([...Object.keys(was), ...Object.keys(now)])], (key) => {
    const what =
      (key === mirror && 'mirror pod annotation') ||
      (key.startsWith(profile) && 'AppArmor annotations');
    const before = ownMember(was, key);
    if (what === false || ownMember(now, key) === before) return noProblems;
    const verb = before === undefined ? 'add' : 'remove or update';
    return [forbidden(at(key), `may not ${verb} ${what}`)];
  });
}

function at(key: string): string {
  return `metadata.annotations[${key}]`;
}
