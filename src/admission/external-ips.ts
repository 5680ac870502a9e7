/**
 * DenyServiceExternalIPs: a service may not add external addresses. It may keep and remove those
 * that it has.
 */
import { part, texts } from '../apimachinery/members.ts';
import type { AdmissionPlugin } from './admission.ts';

export const denyExternalIps: AdmissionPlugin = {
  name: 'DenyServiceExternalIPs',
  resources: ['/services'],
  concerns: (_user, { operations }) => !operations.includes('DELETE'),
  validate({ current, next }) {
    const had = new Set(texts(part(current, 'spec'), 'externalIPs'));
    const isNew = texts(part(next, 'spec'), 'externalIPs').some((address) => !had.has(address));
    return isNew ? 'Use of external IPs is denied by admission control' : undefined;
  },
};
