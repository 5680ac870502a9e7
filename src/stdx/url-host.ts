/** Hosts in URLs and in front of ports: an address of IPv6 stands in brackets there. */
export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

export function unbracketed(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}
