/**
 * The conversion of one version: maps between its fields and the hub's, made lossless.
 *
 *     version A ──toHub──▶ hub ──fromHub──▶ version C      every pair of versions, with 2 maps each
 *
 * Elsewhere: the maps (one module per group), and which kind has which (version-families.ts).
 *
 * Invariants: pure. Every object of a version, whatever is in it, comes back from any other version
 * as it was. apiVersion and kind are the caller's business. Spec 2, section 9.1, rule 2.
 */
import type { KindConversion } from '../../apimachinery/scheme.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { annotationOf, asObject, withAnnotations } from './fields.ts';
import type { Step } from './fields.ts';
import { residueText, restored } from './residue.ts';

/** Where the fields of a version go, and where they come from. Each may lose what the other form
 * has no place for. */
export interface FieldMaps {
  readonly toHub: Step;
  readonly fromHub: Step;
  /** See KindConversion.implied. */
  readonly implied?: Step | undefined;
}

export interface ConversionNames {
  /** Annotation that holds what the hub has no place for. */
  readonly ofVersion: string;
  /** Annotation that holds what the version has no place for. */
  readonly ofHub: string;
}

export function losslessConversion(maps: FieldMaps, names: ConversionNames): KindConversion {
  const { implied } = maps;
  return {
    implied: implied && ((object) => asObject(implied(object))),
    toHub: (object) => convert(object, maps.toHub, maps.fromHub, names.ofVersion, names.ofHub),
    fromHub: (object) => convert(object, maps.fromHub, maps.toHub, names.ofHub, names.ofVersion),
  };
}

/** `own`: the annotation for what this object loses; `other`: for what comes back to it. */
function convert(
  object: ApiObject,
  map: Step,
  inverse: Step,
  own: string,
  other: string,
): ApiObject {
  const kept = annotationOf(object, other);
  const { kind, apiVersion, ...rest } = object;
  const original = withAnnotations(rest, { [own]: undefined, [other]: undefined });
  const mapped = map(original);
  const target = kept === undefined ? mapped : restored(mapped, kept);
  const residue = residueText(original, inverse(target));
  const whole: JsonObject = withAnnotations(target, { [own]: residue });
  return asObject({ kind, apiVersion, ...whole });
}
