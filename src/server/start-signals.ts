/**
 * Signals that come while the modules of a server are loaded: the process ends at once. The server
 * takes over before it begins anything (serve-command.ts, worker.ts).
 */
const endingSignals = ['SIGTERM', 'SIGINT'] as const;

export function endAtSignals(): void {
  for (const signal of endingSignals) process.on(signal, endProcess);
}

/** Whoever calls this listens by now: without a listener the next signal would end the process. */
export function endAtSignalsNoMore(): void {
  for (const signal of endingSignals) process.off(signal, endProcess);
}

function endProcess(): void {
  process.exit(0);
}
