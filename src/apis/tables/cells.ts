/** Cells that tables of several groups have: ports and addresses, and names alone. */
import { ageColumn, nameColumn, table } from './columns.ts';

export const shownMax = 3;

/** IPv6 addresses stand in brackets before a port. */
export function hostPort(ip: string, port: number): string {
  return ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;
}

export const nameAndAge = table([nameColumn, ageColumn]);
