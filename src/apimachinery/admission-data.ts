/**
 * The data between admission and the actors: commands and answers hold it.
 *
 * What it is not: a verdict. What is told counts whether the write is allowed or not.
 */

/** What becomes of an object; CONNECT: somebody wants to be connected to what runs. */
export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

export interface AuditAnnotation {
  readonly key: string;
  readonly value: string;
  /** Absent: of any event. `Request`: only of events that hold the body of the request. */
  readonly level?: 'Request' | undefined;
}

/** Of one write, in the order in which it was said. */
export interface Told {
  /** Texts for Warning headers. */
  readonly warnings: readonly string[];
  readonly annotations: readonly AuditAnnotation[];
}

/** Undefined: nobody has told anything. */
export function toldTogether(all: Iterable<Told | undefined>): Told | undefined {
  let together: Told | undefined;
  for (const told of all) {
    if (told === undefined) continue;
    together =
      together === undefined
        ? told
        : {
            warnings: [...together.warnings, ...told.warnings],
            annotations: [...together.annotations, ...told.annotations],
          };
  }
  return together;
}
