/**
 * Kinds that are accepted although nothing here acts on them: their Warning header at each create
 * and each update.
 *
 * No notice is needed for kinds whose status can say it (definitions of custom types, APIServices,
 * service ranges, services), nor for what other programs do beside a reference server, too
 * (controllers of workloads, schedulers, nodes, networks): nobody expects that of an API server.
 *
 * Invariants: pure, and as cheap as looking at a list; a sentence says what does not happen.
 * README, "What is not there yet", has the same.
 */
import type { KindDefinition } from '../kind-definition.ts';

export type NoticesOf = () => readonly string[];

/** Undefined: of most kinds there is nothing to say. */
export function noticesOf({ unserved }: KindDefinition): NoticesOf | undefined {
  if (unserved === undefined) return undefined;
  const sentences = unserved.map(({ says }) => says);
  return () => sentences;
}
