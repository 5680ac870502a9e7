/** `jsonpatch.escapeKey(text)`: a member's name as a part of a JSON pointer (RFC 6901). */
import type { Library } from '../declaration.ts';
import { stringType } from '../type.ts';
import { functions, overload } from './declare.ts';
import { walk } from './prices.ts';

export const jsonPatchLibrary: Library = {
  name: 'kubernetes.jsonpatch',
  functions: functions({
    'jsonpatch.escapeKey': [
      overload(
        'string_jsonpatch_escapeKey_string',
        [stringType],
        stringType,
        (text) => (text as string).replaceAll('~', '~0').replaceAll('/', '~1'),
        walk({ sameSize: true }),
      ),
    ],
  }),
};
