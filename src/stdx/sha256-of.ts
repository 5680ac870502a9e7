/** What operators are shown of a name or an id, as the reference does: two can be told apart. */
import { createHash } from 'node:crypto';

/** '' stays ''. */
export function sha256Of(text: string): string {
  return text === '' ? '' : `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
