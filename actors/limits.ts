/**
 * What may grow in the actor system, and what happens at the limit.
 *
 *   residentMax        idle actors are dropped, longest unused first; when all are busy: 429
 *   residentBytesMax   likewise, by estimated memory
 *   idleMs             an actor unused for this long is dropped by the next sweep
 *   mailboxMax         a further command on the key is refused: 429
 *   questionsMax       a command that asks more of admission is refused: 500
 *   answerMs           a question that is not answered in time refuses its command: 504
 *   lostRacesMax       a command beaten this often by other writers is given up: 409 or 500, retry
 */
export interface ActorLimits {
  readonly residentMax: number;
  readonly residentBytesMax: number;
  readonly idleMs: number;
  readonly mailboxMax: number;
  readonly lostRacesMax: number;
  readonly questionsMax: number;
  readonly answerMs: number;
}

export const actorLimits: ActorLimits = {
  residentMax: 4096,
  residentBytesMax: 256 * 1024 * 1024,
  idleMs: 60_000,
  mailboxMax: 1024,
  lostRacesMax: 128,
  questionsMax: 8,
  answerMs: 35_000,
};

/** What clients are told to wait when a limit was met. */
export const retryAfterSeconds = 1;

/** Sweeps per `idleMs`: an idle actor lives at most a quarter longer than it should. */
export const sweepsPerIdle = 4;

/** When actors must go, this share of residentMax goes beyond what is needed: one in so many. */
export const evictionMarginShare = 16;

/** Of a record that is decoded in the turn in which it was read: a millisecond of work. */
export const recordBytesAtOnce = 64 * 1024;

/** Of an object that a change may have to decode in the turn in which it begins: several changes
 * begin together. What is decided about a larger one has the next turns. */
export const objectBytesOfTurn = 128 * 1024;

/** Characters of all fields of an object that selectors ask for. */
export const recordFieldsMax = 64 * 1024;

/** Estimate of an actor's memory: its own parts, and the decoded object beside its bytes. */
export const actorBytes = 512;
export const bytesPerEncodedByte = 4;
