/**
 * What an operation is: one method of one path, in neither dialect of OpenAPI. Types only; which
 * operations there are follows from the scheme (operations.ts).
 */
import type { GroupVersionKind } from '../schema.ts';
import type { KindInfo } from '../scheme.ts';
import type { ObjectSchema } from '../typed/type-schema.ts';
import type { Parameter } from './parameters.ts';

/** What a body holds: a type of the catalogue, or one that only documents know. */
export type BodyType =
  | ObjectSchema
  | CustomBody
  | 'DeleteOptions'
  | 'Patch'
  | 'Status'
  | 'VersionInfo'
  | 'WatchEvent'
  | 'string';

/** A type that users define, or the list of it. */
export interface CustomBody {
  readonly custom: KindInfo;
  readonly isList: boolean;
}

export interface Operation {
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'patch' | 'head' | 'options';
  readonly id: string;
  readonly tag: string;
  readonly description: string;
  readonly action: string | undefined;
  readonly kind: GroupVersionKind | undefined;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly type: BodyType; readonly required: boolean } | undefined;
  readonly responses: readonly (readonly [code: string, type: BodyType])[];
  /** The answer can be a stream of events. */
  readonly streams: boolean;
  readonly deprecated: boolean;
  /** Media types of what is neither an object nor a list of objects. */
  readonly media?: PlainMedia | undefined;
  /** On a kind that users define: it has neither Protobuf nor strategic merge patches. */
  readonly isCustom?: true | undefined;
}

export interface PlainMedia {
  readonly reads: readonly string[];
  readonly answers: readonly string[];
  /** Answers may be in those of objects, too. */
  readonly asObjects?: true | undefined;
}

export interface PathOperations {
  readonly path: string;
  /** Those that all operations of the path take. */
  readonly parameters: readonly Parameter[];
  readonly operations: readonly Operation[];
}

export interface OperationNames {
  /** `AppsV1`. */
  readonly groupVersion: string;
  /** `apps_v1`. */
  readonly tag: string;
  /** `/apis/apps/v1`. */
  readonly root: string;
}
