/**
 * The actions of an object's actor, by their names in its machine (object-machine.ts).
 *
 * Invariants (numbered in SPEC.md): answers leave in the order the commands came; a command leaves
 * only when all that it was decided on is durable; when a mutation is not applied, everything
 * decided after it is decided again, on what is true then. Actions do no I/O, read no clock and
 * wait for nothing: they emit effects instead.
 */
import { mergeNotes } from '../src/apimachinery/admission-data.ts';
import {
  newConflict,
  newInternalError,
  newServerTimeout,
  newServiceUnavailable,
  newTooManyRequests,
} from '../src/apimachinery/status-error.ts';
import type { StatusError } from '../src/apimachinery/status-error.ts';
import { hasFailed } from '../src/storage/pending-commit.ts';
import type { Revision } from '../src/storage/storage.ts';
import { assert, unreachable } from '../src/stdx/assert.ts';
import type { ObjectCommand, ObjectOutcome } from './actors.ts';
import { objectBytesOfTurn, retryAfterSeconds } from './limits.ts';
import { forgetAnswers } from './object-context.ts';
import type {
  Attempt,
  Effects,
  Entry,
  ObjectContext,
  ObjectEvent,
  ObjectPorts,
} from './object-context.ts';
import {
  answeredFinding,
  conclude,
  evaluateCommand,
  continueEvaluation,
  refusalFinding,
} from './object-decision.ts';
import type { Decision, Finding } from './object-decision.ts';
import type { ActionName } from './object-machine.ts';
import { absentState, readLightly, stateOf } from './object-snapshot.ts';
import type { ObjectState } from './object-snapshot.ts';

export type ObjectAction = (context: ObjectContext, event: ObjectEvent, effects: Effects) => void;

export function objectActions(ports: ObjectPorts): Readonly<Record<ActionName, ObjectAction>> {
  const carry: ObjectAction = (context, _event, effects) => carryOut(context, ports, effects);
  return {
    created: carry,
    replaced: carry,
    marked: carry,
    removed: carry,
    unchanged: carry,
    tried: carry,
    refusedByCommand: carry,
    refusedNotFound: carry,
    refusedExists: carry,
    refusedBeingDeleted: carry,
    unexpected: () => assert(false, 'a decision is made of what the machine knows'),
    beginLife({ tip }) {
      assert(tip !== undefined, 'what was removed is known');
      tip.life = 'absent';
    },
    accept(context, event) {
      if (event.type === 'command') context.mailbox.push(event.entry);
    },
    goOn: (_context, _event, effects) => effects.raise('advance'),
    decideNext: (context, _event, effects) => decideNext(context, ports, effects),
    startLoad(context, _event, effects) {
      assert(context.outstanding === 0 && context.decided === 0, 'a load has nothing under way');
      context.loadingCount = context.mailbox.length;
      effects.emit({ type: 'load' });
    },
    adopt: (context, event, effects) => adopt(context, event, ports, effects),
    failLoad(context, event, effects) {
      if (event.type === 'load.failed') failLoad(context, event.error, effects);
    },
    ask,
    takeAnswer,
    takeResult: (context, event, effects) => takeResult(context, event, ports, effects),
    checkSettled(context, _event, effects) {
      if (context.outstanding === 0) effects.raise('resume');
    },
  };
}

/** Decides the next command on the newest state, or says what must come first. */
function decideNext(context: ObjectContext, ports: ObjectPorts, effects: Effects): void {
  const { decided, mailbox, tip } = context;
  const entry = mailbox.at(decided);
  if (entry === undefined) {
    if (mailbox.length === 0) effects.emit(idle);
    return;
  }
  if (tip?.life === 'removed') {
    effects.raise('begin');
    effects.raise('advance');
    return;
  }
  const assumed = tip === undefined && mayAssumeAbsent(entry);
  const isForbidden = entry.permit !== undefined && !entry.permit();
  const basis = assumed || isForbidden ? (tip ?? absentState('absent')) : tip;
  if (basis === undefined) {
    effects.raise('load');
    return;
  }
  const { command } = entry;
  const finding = isForbidden
    ? refusalFinding(forbidden())
    : findingOf(context, entry, basis, ports);
  if (finding === undefined) {
    effects.raise('ask');
    return;
  }
  const decision = conclude(context, command, basis, finding, ports);
  const knows = entry.fresh || assumed || isForbidden || isSoleWriter(context, ports);
  if (decision.kind !== 'write' && !knows) {
    // The transaction checks what a write was decided on. Nothing checks the rest, so with other
    // writers about the store is asked before a refusal or a no-op is believed.
    effects.raise(context.outstanding > 0 ? 'settle' : 'load');
    return;
  }
  context.pending = attemptOf(entry, decision, basis, assumed);
  effects.raise(decision.event);
}

