/** base64.encode(bytes) and base64.decode(string), with or without padding. */
import type { Implementation, Library } from '../../src/cel/declaration.ts';
import { evaluationError } from '../../src/cel/evaluation-error.ts';
import { bytesType, stringType } from '../../src/cel/type.ts';
import { functions, overload } from '../../src/cel/library/declare.ts';

const encode = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

function decode(text: string): Uint8Array {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.replace(/=+$/, '').length % 4 === 1) {
    throw evaluationError('illegal base64 data');
  }
  return new Uint8Array(Buffer.from(text, 'base64'));
}

const run = (implementation: (...args: never[]) => string | Uint8Array): Implementation =>
  implementation as unknown as Implementation;

export const encodersLibrary: Library = {
  name: 'encoders',
  functions: functions({
    'base64.encode': [overload('base64_encode_bytes', [bytesType], stringType, run(encode))],
    'base64.decode': [overload('base64_decode_string', [stringType], bytesType, run(decode))],
  }),
};
