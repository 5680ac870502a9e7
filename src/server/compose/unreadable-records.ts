/**
 * What is stored, bounds what others write, and cannot be read by anybody: nobody knows what it
 * would have refused, so whoever asks here refuses.
 *
 * Invariants: one of which an earlier state is known is not lost. Each is logged once for
 * as long as it is so. Bound: so many of a resource are logged as unreadableIn() names.
 */
import { unreadable } from '../../admission/readiness.ts';
import type { Readiness } from '../../admission/readiness.ts';
import { quote } from '../../apimachinery/quote.ts';
import type { GroupResource } from '../../apimachinery/schema.ts';
import type { Scheme } from '../../apimachinery/scheme.ts';
import { unreadableIn } from '../../../streams/streams.ts';
import type { Streams, UnreadableEntry } from '../../../streams/streams.ts';
import type { Log } from './log.ts';

export interface LostRecordsDeps {
  readonly streams: Pick<Streams, 'unreadableEntries'>;
  readonly scheme: Pick<Scheme, 'findStorage'>;
  readonly log: Log;
}

/** The name of the first one, of all or of a namespace (`''`: what has none); undefined: all that
 * is stored there can be read. */
export type UnreadableRecord = (namespace?: string) => string | undefined;

/** `refused`: what is, as the log says it. A release that does not serve the kind has none. */
export function firstUnreadableRecord(
  { log, scheme, streams }: LostRecordsDeps,
  resource: GroupResource,
  refused: string,
): UnreadableRecord {
  if (scheme.findStorage(resource) === undefined) return () => undefined;
  let logged: ReadonlySet<string> = new Set();
  return (namespace) => {
    const lost = streams.unreadableEntries(resource);
    if (lost.size === 0) {
      if (logged.size > 0) logged = new Set();
      return undefined;
    }
    const now = unreadableIn({ unreadable: lost }, undefined);
    for (const { key, why: reason } of now) {
      if (logged.has(key)) continue;
      const context = { resource: resource.resource, key, reason };
      log.error(context, `a configuration of admission cannot be read: ${refused} are refused`);
    }
    logged = new Set(now.map(({ key }) => key));
    const first: IteratorResult<UnreadableEntry, unknown> = lost.in(namespace).next();
    return first.done === true ? undefined : first.value.key.split('/')[1];
  };
}

/** The same for those who bound what is written in their namespace: one for each resource. */
export function lostBounds(deps: LostRecordsDeps): (resource: GroupResource) => UnreadableRecord {
  const made = new Map<string, UnreadableRecord>();
  return (resource) => {
    const id = `${resource.group}/${resource.resource}`;
    const lost = made.get(id) ?? firstUnreadableRecord(deps, resource, 'writes in its namespace');
    made.set(id, lost);
    return lost;
  };
}

/** As who reads configurations says it. */
export function boundsReadiness(
  lost: (resource: GroupResource) => UnreadableRecord,
  resource: GroupResource,
): Pick<Readiness, 'refusal'> {
  const find = lost(resource);
  return {
    refusal() {
      const name = find();
      return name && unreadable(`${resource.resource} ${quote(name)}`);
    },
  };
}
