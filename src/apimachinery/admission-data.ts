/**
 * Data that admission and the actors share: commands and answers hold it.
 *
 * Invariant: warnings and annotations count whether the write is allowed or not.
 */

/** What becomes of an object; CONNECT: somebody wants to be connected to what runs. */
export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

export interface AuditAnnotation {
  readonly key: string;
  readonly value: string;
  /** Absent: of any event. `Request`: only of events that hold the body of the request. */
  readonly level?: 'Request' | undefined;
}

/** Of what admission says of one request: texts of warnings, annotations and their characters.
 * Policy: what is beyond is dropped; a header and an event have no more room. */
export const admissionNoteLimits = {
  warningsMax: 1_000,
  annotationsMax: 1_000,
  annotationCharsMax: 256 * 1024,
} as const;

/** What admission says of one write beside its verdict, in order. */
export interface AdmissionNotes {
  /** Texts for Warning headers. */
  readonly warnings: readonly string[];
  readonly annotations: readonly AuditAnnotation[];
}

/** Undefined: there are none. */
export function mergeNotes(all: Iterable<AdmissionNotes | undefined>): AdmissionNotes | undefined {
  let merged: AdmissionNotes | undefined;
  for (const notes of all) {
    if (notes === undefined) continue;
    merged =
      merged === undefined
        ? notes
        : {
            warnings: [...merged.warnings, ...notes.warnings],
            annotations: [...merged.annotations, ...notes.annotations],
          };
  }
  return merged;
}
