#!/usr/bin/env -S node --max-semi-space-size=32 --min-semi-space-size=4 --no-memory-reducer --no-allocation-site-pretenuring
/**
 * The executable's first file. It loads all others, which takes most of a second, and has what must
 * hold meanwhile, too:
 *
 *  - `serve` that is told to end before its modules are there ends with code 0: nothing has begun.
 *    Other commands end by the signal, for they have not done what they were given.
 *  - Files that cannot be loaded are one line. Node's loader reads many at once, and a low limit of
 *    open files ends it before a line of a module has run.
 *
 * Invariant: it imports nothing but what is as small.
 */
import { isOpenFilesLimit, openFilesRemedy } from './open-files-limit.ts';
import { endAtSignals } from './start-signals.ts';

if (process.argv[2] === 'serve') endAtSignals();

import('./program.ts')
  .then(({ runProgram }) => runProgram())
  .catch((error: unknown) => {
    const isLimit = isOpenFilesLimit(error);
    const text = error instanceof Error ? error.stack : String(error);
    process.stderr.write(`sluice: ${isLimit ? openFilesRemedy : text}\n`);
    process.exit(isLimit ? 2 : 1);
  });
