/**
 * The record of one object: what the store keeps and what streams/ and actors/ read back.
 *
 * record-codec.ts turns it into the msgpack envelope and back.
 *
 * Invariants: `object` is the JSON encoding of the object without metadata.resourceVersion, with
 * kind, apiVersion and metadata first; `metadataAt` is the offset just behind the opening brace of
 * metadata, where the resourceVersion is stamped on the way out (the store learns it only at
 * commit). `labels` and `fields` repeat what selectors ask for, so that nothing has to parse the
 * object to filter it.
 */
export interface RecordTimer {
  /** The state of the machine that the timer belongs to. */
  readonly state: string;
  /** Milliseconds since the epoch; undefined: never. */
  readonly dueMs: number | undefined;
}

export interface ObjectRecord {
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Selectable fields of the kind, beside metadata.name and metadata.namespace. */
  readonly fields: Readonly<Record<string, string>>;
  readonly metadataAt: number;
  readonly object: Uint8Array;
  /** What the object lies in, alone: its record may be made around it. Absent: it is copied. */
  readonly memory?: Buffer | undefined;
  /** Of an object whose life depends on time: its machine's snapshot. Absent for all others. */
  readonly timer?: RecordTimer | undefined;
  /** Of a kind that users define: by which form of its definition the object was written. Under
   * the same one it is read as it is. */
  readonly shape?: string | undefined;
  /** The label of the key that the record was encrypted with; absent: it was not. */
  readonly encryptedBy?: string | undefined;
}
