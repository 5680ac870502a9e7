/** The address of a peer as text: the library has it as four or sixteen bytes. */

/** Empty for what is no address. */
export function textOfAddress(address: ArrayBuffer): string {
  const bytes = new Uint8Array(address);
  if (bytes.length === 4) return `${bytes[0]}.${bytes[1]}.${bytes[2]}.${bytes[3]}`;
  if (bytes.length !== 16) return '';
  const isMapped = bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff;
  if (isMapped) return `${bytes[12]}.${bytes[13]}.${bytes[14]}.${bytes[15]}`;
  const groups: string[] = [];
  for (let i = 0; i < 16; i += 2) {
    groups.push((((bytes[i] as number) << 8) | (bytes[i + 1] as number)).toString(16));
  }
  return shortestIpv6(groups);
}

/** RFC 5952: the longest run of two or more zero groups becomes '::'. */
function shortestIpv6(groups: readonly string[]): string {
  let best = { at: -1, length: 1 };
  for (let at = 0; at < groups.length; at += 1) {
    let length = 0;
    while (groups[at + length] === '0') length += 1;
    if (length > best.length) best = { at, length };
  }
  if (best.at < 0) return groups.join(':');
  const tail = groups.slice(best.at + best.length).join(':');
  return `${groups.slice(0, best.at).join(':')}::${tail}`;
}