function isSoleWriter({ key }: ObjectContext, { isAccompanied, soleWriter }: ObjectPorts): boolean {
  return soleWriter && isAccompanied?.(key) !== true;
}

const idle = { type: 'idle' } as const;

/** Undefined: a question has to be answered first, or the rest has a turn of its own. */
function findingOf(
  context: ObjectContext,
  entry: Entry,
  basis: ObjectState,
  ports: ObjectPorts,
): Finding | undefined {
  const finding = entry.answered ?? examinedFinding(context, entry, basis, ports);
  if (finding === undefined || entry.hasTurn || !isLargeWrite(finding, entry, basis, ports)) {
    return finding;
  }
  entry.answered = finding;
  entry.hasTurn = true;
  context.asking = { kind: 'found', entry };
  return undefined;
}

/** To encode it takes as long as to decide about it. */
function isLargeWrite(
  { event, object }: Finding,
  { command }: Entry,
  { image }: ObjectState,
  { isStale }: Pick<ObjectPorts, 'isStale'>,
): boolean {
  if (command.type !== 'change' || object === undefined) return false;
  // What has not changed may be written all the same.
  if (event === 'replace.unchanged' && isStale === undefined) return false;
  if (event === 'delete.unchanged') return false;
  return image !== undefined && image.bytes.byteLength > objectBytesOfTurn;
}

function examinedFinding(
  context: ObjectContext,
  entry: Entry,
  basis: ObjectState,
  ports: ObjectPorts,
): Finding | undefined {
  const { rest } = entry;
  const examined =
    rest === undefined
      ? evaluateCommand(context.key, entry.command, basis, entry.answers, ports)
      : continueEvaluation(context.key, rest, basis, ports);
  entry.rest = examined.kind === 'unfinished' ? examined.rest : undefined;
  if (examined.kind === 'finding') return examined;
  if (examined.kind === 'unfinished') {
    context.asking = { kind: 'unfinished', entry, rest: examined.rest };
    return undefined;
  }
  if (entry.answers.length >= ports.limits.questionsMax) {
    return refusalFinding(newInternalError('a decision asks too many questions'));
  }
  const { finding, question } = examined;
  context.asking = { kind: 'asking', entry, question, finding };
  return undefined;
}

function attemptOf(
  entry: Entry,
  decision: Decision,
  basis: ObjectState,
  assumed: boolean,
): Attempt {
  return {
    pending: undefined,
    entry,
    decision,
    basis,
    seen: basis.revision,
    assumed,
    result: undefined,
    forgotten: false,
  };
}

/** The verdict is in: submits what was decided, or answers it as soon as it may be. */
function carryOut(context: ObjectContext, ports: ObjectPorts, effects: Effects): void {
  const attempt = context.pending;
  assert(attempt !== undefined, 'a verdict is about a decision');
  context.pending = undefined;
  const { decision, entry } = attempt;
  entry.attempt = attempt;
  context.decided += 1;
  if (decision.kind === 'write') {
    decision.next.madeBy = attempt;
    context.tip = decision.next;
    context.outstanding += 1;
    effects.emit({ type: 'submit', attempt });
  } else {
    settleHeads(context, ports, effects);
  }
  effects.raise('advance');
}

function takeResult(
  context: ObjectContext,
  event: ObjectEvent,
  ports: ObjectPorts,
  effects: Effects,
): void {
  if (event.type !== 'committed') return;
  const { attempt, result } = event;
  const twice = attempt.forgotten && result.kind === 'applied';
  assert(!twice, 'a mutation whose predecessor was not applied is not applied');
  attempt.result = result;
  context.outstanding -= 1;
  settleHeads(context, ports, effects);
}

