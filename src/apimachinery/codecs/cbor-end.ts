/**
 * Where a data item of CBOR ends (RFC 8949, section 3), for items that were written here: joined
 * ones are told apart by it.
 *
 * Invariant: no item is looked at twice, and none is made. Bound: depth is that of the item; there
 * is no call within a call.
 */

const breakByte = 0xff;
const indefinite = 31;

/** Of the item at `at`. @throws RangeError where the bytes end inside of it. */
export function endOfCbor(bytes: Uint8Array, at: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  /** Items still to come at each depth; Infinity: until a break. */
  const open = [1];
  let position = at;
  while (open.length > 0) {
    const left = open.pop() as number;
    if (left === 0) continue;
    const first = view.getUint8(position);
    if (first === breakByte) {
      position += 1;
      continue;
    }
    open.push(left - 1);
    const major = first >> 5;
    const { argument, end } = argumentAt(view, position);
    position = end;
    if (major === 2 || major === 3) {
      if (argument === Infinity) open.push(Infinity);
      else position += argument;
    } else if (major === 4) open.push(argument);
    else if (major === 5) open.push(2 * argument);
    else if (major === 6) open.push(1);
  }
  if (position > bytes.length) throw new RangeError('an item ends behind what there is');
  return position;
}

function argumentAt(view: DataView, at: number): { argument: number; end: number } {
  const short = view.getUint8(at) & 0x1f;
  if (short < 24) return { argument: short, end: at + 1 };
  switch (short) {
    case 24:
      return { argument: view.getUint8(at + 1), end: at + 2 };
    case 25:
      return { argument: view.getUint16(at + 1), end: at + 3 };
    case 26:
      return { argument: view.getUint32(at + 1), end: at + 5 };
    case 27:
      return { argument: Number(view.getBigUint64(at + 1)), end: at + 9 };
    case indefinite:
      return { argument: Infinity, end: at + 1 };
    default:
      throw new RangeError(`no item begins with ${view.getUint8(at)}`);
  }
}
