/** What a streamed response needs of its exchange. */
export interface StreamedExchange {
  readonly closed: boolean;
  /** Bytes of the body were given to be sent. */
  count(bytes: number): void;
  /** Ends the answer, in this turn or a later one, if it is still there. */
  finish(): void;
  cut(): void;
}
