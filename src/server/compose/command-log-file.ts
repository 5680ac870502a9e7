/**
 * The file of `--command-log`: each command that was decided, as a line (actors/command-log.ts).
 *
 * It holds what writers sent, credentials included: it is its owner's alone. It is written in
 * order and never read here. Bounds: `bytesMax`, after which nothing more is written down.
 */
import { createWriteStream, openSync } from 'node:fs';
import { createCommandLog } from '../../../actors/command-log.ts';
import type { CommandLog } from '../../../actors/command-log.ts';
import { messageOf } from '../../stdx/message-of.ts';
import { OptionsError } from '../config/option-values.ts';
import type { Log } from './log.ts';

const bytesMax = 1024 ** 3;

/** @throws OptionsError. */
export function openCommandLog(path: string, log: Log): CommandLog {
  const file = createWriteStream(path, { fd: openForAppending(path) });
  let isOpen = true;
  let bytes = 0;
  const close = (context: object, why: string): void => {
    if (!isOpen) return;
    isOpen = false;
    log.error({ path, ...context }, why);
  };
  file.on('error', (error) => close({ err: error }, 'the command log cannot be written'));
  return createCommandLog((line) => {
    if (!isOpen) return;
    bytes += line.length;
    if (bytes > bytesMax) close({ bytesMax }, 'the command log is full: it is not continued');
    else file.write(line);
  });
}

function openForAppending(path: string): number {
  try {
    return openSync(path, 'a', 0o600);
  } catch (error) {
    throw new OptionsError(`--command-log: ${messageOf(error)}`);
  }
}
