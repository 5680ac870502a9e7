/**
 * Files that flags name: their content, or one line that says which flag's could not be read.
 *
 * Elsewhere: what is in them; and files that are read again later (authentication-reload.ts).
 */
import { messageOf } from '../../stdx/message-of.ts';
import { readFileAtStart } from '../../stdx/regular-file.ts';
import { OptionsError } from './option-values.ts';

/** @throws OptionsError. */
export function readOptionFile(flag: string, file: string): Buffer {
  try {
    return readFileAtStart(file);
  } catch (error) {
    throw new OptionsError(`--${flag}: ${messageOf(error)}`);
  }
}

/** @throws OptionsError. */
export function readOptionText(flag: string, file: string): string {
  return readOptionFile(flag, file).toString('utf8');
}
