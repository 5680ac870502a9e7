/** The columns of pods in Tables. */
import type { CellValue } from '../../../apimachinery/projection/printer.ts';
import { ageSince } from '../../../apimachinery/projection/printer.ts';
import type { JsonObject } from '../../../apimachinery/unstructured.ts';
import {
  ageColumn,
  column,
  containerColumns,
  formatLabels,
  nameColumn,
  table,
  wide,
} from '../../tables/columns.ts';
import { timeOf } from '../../tables/duration.ts';
import {
  conditionOf,
  countAt,
  hasCondition,
  isTrue,
  objectsAt,
  partAt,
  printedAt,
  valueAt,
} from '../../tables/fields.ts';
import { lookup } from '../../../stdx/lookup.ts';

export const podTable = table(
  [
    nameColumn,
    column('Ready', 'Containers that are ready, of all that shall run.', (pod) => {
      const { ready, total } = podState(pod);
      return `${ready}/${total}`;
    }),
    column('Status', 'How far the pod is.', (pod) => podState(pod).word),
    column('Restarts', 'Restarts of its containers, and when the last was.', (pod) =>
      restartsCell(podState(pod)),
    ),
    ageColumn,
    wide(
      column(
        'IP',
        'Address of the pod.',
        (pod) =>
          printedAt(objectsAt(pod, 'status', 'podIPs')[0], 'ip') ||
          printedAt(pod, 'status', 'podIP') ||
          '<none>',
      ),
    ),
    wide(
      column(
        'Node',
        'Node on which the pod runs.',
        (pod) => printedAt(pod, 'spec', 'nodeName') || '<none>',
      ),
    ),
    wide(
      column(
        'Nominated Node',
        'Node on which room is being made for the pod.',
        (pod) => printedAt(pod, 'status', 'nominatedNodeName') || '<none>',
      ),
    ),
    wide(
      column(
        'Readiness Gates',
        'Conditions beyond its containers that hold, of all.',
        readinessGates,
      ),
    ),
  ],
  (pod) => {
    const phase = printedAt(pod, 'status', 'phase');
    const message = finished[phase];
    if (message === undefined) return [];
    return [{ type: 'Completed', status: 'True', reason: phase, message }];
  },
);

export const podTemplateTable = table([
  nameColumn,
  ...containerColumns('template', 'spec'),
  column('Pod Labels', 'Labels of the pods that are made by it.', (object) =>
    formatLabels(valueAt(object, 'template', 'metadata', 'labels')),
  ),
]);

interface PodState {
  readonly ready: number;
  readonly total: number;
  readonly word: string;
  readonly restarts: number;
  /** Milliseconds of the last restart. */
  readonly restartedAt: number | undefined;
}

/** Restarts of some containers, and when the last of them was. */
interface Restarts {
  readonly count: number;
  readonly at: number | undefined;
}

const noRestarts: Restarts = { count: 0, at: undefined };

function withRestarts(so: Restarts, status: JsonObject): Restarts {
  const at = timeOf(valueAt(status, 'lastState', 'terminated', 'finishedAt'));
  const later = at !== undefined && (so.at === undefined || at > so.at);
  return { count: so.count + countAt(status, 'restartCount'), at: later ? at : so.at };
}

function podState(pod: JsonObject): PodState {
  const sidecars = new Set(
    objectsAt(pod, 'spec', 'initContainers')
      .filter((container) => container['restartPolicy'] === 'Always')
      .map((container) => printedAt(container, 'name')),
  );
  const init = initState(pod, sidecars);
  const gated = conditionOf(pod, 'PodScheduled')?.['reason'] === 'SchedulingGated';
  const phase = printedAt(pod, 'status', 'phase');
  const stated = gated ? 'SchedulingGated' : printedAt(pod, 'status', 'reason') || phase;
  const begun = init.word ?? stated;
  const main =
    init.word === undefined || hasCondition(pod, 'Initialized')
      ? mainState(pod, begun, init)
      : { word: begun, ready: init.ready, restarts: init.all };
  return {
    ready: main.ready,
    total: objectsAt(pod, 'spec', 'containers').length + sidecars.size,
    word: deletionWord(pod, phase) ?? main.word,
    restarts: main.restarts.count,
    restartedAt: main.restarts.at,
  };
}

