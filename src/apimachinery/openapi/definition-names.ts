/**
 * Names of definitions in OpenAPI documents: how a type of the catalogue is called there.
 *
 *     core/v1.Pod                ▶ io.k8s.api.core.v1.Pod
 *     meta/v1.ObjectMeta         ▶ io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
 *     apiextensions/v1.JSON      ▶ io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON
 *
 * Invariants: the name begins with the identity's domain, its labels reversed. Client generators
 * and kubectl know these names. No type of a user has the name of a built-in definition, whichever
 * group it is in: such a name gets `_v2` at its end, as in the reference.
 */
import type { ScalarKind } from '../typed/type-schema.ts';

export interface DefinitionNames {
  /** Of an object or union type, by its name in the catalogue. */
  ofType(typeName: string): string;
  /** Of a scalar that has a definition of its own; undefined for one that is written in place.
   * `inPackage` (`meta/v1`) tells the raw types apart. */
  ofScalar(scalar: ScalarKind, inPackage: string): string | undefined;
  /** Of a kind that users define. */
  ofCustom(group: string, version: string, kind: string): string;
  /** Of what only documents know: `Patch`, `WatchEvent`. */
  ofMeta(name: string): string;
  /** Of what `/version` holds. */
  readonly versionInfo: string;
  readonly rawExtension: string;
}

/** Packages of types that are, in the reference, those of a program of its own. */
const ownPrograms: ReadonlyMap<string, string> = new Map([
  ['apiextensions', 'apiextensions-apiserver'],
  ['apiregistration', 'kube-aggregator'],
]);

/** Where all definitions come from that are always there. */
const programs: readonly string[] = ['api', 'apimachinery', ...ownPrograms.values()];

export function definitionNames(domain: string): DefinitionNames {
  const root = domain.split('.').reverse().join('.');
  const meta = `${root}.apimachinery.pkg.apis.meta`;
  const ofType = (typeName: string): string => {
    const [group = '', rest = ''] = typeName.split('/');
    if (group === 'meta') return `${meta}.${rest}`;
    const program = ownPrograms.get(group);
    if (program !== undefined) return `${root}.${program}.pkg.apis.${group}.${rest}`;
    return `${root}.api.${group}.${rest}`;
  };
  const rawExtension = `${root}.apimachinery.pkg.runtime.RawExtension`;
  const scalars: Partial<Record<ScalarKind, string>> = {
    Quantity: `${root}.apimachinery.pkg.api.resource.Quantity`,
    IntOrString: `${root}.apimachinery.pkg.util.intstr.IntOrString`,
    Time: `${meta}.v1.Time`,
    MicroTime: `${meta}.v1.MicroTime`,
    RawExtension: rawExtension,
  };
  return {
    ofType,
    ofScalar(scalar, inPackage) {
      if (scalar !== 'JSON') return scalars[scalar];
      return ofType(`${inPackage}.${inPackage.startsWith('meta/') ? 'FieldsV1' : 'JSON'}`);
    },
    ofCustom(group, version, kind) {
      const name = `${group.split('.').reverse().join('.')}.${version}.${kind}`;
      return programs.some((program) => name.startsWith(`${root}.${program}.`))
        ? `${name}_v2`
        : name;
    },
    ofMeta: (name) => `${meta}.v1.${name}`,
    versionInfo: `${root}.apimachinery.pkg.version.Info`,
    rawExtension,
  };
}
