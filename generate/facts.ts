/**
 * The facts that the generators read: every built-in kind and type of the reference API at one
 * release, with field numbers and markers, as JSON. The first argument of a generator names the
 * file; generate/README.md says what is in it and where it comes from.
 */
import { readFileSync } from 'node:fs';

/** Ends the program with how to call it when no file is named. */
export function factsOfArguments<T>(): T {
  const file = process.argv[2];
  if (file === undefined) {
    throw new Error('say where the facts are: node dist/generate/<generator>.js <facts.json>');
  }
  return JSON.parse(readFileSync(file, 'utf8')) as T;
}
