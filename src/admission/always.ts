/**
 * AlwaysDeny refuses every write, for tests. AlwaysAdmit is only a name: it does nothing.
 */
import type { AdmissionPlugin } from './admission.ts';

const why = 'admission control is denying all modifications';

export const alwaysDeny: AdmissionPlugin = {
  name: 'AlwaysDeny',
  concerns: () => true,
  admits: ['CREATE', 'UPDATE', 'CONNECT'],
  admit: () => why,
  admitDeletion: () => why,
  validate: () => why,
};
