/**
 * Which keys the records of a resource have, as an EncryptionConfiguration says.
 *
 * Invariants: the closest entry counts: the one that names the resource itself, else `*.` and its
 * group, else `*.*`; what none names is plain (no entry stands behind one that hides it). The
 * server's own book-keeping is always plain: addresses, ports and marks, which hold nothing that
 * clients sent.
 * Bound: what was found is kept by resource, of which a store has at most `knownMax` here.
 */
import { plain } from '../storage/encrypted-records.ts';
import type { RecordEncryption, RecordKey } from '../storage/encrypted-records.ts';

export type Provider = RecordKey | typeof plain;

export interface ResourceEntry {
  /** `secrets`, `deployments.apps`, `*.apps`, `*.` or `*.*`. */
  readonly resources: readonly string[];
  /** Never empty. */
  readonly providers: readonly Provider[];
}

const knownMax = 20_000;
const plainAlone: readonly Provider[] = [plain];

export interface ResourceKeys extends RecordEncryption {
  /** From now on these. */
  use(entries: readonly ResourceEntry[]): void;
}

/** `ownGroup`: of the server's book-keeping. */
export function createResourceKeys(ownGroup: string): ResourceKeys {
  let byName: ReadonlyMap<string, readonly Provider[]> = new Map();
  const known = new Map<string, readonly Provider[]>();
  const find = (group: string, resource: string): readonly Provider[] => {
    if (group === ownGroup) return plainAlone;
    return (
      byName.get(group === '' ? resource : `${resource}.${group}`) ??
      byName.get(`*.${group}`) ??
      byName.get('*.*') ??
      plainAlone
    );
  };
  return {
    keysOf(key) {
      const groupEnd = key.indexOf('/');
      const id = key.slice(0, key.indexOf('/', groupEnd + 1));
      const before = known.get(id);
      if (before !== undefined) return before;
      if (known.size >= knownMax) known.clear();
      const found = find(id.slice(0, groupEnd), id.slice(groupEnd + 1));
      known.set(id, found);
      return found;
    },
    use(entries) {
      known.clear();
      byName = new Map(
        entries.flatMap(({ providers, resources }) => resources.map((name) => [name, providers])),
      );
    },
  };
}