function deletionWord(pod: JsonObject, phase: string): string | undefined {
  if (valueAt(pod, 'metadata', 'deletionTimestamp') === undefined) return undefined;
  if (printedAt(pod, 'status', 'reason') === 'NodeLost') return 'Unknown';
  return phase === 'Failed' || phase === 'Succeeded' ? undefined : 'Terminating';
}

interface InitState {
  /** Undefined: initialization is over. */
  readonly word: string | undefined;
  readonly ready: number;
  readonly all: Restarts;
  readonly sidecars: Restarts;
}

/** Init containers run one after the other: the first that is not done tells the state. */
function initState(pod: JsonObject, sidecarNames: ReadonlySet<string>): InitState {
  const total = objectsAt(pod, 'spec', 'initContainers').length;
  let state: InitState = { word: undefined, ready: 0, all: noRestarts, sidecars: noRestarts };
  for (const [at, status] of objectsAt(pod, 'status', 'initContainerStatuses').entries()) {
    const isSidecar = sidecarNames.has(printedAt(status, 'name'));
    const all = withRestarts(state.all, status);
    const sidecars = isSidecar ? withRestarts(state.sidecars, status) : state.sidecars;
    state = { ...state, all, sidecars };
    const terminated = valueAt(status, 'state', 'terminated');
    if (terminated !== undefined && countAt(terminated, 'exitCode') === 0) continue;
    if (isSidecar && isTrue(status, 'started')) {
      if (isTrue(status, 'ready')) state = { ...state, ready: state.ready + 1 };
      continue;
    }
    const waiting = printedAt(status, 'state', 'waiting', 'reason');
    const isHeld = waiting !== '' && waiting !== 'PodInitializing';
    const progress = isHeld ? waiting : `${at}/${total}`;
    const word = terminated === undefined ? progress : endWord(partAt(terminated));
    return { ...state, word: `Init:${word}` };
  }
  return state;
}

function mainState(
  pod: JsonObject,
  begun: string,
  init: InitState,
): { readonly word: string; readonly ready: number; readonly restarts: Restarts } {
  let word = begun;
  let { ready } = init;
  let restarts = init.sidecars;
  let running = false;
  for (const status of [...objectsAt(pod, 'status', 'containerStatuses')].reverse()) {
    restarts = withRestarts(restarts, status);
    const waiting = printedAt(status, 'state', 'waiting', 'reason');
    const terminated = valueAt(status, 'state', 'terminated');
    if (waiting !== '') word = waiting;
    else if (terminated !== undefined) word = endWord(partAt(terminated));
    else if (isTrue(status, 'ready') && valueAt(status, 'state', 'running') !== undefined) {
      running = true;
      ready += 1;
    }
  }
  // One container is done, others go on.
  if (word === 'Completed' && running) word = hasCondition(pod, 'Ready') ? 'Running' : 'NotReady';
  return { word, ready, restarts };
}

function endWord(terminated: JsonObject): string {
  const reason = printedAt(terminated, 'reason');
  if (reason !== '') return reason;
  const signal = countAt(terminated, 'signal');
  return signal === 0 ? `ExitCode:${countAt(terminated, 'exitCode')}` : `Signal:${signal}`;
}

function restartsCell({ restarts, restartedAt }: PodState): CellValue {
  if (restarts === 0 || restartedAt === undefined) return String(restarts);
  return ageSince(restartedAt, `${restarts} (`, ' ago)');
}

function readinessGates(pod: JsonObject): string {
  const gates = objectsAt(pod, 'spec', 'readinessGates').map((gate) =>
    printedAt(gate, 'conditionType'),
  );
  if (gates.length === 0) return '<none>';
  return `${gates.filter((type) => hasCondition(pod, type)).length}/${gates.length}`;
}

const finished: Readonly<Record<string, string>> = lookup({
  Succeeded: 'All containers of the pod have ended well.',
  Failed: 'At least one container of the pod has ended badly.',
});