/** Answers from the head of the mailbox what has been decided and whose fate is known. */
function settleHeads(context: ObjectContext, ports: ObjectPorts, effects: Effects): void {
  while (context.decided > 0) {
    const attempt = context.mailbox.at(0)?.attempt;
    assert(attempt !== undefined, 'a decided entry has an attempt');
    const { decision, result } = attempt;
    if (decision.kind !== 'write') answer(context, outcomeOf(attempt), effects);
    else if (result === undefined) return;
    else settleHead(context, attempt, result, ports, effects);
  }
}

function settleHead(
  context: ObjectContext,
  { assumed, basis, decision, entry }: Attempt,
  result: NonNullable<Attempt['result']>,
  ports: ObjectPorts,
  effects: Effects,
): void {
  assert(decision.kind === 'write', 'only a write has a result');
  switch (result.kind) {
    case 'applied': {
      const { next } = decision;
      next.madeBy = undefined;
      if (next.image !== undefined) next.revision = result.revision;
      answer(context, shown(decision, result.revision), effects);
      return;
    }
    case 'conflict':
    case 'predecessor-failed':
      if (entry.order?.behind.some(hasFailed) === true) refuseHead(context, entry, effects);
      else loseRace(context, entry, ports, effects);
      return;
    case 'condition-failed':
    case 'companion-failed':
      answer(context, result, effects);
      rewind(context, assumed ? undefined : basis, effects);
      return;
    case 'overloaded': {
      const error = newTooManyRequests('too many writes are waiting', retryAfterSeconds);
      answer(context, { kind: 'refused', error }, effects);
      rewind(context, assumed ? undefined : basis, effects);
      return;
    }
    case 'failed':
      failDecided(context, result.error, effects);
      return;
    default:
      unreachable(result);
  }
}

function answer(context: ObjectContext, outcome: ObjectOutcome, effects: Effects): void {
  const entry = context.mailbox.shift();
  assert(entry !== undefined && context.decided > 0, 'only a decided command is answered');
  context.decided -= 1;
  effects.emit({ type: 'answer', entry, outcome: withAdmissionNotes(outcome, entry) });
}

/** Adds the warnings and annotations of the valid answers; those from before the object changed are
 * dropped. */
function withAdmissionNotes(outcome: ObjectOutcome, { answers }: Entry): ObjectOutcome {
  if (answers.length === 0) return outcome;
  const notes = mergeNotes(answers.map((answer) => answer.notes));
  return notes === undefined ? outcome : { ...outcome, notes };
}

/** A write that it was ordered behind (WriteOrder), of another object, was not applied. */
function refuseHead(context: ObjectContext, head: Entry, effects: Effects): void {
  const why = 'what it was decided on has not come';
  const error = newConflict(head.command.qualifiedResource, context.key.name, why);
  answer(context, { kind: 'refused', error }, effects);
  rewind(context, undefined, effects);
}

/** Another writer was first. Decide again on what is there now, within reason. */
function loseRace(
  context: ObjectContext,
  head: Entry,
  { limits }: ObjectPorts,
  effects: Effects,
): void {
  head.lostRaces += 1;
  if (head.lostRaces > limits.lostRacesMax) {
    const error = givenUp(head.command, context.key.name);
    answer(context, { kind: 'refused', error }, effects);
  }
  rewind(context, undefined, effects);
}

function givenUp(command: ObjectCommand, name: string): StatusError {
  const verb = command.type === 'change' ? command.input.verb : command.type;
  const gr = command.qualifiedResource;
  return command.type === 'change' && verb !== 'delete'
    ? newConflict(gr, name)
    : newServerTimeout(gr, verb, retryAfterSeconds);
}

/** Forgets every decision; they are made again once nothing of them is under way. */
function rewind(context: ObjectContext, to: ObjectState | undefined, effects: Effects): void {
  const { decided, mailbox } = context;
  for (let i = 0; i <= decided; i += 1) {
    const entry = mailbox.at(i);
    if (entry === undefined) continue;
    if (entry.attempt !== undefined) entry.attempt.forgotten = true;
    entry.attempt = undefined;
    forgetAnswers(entry);
  }
  effects.emit({ type: 'redecided', count: decided });
  know(context, to, effects);
}

