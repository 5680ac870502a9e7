/** The versions of a kind, as a merge sees them, for one writer. */
import type { ApiObject } from '../../unstructured.ts';
import type { FieldWriter } from '../field-manager.ts';
import type { VersionRules } from '../merge/managers.ts';
import { deducedType } from '../schema/deduced.ts';

export function versionRules({ kind, subresource }: FieldWriter): VersionRules {
  const has = (version: string) => kind.typeAt(version) !== undefined;
  return {
    has,
    typeAt: (version) => kind.typeAt(version) ?? deducedType,
    convert(from, version) {
      if (from.version === version) return from;
      if (!has(version)) return undefined;
      return { value: kind.toVersion(from.value as ApiObject, version), version };
    },
    writable: (set) => kind.keepWritable(set, subresource),
  };
}
