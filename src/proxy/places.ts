/**
 * How many connections are passed on at a time.
 *
 * Invariant: no caller has more than a quarter of the places, so that one alone keeps nobody out.
 */
export interface Places {
  /** Gives the place back when it is called; undefined: there is none now. */
  take(caller: string): (() => void) | undefined;
  readonly taken: number;
}

const shareOfOne = 4;

export function createPlaces(placesMax: number): Places {
  const byCaller = new Map<string, number>();
  let taken = 0;
  return {
    take(caller) {
      const own = byCaller.get(caller) ?? 0;
      if (taken >= placesMax || own >= Math.ceil(placesMax / shareOfOne)) return undefined;
      taken += 1;
      byCaller.set(caller, own + 1);
      return () => {
        taken -= 1;
        const left = (byCaller.get(caller) ?? 1) - 1;
        if (left === 0) byCaller.delete(caller);
        else byCaller.set(caller, left);
      };
    },
    get taken() {
      return taken;
    },
  };
}
