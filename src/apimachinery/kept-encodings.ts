/**
 * A cache of encoded objects by form and revision, bounded by size.
 *
 *     young ◀── what was made or asked for lately         a full young one becomes the old one,
 *     old   ◀── what was, before that                     and the old one goes as a whole
 *
 * Who asks has the entry, and what is kept is for its very revision and the form that it was read
 * in: after a change it is made anew and takes the place of what there was.
 *
 * Invariants: what is given out is what `make` would give, and is never changed. Bound: `bytesMax`,
 * with what keeping an object costs; objects that have gone leave with their generation. Small ones
 * lie in blocks, which is why dropping half of them costs nothing.
 */
import type { Steps } from '../stdx/stepwise.ts';

const blockBytes = 64 * 1024;
/** The encoding of a larger object is worth a turn of the event loop. */
const atOnceBytesMax = 64 * 1024;
/** Above it an object is kept in memory of its own. */
const inBlockBytesMax = 8 * 1024;
/** Of the maps and the view of one kept object. */
const keptCostBytes = 192;
/** An object may take this part of a generation; a larger one is not kept. */
const largestPart = 8;

/** Structurally an entry of streams/. */
export interface EncodableState {
  readonly namespace: string;
  readonly name: string;
  /** 0: of no store, never kept. */
  readonly revision: bigint;
  readonly bytes: Uint8Array;
  /** Of a kind that users define: under which form of its definition it was read. */
  readonly shape?: string | undefined;
}

export type StateEncoder = (state: EncodableState) => Uint8Array;

interface Kept {
  readonly revision: bigint;
  readonly shape: string | undefined;
  readonly bytes: Uint8Array;
}

function isOf(kept: Kept | undefined, { revision, shape }: EncodableState): kept is Kept {
  return kept !== undefined && kept.revision === revision && kept.shape === shape;
}

type Names = Map<string, Kept>;

class Generation {
  readonly #forms = new Map<string, Map<string, Names>>();
  #block: Uint8Array = new Uint8Array(0);
  #used = 0;
  bytes = 0;

  names(form: string, namespace: string): Names | undefined {
    return this.#forms.get(form)?.get(namespace);
  }

  ownNames(form: string, namespace: string): Names {
    let namespaces = this.#forms.get(form);
    if (namespaces === undefined) this.#forms.set(form, (namespaces = new Map()));
    let names = namespaces.get(namespace);
    if (names === undefined) namespaces.set(namespace, (names = new Map()));
    return names;
  }

  /** The same bytes in memory of this generation. */
  copy(bytes: Uint8Array): Uint8Array {
    this.bytes += bytes.length + keptCostBytes;
    if (bytes.length > inBlockBytesMax) {
      const own = Buffer.allocUnsafeSlow(bytes.length);
      own.set(bytes);
      return own;
    }
    if (this.#used + bytes.length > this.#block.length) {
      this.bytes += this.#block.length - this.#used;
      this.#block = Buffer.allocUnsafeSlow(blockBytes);
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += bytes.length;
    this.#block.set(bytes, start);
    return this.#block.subarray(start, this.#used);
  }
}

export class KeptEncodings {
  readonly #generationBytesMax: number;
  /** Of one object; below 0: none is kept, because there is no room for blocks. */
  readonly #largestBytes: number;
  #young = new Generation();
  #old = new Generation();
  #madeCount = 0;

  /** Of all forms together; less than 256 KiB keeps nothing. Policy: what was not asked for lately
   * goes. */
  constructor(bytesMax: number) {
    this.#generationBytesMax = bytesMax / 2;
    const holdsBlocks = this.#generationBytesMax >= 2 * blockBytes;
    this.#largestBytes = holdsBlocks ? this.#generationBytesMax / largestPart : -1;
  }

  get bytes(): number {
    return this.#young.bytes + this.#old.bytes;
  }

  /** How often an encoding was made: asked for and not there. */
  get madeCount(): number {
    return this.#madeCount;
  }

  /** Equal `form`s, equal bytes of equal states: it names what `make` does, and of which kind. */
  encoder(form: string, make: (bytes: Uint8Array) => Uint8Array): StateEncoder {
    // Lists go through one namespace after the other.
    let generation: Generation | undefined;
    let namespace: string | undefined;
    let names: Names | undefined;
    return (state) => {
      const { name, revision, shape } = state;
      if (revision === 0n) return make(state.bytes);
      if (names === undefined || generation !== this.#young || namespace !== state.namespace) {
        generation = this.#young;
        namespace = state.namespace;
        names = generation.names(form, namespace);
      }
      const young = names?.get(name);
      if (isOf(young, state)) return young.bytes;
      const old = this.#old.names(form, namespace)?.get(name);
      const isKnown = isOf(old, state);
      const bytes = isKnown ? old.bytes : make(state.bytes);
      if (!isKnown) this.#madeCount += 1;
      if (bytes.length > this.#largestBytes) return bytes;
      this.#makeRoom(bytes.length);
      const kept = this.#young.copy(bytes);
      generation = this.#young;
      names = generation.ownNames(form, namespace);
      names.set(name, { revision, shape, bytes: kept });
      return kept;
    };
  }

  /**
   * What it takes to have the bytes of a large state, in parts: afterwards `encoder` of the same
   * form finds them, unless there is no room for them. Undefined: there is nothing to do.
   */
  preparer(
    form: string,
    makeSteps: (state: EncodableState) => Steps<Uint8Array>,
  ): (state: EncodableState) => Steps<void> | undefined {
    return (state) => {
      if (state.bytes.length <= atOnceBytesMax || state.revision === 0n) return undefined;
      return this.holds(form, state) ? undefined : this.#prepare(form, state, makeSteps);
    };
  }

  /** Whether `encoder` of this form has the bytes of the state without making them. */
  holds(form: string, state: EncodableState): boolean {
    const { name, namespace } = state;
    return [this.#young, this.#old].some((each) =>
      isOf(each.names(form, namespace)?.get(name), state),
    );
  }

  *#prepare(
    form: string,
    state: EncodableState,
    makeSteps: (state: EncodableState) => Steps<Uint8Array>,
  ): Steps<void> {
    const bytes = yield* makeSteps(state);
    // Others may have made it meanwhile.
    if (bytes.length > this.#largestBytes || this.holds(form, state)) return;
    const { name, namespace, revision, shape } = state;
    this.#madeCount += 1;
    this.#makeRoom(bytes.length);
    const kept = this.#young.copy(bytes);
    this.#young.ownNames(form, namespace).set(name, { revision, shape, bytes: kept });
  }

  #makeRoom(bytes: number): void {
    if (this.#young.bytes + bytes + blockBytes <= this.#generationBytesMax) return;
    if (this.#young.bytes === 0) return;
    this.#old = this.#young;
    this.#young = new Generation();
  }
}
