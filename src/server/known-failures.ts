/**
 * Failures that end the process with an exit code of their own. They are in a file of their own so
 * that program.ts can recognise them without loading a server.
 */

/** Problems that are shown; of more only the number is. */
const problemsShownMax = 1000;

/** The store could be walked, and is not as it was written. */
export class StoreDamaged extends Error {
  override readonly name = 'StoreDamaged';
  constructor(where: string, problems: readonly string[]) {
    const count = problems.length === 1 ? '1 place' : `${problems.length} places`;
    const shown = problems.slice(0, problemsShownMax).map((problem) => `\n  ${problem}`);
    const rest = problems.length - shown.length;
    const more = rest > 0 ? `\n  and ${rest} more` : '';
    super(`${where} is damaged in ${count}:${shown.join('')}${more}`);
  }
}

/** The process was told to end before it was ready. */
export class StartStopped extends Error {
  override readonly name = 'StartStopped';
  constructor() {
    super('the start was stopped');
  }
}

/** A worker ended before it was ready; it has said why on standard error. */
export class WorkerFailed extends Error {
  override readonly name = 'WorkerFailed';
  readonly exitCode: number | null;
  constructor(exitCode: number | null) {
    super('a worker did not get ready');
    this.exitCode = exitCode;
  }
}
