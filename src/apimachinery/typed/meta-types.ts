/** The shared types as schemas: what any group's objects, lists, errors and options are made of. */
import { metaTypeRows } from '../meta-types.gen.ts';
import { readTypes } from './type-rows.ts';
import type { TypeCatalogue } from './type-schema.ts';

export const metaTypes: TypeCatalogue = readTypes(metaTypeRows);

export const statusType = metaTypes.object('meta/v1.Status');
export const listMetaType = metaTypes.object('meta/v1.ListMeta');
export const deleteOptionsType = metaTypes.object('meta/v1.DeleteOptions');
export const partialMetadataType = metaTypes.object('meta/v1.PartialObjectMetadata');
export const partialMetadataListType = metaTypes.object('meta/v1.PartialObjectMetadataList');
