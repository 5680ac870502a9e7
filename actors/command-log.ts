/**
 * A log of decided commands, one line each, and their replay, which makes the same records.
 *
 *   {"key":{..},"command":{..},"answers":[..],"seen":"41","basis":{..},"outcome":"replaced",
 *    "revision":"42"}
 *
 * `seen` is the revision that the decision saw, absent where that was not durable yet. `basis`
 * is the object that it saw, wherever that does not follow from the line before it about this key:
 * so a log may begin anywhere, and other servers may write in between.
 *
 * Not to be confused with the change log of the store: this log holds requests, with the
 * credentials in them, so only its owner may read the file.
 *
 * Invariant: replay is a function of the log and of the pure functions that decided. Numbers keep
 * all their digits.
 */
import { parseJsonText, stringifyJson } from '../src/apimachinery/codecs/lossless.ts';
import { StatusError } from '../src/apimachinery/status-error.ts';
import type { StatusErrorInit } from '../src/apimachinery/status-error.ts';
import type { ApiObject, JsonValue } from '../src/apimachinery/unstructured.ts';
import { storeKey } from '../src/storage/keys.ts';
import type { ObjectKey } from '../src/storage/keys.ts';
import type { RecordTimer } from '../src/storage/record.ts';
import type { Revision, StoreKey } from '../src/storage/storage.ts';
import { assert } from '../src/stdx/assert.ts';
import type { Answer, ObjectCommand, ObjectOutcome } from './actors.ts';
import type { Entry, ObjectContext } from './object-context.ts';
import {
  answeredFinding,
  conclude,
  evaluateCommand,
  continueEvaluation,
} from './object-decision.ts';
import type { Decision, DecisionPorts } from './object-decision.ts';
import type { LifeState } from './object-machine.ts';
import { absentState } from './object-snapshot.ts';
import type { ObjectState } from './object-snapshot.ts';

export interface CommandLog {
  answered(context: ObjectContext, entry: Entry, outcome: ObjectOutcome): void;
}

/** Calls `write` with a line, its end included, for each command that was decided. */
export function createCommandLog(write: (line: string) => void): CommandLog {
  const last = new WeakMap<ObjectContext, ObjectState>();
  return {
    answered(context, { answers, attempt, command }, outcome) {
      if (attempt === undefined) return;
      const { basis, decision, seen } = attempt;
      const follows = last.get(context) === basis;
      last.set(context, isApplied(outcome, command) ? nextOf(decision, basis) : basis);
      const line = {
        key: context.key,
        command,
        answers: answers.map(answerToData),
        seen: seen?.toString(),
        basis: follows ? undefined : basisToData(basis),
        outcome: outcome.kind,
        revision: 'revision' in outcome ? outcome.revision?.toString() : undefined,
      };
      write(`${stringifyJson(line as unknown as JsonValue)}\n`);
    },
  };
}

function nextOf(decision: Decision, basis: ObjectState): ObjectState {
  return decision.kind === 'write' ? decision.next : basis;
}

function isApplied({ kind }: Pick<ObjectOutcome, 'kind'>, { dryRun }: ObjectCommand): boolean {
  return !dryRun && ['created', 'replaced', 'marked', 'removed'].includes(kind);
}

interface Basis {
  readonly life: LifeState;
  readonly object?: ApiObject | undefined;
  readonly timer?: { readonly state: string; readonly dueMs?: number | undefined } | undefined;
}

function basisToData({ image, life }: ObjectState): Basis {
  return { life, object: image?.object, timer: image?.timer };
}

type AnswerData =
  | Exclude<Answer, { kind: 'refused' }>
  | {
      readonly kind: 'refused';
      readonly error: StatusErrorInit;
      readonly notes?: Answer['notes'];
    };

function answerToData(answer: Answer): AnswerData {
  if (answer.kind !== 'refused') return answer;
  const { code, details, listContinue, message, reason, warnings } = answer.error;
  const { notes } = answer;
  const error = { reason, message, details, listContinue, code, warnings };
  return { kind: 'refused', error, notes };
}

function answerOf(data: AnswerData): Answer {
  if (data.kind !== 'refused') return data;
  return { kind: 'refused', error: new StatusError(data.error), notes: data.notes };
}

interface LoggedCommand {
  readonly key: ObjectKey;
  readonly command: ObjectCommand;
  readonly answers: readonly AnswerData[];
  readonly seen?: string | undefined;
  readonly basis?: Basis | undefined;
  readonly outcome: ObjectOutcome['kind'];
  readonly revision?: string | undefined;
}

/** A record as the store has it. */
export interface ReplayedRecord {
  readonly state: string;
  readonly value: Uint8Array;
}

/** The records that are there after all commands of the log, by their keys.
 * @throws AssertionError where a command comes to something else than it came to. */
export function replay(
  lines: Iterable<string>,
  ports: DecisionPorts,
): ReadonlyMap<StoreKey, ReplayedRecord> {
  const records = new Map<StoreKey, ReplayedRecord>();
  const states = new Map<StoreKey, ObjectState>();
  for (const line of lines) {
    if (line === '') continue;
    const logged = parseJsonText(line) as unknown as LoggedCommand;
    const name = { key: logged.key, storeKey: storeKey(logged.key) };
    const basis = basisOf(logged, states.get(name.storeKey));
    const decision = decided(name, logged, basis, ports);
    states.set(name.storeKey, basis);
    if (!isApplied({ kind: logged.outcome }, logged.command)) continue;
    assert(
      decision.kind === 'write' && decision.outcome === logged.outcome,
      `${name.storeKey}: ${logged.outcome} in the log, ${decision.kind} in the replay`,
    );
    states.set(name.storeKey, decision.next);
    const { operation } = decision;
    if (operation.kind === 'delete') records.delete(name.storeKey);
    else records.set(name.storeKey, { state: operation.state, value: operation.value });
  }
  return records;
}

function basisOf({ basis, seen }: LoggedCommand, before: ObjectState | undefined): ObjectState {
  const revision = seen === undefined ? undefined : (BigInt(seen) as Revision);
  const object = basis === undefined ? before?.image?.object : basis.object;
  if (object === undefined) return absentState('absent');
  const life = basis?.life ?? before?.life ?? 'absent';
  const timer = basis === undefined ? before?.image?.timer : timerOf(basis);
  const image = { object, bytes: noBytes, metadataAt: 0, timer };
  return { life, image, revision, madeBy: undefined };
}

const noBytes = new Uint8Array(0);

function timerOf({ timer }: Basis): RecordTimer | undefined {
  return timer && { state: timer.state, dueMs: timer.dueMs };
}

function decided(
  name: { readonly key: ObjectKey; readonly storeKey: StoreKey },
  { answers: data, command }: LoggedCommand,
  basis: ObjectState,
  ports: DecisionPorts,
): Decision {
  const answers = data.map(answerOf);
  let examined = evaluateCommand(name.key, command, basis, answers, ports);
  while (examined.kind === 'unfinished') {
    examined = continueEvaluation(name.key, examined.rest, basis, ports);
  }
  if (examined.kind === 'finding') return conclude(name, command, basis, examined, ports);
  const answer = answers.at(-1);
  const finding = answer && answeredFinding(examined, answer);
  assert(finding !== undefined, 'a question of the replay was answered before');
  return conclude(name, command, basis, finding, ports);
}
