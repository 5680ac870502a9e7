/**
 * How a key service is, asked again and again; and with it the seed that records are written with.
 *
 *     every minute, every 10 s while it is not well ─▶ Status ─▶ well: its key is used
 *
 * Invariants: one question is under way at a time, and one answer serves all who ask within
 * `wellMs` or `unwellMs` of it, so that health checks cost it nothing more. What is read needs no
 * service that is well, but for seeds that are not known.
 */
import type { Clock, TimerHandle, Timers } from '../../stdx/clock.ts';
import { sha256Of } from '../../stdx/sha256-of.ts';
import { createCurrentSeed } from './current-seed.ts';
import type { CurrentSeed, CurrentSeedDeps } from './current-seed.ts';
import { keyIdProblem, words } from './key-service.ts';
import type { KeyIdProblem, KeyService, ServiceAnswer } from './key-service.ts';
import type { ServiceStatus } from './messages.ts';

export const watchTimes = {
  askWhileWellMs: 60_000,
  askWhileUnwellMs: 10_000,
  /** How old an answer may be that others are told. */
  wellMs: 20_000,
  unwellMs: 3_000,
} as const;

export interface SeedWriterDeps extends CurrentSeedDeps {
  readonly service: Pick<KeyService, 'status' | 'encrypt' | 'decrypt'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly timers: Timers;
  readonly onKeyId: (keyIdHash: string) => void;
  readonly onWrongKeyId: (why: KeyIdProblem) => void;
  /** Whenever it becomes well (undefined) or unwell, and at the first answer. */
  readonly onHealth: (why: string | undefined) => void;
}

export interface SeedWriter extends Pick<CurrentSeed, 'seed' | 'refusal'> {
  /** Why it was not well by its last answer; undefined: it was, or there is none yet. */
  readonly unwell: string | undefined;
  /** Why it is not well, by an answer that is not old; undefined: it is. */
  check(): Promise<string | undefined>;
  /** The same, by an answer that is still to come. */
  askAnew(): Promise<string | undefined>;
  /** Asks now, and from now on by itself. Resolves when the service is well, or at stop(). */
  start(): Promise<void>;
  stop(): void;
}

interface Answered {
  readonly why: string | undefined;
  readonly atMs: number;
}

export function createSeedWriter(deps: SeedWriterDeps): SeedWriter {
  const { clock, service, timers } = deps;
  const current = createCurrentSeed(deps);
  const judge = createJudge(deps, current);
  let last: Answered | undefined;
  let asking: Promise<string | undefined> | undefined;
  let timer: TimerHandle | undefined;
  let isStopped = false;
  let whenWell: (() => void) | undefined;

  function take(why: string | undefined): string | undefined {
    asking = undefined;
    const hasChanged = last === undefined || (last.why === undefined) !== (why === undefined);
    last = { why, atMs: clock.monotonicMs() };
    if (isStopped) return why;
    if (hasChanged) deps.onHealth(why);
    if (why === undefined) whenWell?.();
    return why;
  }

  function askAnew(): Promise<string | undefined> {
    asking ??= service.status().then(judge).then(take);
    return asking;
  }

  async function askOn(): Promise<void> {
    const why = await askAnew();
    if (isStopped) return;
    const delayMs = why === undefined ? watchTimes.askWhileWellMs : watchTimes.askWhileUnwellMs;
    timer = timers.after(delayMs, () => void askOn());
  }

  return {
    get seed() {
      return current.seed;
    },
    refusal: () => current.refusal(),
    get unwell() {
      return last?.why;
    },
    async check() {
      const maxMs = last?.why === undefined ? watchTimes.wellMs : watchTimes.unwellMs;
      if (last !== undefined && clock.monotonicMs() - last.atMs < maxMs) return last.why;
      return askAnew();
    },
    askAnew,
    start() {
      const well = new Promise<void>((resolve) => (whenWell = resolve));
      void askOn();
      return well;
    },
    stop() {
      isStopped = true;
      timer?.cancel();
      whenWell?.();
    },
  };
}

const versions = ['v2', 'v2beta1'];

/** Why the service is not well by this answer. */
function createJudge(
  { onKeyId, onWrongKeyId }: Pick<SeedWriterDeps, 'onKeyId' | 'onWrongKeyId'>,
  current: CurrentSeed,
): (answer: ServiceAnswer<ServiceStatus>) => Promise<string | undefined> {
  let before: string | undefined;

  function versionProblem(version: string): string | undefined {
    if (!versions.includes(version)) return `version v2 expected, it has ${words(version)}`;
    before ??= version;
    return before === version ? undefined : `its version is no longer ${before}`;
  }

  async function keyProblem(keyId: string): Promise<string | undefined> {
    const wrong = keyIdProblem(keyId);
    if (wrong !== undefined) {
      onWrongKeyId(wrong);
      return `the id of its key is ${wrong === 'empty' ? 'empty' : 'too long'}`;
    }
    onKeyId(sha256Of(keyId));
    return current.useKey(keyId);
  }

  return async (answer) => {
    if (answer.kind === 'failed') return `Status: ${answer.code}: ${answer.message}`;
    const { healthz, keyId, version } = answer.value;
    const problems = [
      healthz === 'ok' ? undefined : `it says that it is ${words(healthz)}`,
      versionProblem(version),
      await keyProblem(keyId),
    ].filter((problem) => problem !== undefined);
    return problems.length === 0 ? undefined : problems.join('; ');
  };
}