/** Storage failed: nobody knows more about what was decided, so all of it fails. */
function failDecided(context: ObjectContext, error: unknown, effects: Effects): void {
  const next = context.mailbox.at(context.decided);
  if (next !== undefined) forgetAnswers(next);
  reject(context, context.decided, error, effects);
  know(context, undefined, effects);
}

/** Goes on from `state`, with nothing decided. Undefined: from what the store says when asked. */
function know(context: ObjectContext, state: ObjectState | undefined, effects: Effects): void {
  context.decided = 0;
  context.tip = state;
  context.asking = undefined;
  raiseLife(state, effects);
  effects.raise('rewound');
}

/** Unknown counts as absent, until the store has answered. */
function raiseLife(state: ObjectState | undefined, effects: Effects): void {
  const life = state?.life ?? 'absent';
  assert(life !== 'removed', 'nobody decides on a life that has ended');
  effects.raise(`known.${life}`);
}

function reject(context: ObjectContext, count: number, error: unknown, effects: Effects): void {
  for (let i = 0; i < count; i += 1) {
    const entry = context.mailbox.shift();
    if (entry !== undefined) effects.emit({ type: 'reject', entry, error });
  }
}

function adopt(
  context: ObjectContext,
  event: ObjectEvent,
  ports: ObjectPorts,
  effects: Effects,
): void {
  if (event.type !== 'loaded') return;
  const { record } = event;
  const known = context.tip?.revision;
  if (known === undefined || known !== record?.revision) {
    try {
      context.tip = stateOf(readLightly(record, ports));
    } catch (error) {
      failLoad(context, error, effects);
      return;
    }
    const next = context.mailbox.at(0);
    if (next !== undefined) forgetAnswers(next);
  }
  for (let i = 0; i < context.loadingCount; i += 1) {
    const entry = context.mailbox.at(i);
    if (entry !== undefined) entry.fresh = true;
  }
  raiseLife(context.tip, effects);
}

function failLoad(context: ObjectContext, error: unknown, effects: Effects): void {
  context.tip = undefined;
  reject(context, context.loadingCount, error, effects);
  raiseLife(undefined, effects);
}

const ask: ObjectAction = (context, _event, effects) => {
  const { asking } = context;
  assert(asking?.entry.command.type === 'change', 'there is a question, of a change');
  context.questionNumber += 1;
  const { command, source } = asking.entry;
  const number = context.questionNumber;
  if (asking.kind !== 'asking') {
    effects.emit({ type: 'pause', number });
    return;
  }
  const { question } = asking;
  effects.emit({ type: 'ask', number, command, question, requester: source?.exchange });
};

const takeAnswer: ObjectAction = (context, event, effects) => {
  const { asking } = context;
  if (event.type !== 'answered' || asking === undefined) return;
  if (event.number !== context.questionNumber) return;
  context.asking = undefined;
  if (asking.kind === 'asking') {
    const { entry } = asking;
    entry.answers = [...entry.answers, event.answer];
    entry.answered = answeredFinding(asking, event.answer);
  }
  effects.raise('resume');
};

/** A create that never lost a race: the store itself says if the name is taken. */
function mayAssumeAbsent({ command, lostRaces }: Entry): boolean {
  return command.type === 'create' && !command.dryRun && lostRaces === 0;
}

function forbidden(): StatusError {
  return newServiceUnavailable('this server no longer holds the lease of controllers');
}

function outcomeOf({ basis, decision }: Attempt): ObjectOutcome {
  if (decision.kind === 'refused') return { kind: 'refused', error: decision.error };
  return shown(decision, basis.revision);
}

function shown(
  decision: Extract<Decision, { kind: 'write' | 'show' }>,
  revision: Revision | undefined,
): ObjectOutcome {
  const { outcome: kind, warnings } = decision;
  const { bytes, metadataAt, object } = decision.shown;
  return { kind, object, revision, bytes, metadataAt, warnings };
}
