/**
 * Rules of the status of a job, whoever controls it: a job that has ended stays ended, and its
 * counts, times and indexes say the same as its conditions.
 *
 * Invariant: what a write leaves as it was is not looked at, except where time cannot go back, so
 * a job whose spec has just changed does not block its controller.
 */
import { duplicate, invalid, required } from '../../apimachinery/field-error.ts';
import { objects, part, text, texts } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import type { Problems } from '../validation/checks.ts';
import {
  allErrors,
  each,
  immutableMessage,
  noProblems,
  nonNegative,
  numberOf,
  repetitions,
} from '../validation/checks.ts';
import { countIndexes, overlap } from './job-indexes.ts';

interface Change {
  readonly spec: JsonObject;
  readonly now: JsonObject;
  readonly was: JsonObject;
}

export function jobStatusRules(next: ApiObject, current: ApiObject): Problems {
  const [now, was] = [part(next, 'status'), part(current, 'status')];
  const change = { spec: part(next, 'spec'), now, was };
  return allErrors(
    nonNegative(now, 'status', ['active', 'succeeded', 'failed', 'ready', 'terminating']),
    uncountedRules(part(now, 'uncountedTerminatedPods')),
    conditionRules(change),
    endRules(change),
    timeRules(change),
    indexRules(change),
    changed(change, 'ready', 'active') && count(now, 'ready') > count(now, 'active')
      ? [invalid('status.ready', now['ready'], 'cannot set more ready pods than active')]
      : noProblems,
    counterRules(change),
  );
}

const holds = (status: JsonObject, type: string, value = 'True'): boolean =>
  objects(status, 'conditions').some(
    (each) => text(each, 'type') === type && text(each, 'status') === value,
  );

const finished = (status: JsonObject): boolean =>
  holds(status, 'Complete') || holds(status, 'Failed');

const count = (status: JsonObject, name: string): number => numberOf(status[name]) ?? 0;

function changed({ now, was }: Change, ...names: readonly string[]): boolean {
  return names.some((name) => !deepEqual(now[name], was[name]));
}

function turned({ now, was }: Change, ...types: readonly string[]): boolean {
  return types.some((type) => holds(now, type) !== holds(was, type));
}

function uncountedRules(pods: JsonObject): Problems {
  const isRepeated = repetitions<string>();
  return each(['succeeded', 'failed'], (name) =>
    each(texts(pods, name), (uid, at) => {
      const field = `status.uncountedTerminatedPods.${name}[${at}]`;
      if (uid === '') return [invalid(field, uid, 'must not be empty')];
      return isRepeated(uid) ? [duplicate(field, uid)] : noProblems;
    }),
  );
}

const terminal = ['Failed', 'Complete', 'FailureTarget'];

/** Which conditions exclude or require each other, and which stay. */
function conditionRules(change: Change): Problems {
  const { spec, now, was } = change;
  const is = (type: string): boolean => holds(now, type);
  const [complete, failed, met] = [is('Complete'), is('Failed'), is('SuccessCriteriaMet')];
  const wrong: readonly (readonly [boolean, string])[] = [
    [
      turned(change, 'Complete', 'Failed') && complete && failed,
      'cannot set Complete=True and Failed=true conditions',
    ],
    [
      turned(change, 'Complete', 'FailureTarget') && complete && is('FailureTarget'),
      'cannot set Complete=True and FailureTarget=true conditions',
    ],
    [
      (turned(change, 'Failed') || changed(change, 'failedIndexes')) &&
        failed &&
        !is('FailureTarget'),
      'cannot set Failed=True condition without the FailureTarget=true condition',
    ],
    [
      turned(change, 'Complete', 'SuccessCriteriaMet') && complete && !met,
      'cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
    ],
    [met && failed, 'cannot set SuccessCriteriaMet=True and Failed=true conditions'],
    [
      met && is('FailureTarget'),
      'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions',
    ],
    [
      spec['successPolicy'] !== undefined && complete && !met,
      'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True',
    ],
    ...terminal.map((type): [boolean, string] => [
      holds(was, type) && !is(type),
      `cannot disable the terminal ${type}=True condition`,
    ]),
    [
      holds(was, 'SuccessCriteriaMet') && !met,
      'cannot disable the SuccessCriteriaMet=True condition',
    ],
    [
      holds(was, 'Complete') && !holds(was, 'SuccessCriteriaMet') && met,
      'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions',
    ],
  ];
  return wrong.flatMap(([isWrong, detail]) =>
    isWrong ? [invalid('status.conditions', undefined, detail)] : [],
  );
}

