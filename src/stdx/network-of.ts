/** Whom an address belongs to: who has one of IPv6 has all of its /64. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [head = ''] = address.split('::');
  const groups = [...head.split(':'), '0', '0', '0', '0'];
  return groups.slice(0, 4).join(':');
}
