/** Cells that tables of several groups have: ports and addresses, and names alone. */
import { ageColumn, nameColumn, table } from './columns.ts';
import { bracketed } from '../../stdx/url-host.ts';

export const shownMax = 3;

/** IPv6 addresses stand in brackets before a port. */
export function hostPort(ip: string, port: number): string {
  return `${bracketed(ip)}:${port}`;
}

export const nameAndAge = table([nameColumn, ageColumn]);
