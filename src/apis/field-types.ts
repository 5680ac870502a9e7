/**
 * The field-level types of the built-in kinds, under one identity: look-ups by the name that a
 * catalogue row gives (`core/v1.Pod`).
 *
 * Invariant: the types of apimachinery are among them, and are the same schemas.
 */
import type { Identity } from '../apimachinery/identity.ts';
import { metaTypes } from '../apimachinery/typed/meta-types.ts';
import { readTypes } from '../apimachinery/typed/type-rows.ts';
import type { TypeCatalogue } from '../apimachinery/typed/type-schema.ts';
import { builtInKinds } from './kind-set.ts';
import type { KindSet } from './kind-set.ts';
import { fieldTypeRows } from './field-types.gen.ts';

export function fieldTypes(identity: Identity, kinds: KindSet = builtInKinds): TypeCatalogue {
  const added = kinds.definitions.map((kind) => kind.added?.types ?? '');
  return readTypes([fieldTypeRows, ...added].join(''), {
    base: metaTypes,
    fill: (template) => identity.fill(template),
  });
}
