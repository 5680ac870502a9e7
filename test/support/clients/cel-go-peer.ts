/**
 * The reference's library for expressions as a child process (test/support/cel-go): what the bench
 * is compared with, and an oracle for tests. It is there where Go and the library are installed
 * (SLUICE_GOPATH and SLUICE_GO, as in go-client.ts); nothing is fetched.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { buildGo, findGoWith } from './go-client.ts';
import type { FoundGo } from './go-client.ts';

export const findCelGo = (): FoundGo => findGoWith('src/github.com/google/cel-go');

export interface CelQuestion {
  readonly rule: string;
  /** JSON; whole numbers are ints. */
  readonly variables: Readonly<Record<string, unknown>>;
}

export interface CelVerdict {
  readonly kind: 'value' | 'error' | 'invalid' | 'broken';
  readonly value?: string;
  readonly text?: string;
  readonly cost?: number;
}

export interface CelFigures {
  /** Of a second. */
  readonly evaluations: number;
  readonly compilations: number;
}

export interface CelGo {
  /** In the order of the questions; whichever way, each is one line there and one back. */
  judge(questions: readonly (CelQuestion & { readonly budget: number })[]): Promise<CelVerdict[]>;
  measure(
    question: CelQuestion & {
      /** Of variables that are not dyn: `map(string, int)`. */
      readonly types: Readonly<Record<string, string>>;
      /** Of one round. */
      readonly ms: number;
    },
  ): Promise<CelFigures>;
  close(): void;
}

export async function startCelGo(found: FoundGo & { readonly kind: 'found' }): Promise<CelGo> {
  const program = await buildGo(found, path.resolve('test/support/cel-go'));
  // One core, as the other side has.
  const env = { GOMAXPROCS: '1', PATH: process.env['PATH'] };
  const child = spawn(program, [], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async (): Promise<unknown> => {
    const { done, value } = await lines.next();
    if (done === true) throw new Error('the peer has ended');
    return JSON.parse(value) as unknown;
  };
  const send = async (line: object): Promise<void> => {
    if (!child.stdin.write(`${JSON.stringify(line)}\n`)) await once(child.stdin, 'drain');
  };
  return {
    async judge(questions) {
      const sending = (async () => {
        for (const judge of questions) await send({ judge });
      })();
      const verdicts: CelVerdict[] = [];
      for (const _question of questions) verdicts.push((await answer()) as CelVerdict);
      await sending;
      return verdicts;
    },
    async measure(measure) {
      await send({ measure });
      return (await answer()) as CelFigures;
    },
    close: () => child.stdin.end(),
  };
}
