/**
 * Which services have an address or a port: found at once when its record has gone, however many
 * services there are.
 *
 * Invariant: as the service was when it was last looked at; whoever has changed it since is yet to
 * be looked at. Bounds: a name for each address and port of the services that there are.
 */
import { SplitMap } from '../stdx/split-map.ts';

export interface AddressHolders {
  /** `has`: all that the service has now; nothing, if it is gone. */
  learn(service: string, has: readonly string[]): void;
  of(what: string): readonly string[];
}

export function createAddressHolders(): AddressHolders {
  const known = new SplitMap<readonly string[]>();
  const holders = new SplitMap<readonly string[]>();
  return {
    learn(service, has) {
      for (const what of known.get(service) ?? []) {
        const others = (holders.get(what) ?? []).filter((each) => each !== service);
        if (others.length === 0) holders.delete(what);
        else holders.set(what, others);
      }
      if (has.length === 0) known.delete(service);
      else known.set(service, has);
      for (const what of has) holders.set(what, [...(holders.get(what) ?? []), service]);
    },
    of: (what) => holders.get(what) ?? [],
  };
}
