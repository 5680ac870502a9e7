/** The scale of kinds that users define: the same small object that built-in kinds have. */
import type { Identity } from '../apimachinery/identity.ts';
import type { SubresourceInfo } from '../apimachinery/scheme.ts';
import { defaultersOf } from './defaults/defaulters.ts';
import { fieldTypes } from './field-types.ts';
import type { KindSet } from './kind-set.ts';
import { objectParts, scaleKind } from './subresources.ts';
import { scales } from './tables/scale.ts';

export function customScale(identity: Identity, kinds: KindSet): SubresourceInfo {
  const { group, version, kind, type } = scaleKind;
  const schema = fieldTypes(identity, kinds).object(type);
  return {
    name: 'scale',
    kind: { group, version, kind },
    schema,
    defaults: defaultersOf(identity, kinds)(schema),
    table: scales,
    verbs: objectParts,
  };
}
