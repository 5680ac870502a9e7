/**
 * The configuration of ImagePolicyWebhook.
 *
 *     imagePolicy:
 *       kubeConfigFile: webhook.kubeconfig    address and credentials of the webhook
 *       allowTTL: 50                          seconds for which an answer is kept that allows
 *       denyTTL: 50                           and one that refuses
 *       retryBackoff: 500                     milliseconds before the second try
 *       defaultAllow: true                    what counts without an answer
 *
 * Invariant: it is read strictly, and all problems are reported together.
 */
import path from 'node:path';
import { trueOrFalse, unknownFields } from '../../apimachinery/configuration-document.ts';
import { part, text } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';

export interface ImagePolicySettings {
  /** Absolute. */
  readonly kubeConfigFile: string;
  readonly allowedMs: number;
  readonly deniedMs: number;
  readonly firstPauseMs: number;
  readonly allowsWithoutAnswer: boolean;
}

const fields = ['kubeConfigFile', 'allowTTL', 'denyTTL', 'retryBackoff', 'defaultAllow'];

/** Field, unit, default, least and most, in units; -1 is none, 0 the default. */
const durations = {
  allowTTL: { unitMs: 1000, byDefault: 300, min: 1, max: 1800 },
  denyTTL: { unitMs: 1000, byDefault: 30, min: 1, max: 1800 },
  retryBackoff: { unitMs: 1, byDefault: 500, min: 1, max: 300_000 },
} as const;

/** `folder`: what file names start from. */
export function readImagePolicy(
  document: JsonObject | undefined,
  folder: string,
  problems: string[],
): ImagePolicySettings {
  if (document === undefined) problems.push('a configuration is required: where the webhook is');
  else unknownFields(document, ['imagePolicy'], '', problems);
  if (document !== undefined && !isJsonObject(document['imagePolicy'])) {
    problems.push('imagePolicy: an object expected');
  }
  const settings = part(document, 'imagePolicy');
  unknownFields(settings, fields, 'imagePolicy', problems);
  const file = text(settings, 'kubeConfigFile');
  if (file === '') problems.push('imagePolicy.kubeConfigFile: required');
  const ms = (field: keyof typeof durations): number => {
    const { byDefault, max, min, unitMs } = durations[field];
    const value = settings[field] ?? 0;
    if (value === 0) return byDefault * unitMs;
    if (value === -1) return 0;
    const isCount = typeof value === 'number' && Number.isSafeInteger(value);
    if (isCount && value >= min && value <= max) return value * unitMs;
    problems.push(
      `imagePolicy.${field}: an integer from ${min} to ${max} expected, or -1 for none`,
    );
    return 0;
  };
  return {
    kubeConfigFile: path.resolve(folder, file),
    allowedMs: ms('allowTTL'),
    deniedMs: ms('denyTTL'),
    firstPauseMs: ms('retryBackoff'),
    allowsWithoutAnswer: trueOrFalse(settings, 'defaultAllow', 'imagePolicy', problems) ?? false,
  };
}
