/**
 * How this server runs declared rules beside hand-written ones: by its feature gates, with counts
 * for the metrics page and lines in the log (spec 1, section 9, rule 7).
 *
 * Elsewhere: the comparison itself (src/apis/validation/migrated-rules.ts).
 *
 * Bound: one line of the log for each of the first `loggedMax` reports, then one in `loggedEvery`:
 * a rule that is wrong is wrong in every request. A write that is decided again counts again.
 */
import type { Migration } from '../../apis/validation/migrated-rules.ts';
import type { Log } from './log.ts';

const loggedMax = 100;
const loggedEvery = 1000;

export interface ValidationStats {
  readonly mismatchesTotal: number;
  readonly panicsTotal: number;
}

export interface ServerMigration {
  readonly migration: Migration;
  stats(): ValidationStats;
}

export function createMigration(gates: ReadonlyMap<string, boolean>, log: Log): ServerMigration {
  let mismatchesTotal = 0;
  let panicsTotal = 0;
  const isLogged = (count: number): boolean => count <= loggedMax || count % loggedEvery === 0;
  return {
    migration: {
      compare: gates.get('DeclarativeValidation') ?? false,
      takeover: gates.get('DeclarativeValidationTakeover') ?? false,
      report: {
        mismatch(resource, { onlyDeclared, onlyHandwritten }) {
          mismatchesTotal += 1;
          if (!isLogged(mismatchesTotal)) return;
          const fields = { resource, onlyDeclared, onlyHandwritten };
          log.warn(fields, 'declared and hand-written validation differ');
        },
        panic(resource, error) {
          panicsTotal += 1;
          if (!isLogged(panicsTotal)) return;
          log.error({ resource, error: String(error) }, 'declared validation failed');
        },
      },
    },
    stats: () => ({ mismatchesTotal, panicsTotal }),
  };
}
