/**
 * What is accepted although nothing here acts on it, and the sentence that tells whoever writes it:
 * a Warning header at each create and each update.
 *
 * What it is not: kinds whose status can say it (definitions of custom types, APIServices, service
 * ranges, services), and what other programs do beside a reference server, too (controllers of
 * workloads, schedulers, nodes, networks): nobody expects that of an API server.
 *
 * Invariants: pure, and as cheap as looking at the labels; a sentence says what does not happen.
 * README, "What is not there yet", has the same.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import { part } from '../../apimachinery/members.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import type { KindDefinition } from '../kind-definition.ts';

export type NoticesOf = (object: ApiObject) => readonly string[];

/** Undefined: of most kinds there is nothing to say. */
export function noticesOf({ unserved }: KindDefinition, identity: Identity): NoticesOf | undefined {
  if (unserved === undefined) return undefined;
  return (object) =>
    unserved.flatMap(({ says, when }) => {
      if (when === undefined) return [says];
      const found = when(object, identity);
      return found === undefined ? [] : [says.replace('{}', found)];
    });
}

/** The name of an annotation that is 'true'. */
export function annotated({ metadata }: ApiObject, name: string): string | undefined {
  return metadata.annotations?.[name] === 'true' ? name : undefined;
}

/** Those of these fields that say something. */
export function given(object: ApiObject, fields: readonly string[]): string | undefined {
  const found = fields.filter((field) => Object.keys(part(object, field)).length > 0);
  return found.length === 0 ? undefined : found.join(', ');
}