/** What a job that has ended no longer has. */
function endRules(change: Change): Problems {
  const { spec, now } = change;
  if (!finished(now)) return noProblems;
  const ends = !finished(change.was);
  const none = spec['suspend'] === true && numberOf(spec['completions']) === 0;
  const uncounted = part(now, 'uncountedTerminatedPods');
  const left = ['succeeded', 'failed'].some((name) => texts(uncounted, name).length > 0);
  const running = (name: string): Problems =>
    (ends || changed(change, name)) && count(now, name) > 0
      ? [invalid(`status.${name}`, now[name], `${name}>0 is invalid for finished job`)]
      : noProblems;
  return allErrors(
    running('active'),
    (ends || changed(change, 'startTime')) && !none && now['startTime'] === undefined
      ? [required('status.startTime', 'startTime is required for finished job')]
      : noProblems,
    (ends || changed(change, 'uncountedTerminatedPods')) && left
      ? [invalid('status.uncountedTerminatedPods', uncounted, 'must be empty for finished job')]
      : noProblems,
    running('terminating'),
  );
}

function timeRules(change: Change): Problems {
  const { spec, now, was } = change;
  const [start, end] = [now['startTime'], now['completionTime']];
  const field = 'status.completionTime';
  const complete = holds(now, 'Complete');
  const looked = turned(change, 'Complete') || changed(change, 'completionTime');
  const early =
    changed(change, 'startTime', 'completionTime') &&
    typeof start === 'string' &&
    typeof end === 'string' &&
    Date.parse(end) < Date.parse(start);
  const alone = 'cannot set completionTime when there is no Complete=True condition';
  const resumes = holds(was, 'Suspended') && holds(now, 'Suspended', 'False');
  const moved = was['startTime'] !== undefined && changed(change, 'startTime');
  return allErrors(
    looked && end !== undefined && !complete ? [invalid(field, end, alone)] : noProblems,
    looked && end === undefined && complete
      ? [required(field, 'completionTime is required for Complete jobs')]
      : noProblems,
    early ? [invalid(field, end, 'must be equal to or after `startTime`')] : noProblems,
    end !== undefined && was['completionTime'] !== undefined && changed(change, 'completionTime')
      ? [invalid(field, end, immutableMessage)]
      : noProblems,
    moved && spec['suspend'] !== true && !resumes
      ? [
          invalid(
            'status.startTime',
            start ?? null,
            `${immutableMessage} for unsuspended job once set`,
          ),
        ]
      : noProblems,
  );
}

function indexRules(change: Change): Problems {
  const { spec, now } = change;
  const completions = numberOf(spec['completions']);
  const [done, failed] = [text(now, 'completedIndexes'), now['failedIndexes']];
  const perIndex = spec['backoffLimitPerIndex'] !== undefined;
  const indexed = text(spec, 'completionMode') === 'Indexed';
  const malformed = (name: string, indexes: string): Problems => {
    const problem = countIndexes(indexes, completions ?? 0).problem;
    if (completions === undefined || problem === undefined) return noProblems;
    return [invalid(`status.${name}`, indexes, `error parsing ${name}: ${problem}`)];
  };
  const doneRules = changed(change, 'completedIndexes')
    ? allErrors(
        malformed('completedIndexes', done),
        done !== '' && !indexed
          ? [invalid('status.completedIndexes', done, 'requires indexed completion mode')]
          : noProblems,
      )
    : noProblems;
  if (typeof failed !== 'string') return doneRules;
  const both = completions === undefined ? undefined : overlap(done, failed, completions);
  return allErrors(
    doneRules,
    changed(change, 'failedIndexes') && perIndex ? malformed('failedIndexes', failed) : noProblems,
    changed(change, 'failedIndexes') && !perIndex
      ? [invalid('status.failedIndexes', failed, 'requires backoffLimitPerIndex')]
      : noProblems,
    changed(change, 'failedIndexes', 'completedIndexes') && both !== undefined
      ? [invalid('status.failedIndexes', failed, both)]
      : noProblems,
  );
}

/** Pods that have ended do not come back, but for those of an indexed job that gets smaller. */
function counterRules({ spec, now, was }: Change): Problems {
  const elastic =
    text(spec, 'completionMode') === 'Indexed' && spec['completions'] === spec['parallelism'];
  return each(elastic ? ['failed'] : ['failed', 'succeeded'], (name) =>
    count(now, name) < count(was, name)
      ? [invalid(`status.${name}`, count(now, name), `cannot decrease the ${name} counter`)]
      : noProblems,
  );
}
