/**
 * AlwaysDeny: nobody writes anything, for tests of what then happens. Of AlwaysAdmit there is only
 * the name: it has nothing to say.
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
