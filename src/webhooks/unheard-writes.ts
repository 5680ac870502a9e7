/**
 * What is written to a server that has gone: nobody hears it, and that is no failure.
 *
 *     the other server     says its last words, closes
 *     the kernel           holds those words for us; refuses what we write (EPIPE, ECONNRESET)
 *     node                 would destroy the connection for that, and the words with it
 *
 * A kubelet ends a connection right behind the exit code of a command, while its client still
 * confirms the output before it.
 *
 * Invariants: a write that fails so counts as written; what follows it is dropped by whoever asks
 * here. The connection ends by what is read: an end, or the failure that the kernel tells behind
 * the last byte. All other failures are as before.
 */
import type { Duplex } from 'node:stream';

const gone: ReadonlySet<string | undefined> = new Set(['EPIPE', 'ECONNRESET']);

type Done = (error?: Error | null) => void;

/** From now on; the answer tells whether it has happened. */
export function unheardWrites(connection: Duplex): () => boolean {
  let isUnheard = false;
  const unlessGone =
    (done: Done): Done =>
    (error) => {
      const { code } = (error ?? {}) as NodeJS.ErrnoException;
      if (!gone.has(code)) return done(error);
      isUnheard = true;
      done();
    };
  const write = connection._write.bind(connection);
  connection._write = (chunk, encoding, done) => write(chunk, encoding, unlessGone(done));
  const writev = connection._writev?.bind(connection);
  if (writev !== undefined) {
    connection._writev = (chunks, done) => writev(chunks, unlessGone(done));
  }
  return () => isUnheard;
}
