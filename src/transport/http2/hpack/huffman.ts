/**
 * Texts by the Huffman code of header compression (RFC 7541, 5.2 and appendix B).
 *
 * The code is canonical: codes of a length follow each other in the order of their symbols, and
 * shorter ones come first. So their lengths say all of it, and the tree is made of these when the
 * module is loaded. A table of it then takes a byte at a time: no code is shorter than five bits,
 * so a byte ends two of them at most.
 *
 * Invariants: a text that ends within a code is one only if the rest of that code is ones, and
 * fewer than eight; the symbol that ends a text is an error within one (RFC 7541, 5.2).
 * Bound: two tables for the whole process, 256 KiB and 256 bytes.
 */

/** Of the codes of the bytes, and of the symbol that ends a text. */
const codeLengths: readonly number[] = [
  ...[13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28],
  ...[28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28],
  ...[6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6],
  ...[5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10],
  ...[13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7],
  ...[7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6],
  ...[15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5],
  ...[6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28],
  ...[20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23],
  ...[24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24],
  ...[22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23],
  ...[21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23],
  ...[26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25],
  ...[19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27],
  ...[20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23],
  ...[26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26],
  30,
];

const endOfText = 256;
const codeLengthMin = 5;
const paddingBitsMax = 7;

/** Two for each node of the tree: where a 0 leads and where a 1 does. A leaf is the complement of
 * its symbol. The root is node 0, where nothing leads. */
const children = new Int16Array(2 * endOfText);

/** For each node and byte: 8 bits of the node it leads to, 8 bits for each symbol that ends in it,
 * and above those how many do; -1 for the symbol that ends a text. */
const steps = new Int32Array(endOfText * 256);

/** Nodes where a text may end. */
const mayEnd = new Uint8Array(endOfText);

plant();
for (let node = 0; node < endOfText; node += 1) {
  for (let byte = 0; byte < 256; byte += 1) steps[node * 256 + byte] = stepOf(node, byte);
}
for (let node = 0, bits = 0; bits <= paddingBitsMax; bits += 1) {
  mayEnd[node] = 1;
  node = children[2 * node + 1] as number;
}

function plant(): void {
  const symbols = codeLengths.map((_, symbol) => symbol);
  // Stable: those of one length stay in their order.
  symbols.sort((a, b) => (codeLengths[a] as number) - (codeLengths[b] as number));
  let nodes = 1;
  let code = 0;
  let length = codeLengthMin;
  for (const symbol of symbols) {
    code <<= (codeLengths[symbol] as number) - length;
    length = codeLengths[symbol] as number;
    let node = 0;
    for (let bit = length - 1; bit > 0; bit -= 1) {
      const branch = 2 * node + ((code >> bit) & 1);
      if (children[branch] === 0) {
        children[branch] = nodes;
        nodes += 1;
      }
      node = children[branch] as number;
    }
    children[2 * node + (code & 1)] = ~symbol;
    code += 1;
  }
}

function stepOf(from: number, byte: number): number {
  let node = from;
  let ended = 0;
  let symbols = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    node = children[2 * node + ((byte >> bit) & 1)] as number;
    if (node >= 0) continue;
    if (~node === endOfText) return -1;
    symbols |= ~node << (8 * ended);
    ended += 1;
    node = 0;
  }
  return (ended << 24) | (symbols << 8) | node;
}

/** What a text of so many bytes may be when it is decoded; one byte more is written than that. */
export function decodedBytesMax(bytes: number): number {
  return Math.floor((bytes * 8) / codeLengthMin) + 1;
}

/** Writes to the start of `into`, which holds `decodedBytesMax`. Returns how many bytes the text
 * has; -1: it is none. */
export function decodeHuffman(
  bytes: Uint8Array,
  from: number,
  to: number,
  into: Uint8Array,
): number {
  let node = 0;
  let length = 0;
  for (let at = from; at < to; at += 1) {
    const step = steps[(node << 8) | (bytes[at] as number)] as number;
    if (step < 0) return -1;
    node = step & 0xff;
    // Both, whether they are there or not: that takes less than to ask.
    into[length] = step >> 8;
    into[length + 1] = step >> 16;
    length += step >> 24;
  }
  return mayEnd[node] === 1 ? length : -1;
}
