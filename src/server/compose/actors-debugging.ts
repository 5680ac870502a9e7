/** The view of this process's actors for operators, which endpoints/debug/actors.ts serves. */
import { inspectActors } from '../../../actors/inspection.ts';
import type { ActorRow, ActorsDebugging } from '../../endpoints/debug/actors.ts';
import type { Clock } from '../../stdx/clock.ts';
import type { CompletedConfig } from '../config/options.ts';
import type { ServerParts } from './server-parts.ts';

type Parts = Pick<ServerParts, 'actors' | 'root' | 'tokens'>;

export function actorsDebugging(
  { actorsInspected }: Pick<CompletedConfig, 'actorsInspected'>,
  parts: Parts,
  clock: Clock,
): ActorsDebugging {
  return {
    residents: (after) => rowsAfter(parts, after),
    inspect: actorsInspected
      ? (write) => inspectActors(parts.root, () => clock.nowMs(), write)
      : undefined,
  };
}

/** Objects and tokens, each in the order in which they came; so the page of one after the other. */
function* rowsAfter({ actors, tokens }: Parts, after: number): Iterable<ActorRow> {
  const rows: ActorRow[] = [];
  for (const { sequence, ...shown } of actors.residents()) {
    if (sequence > after) rows.push({ sequence, row: { kind: 'object', ...shown } });
  }
  for (const { dueMs, id, life, sequence } of tokens.residents()) {
    const due = dueMs === undefined ? undefined : new Date(dueMs).toISOString();
    if (sequence > after) rows.push({ sequence, row: { kind: 'token', id, life, due } });
  }
  yield* rows.sort((a, b) => a.sequence - b.sequence);
}
