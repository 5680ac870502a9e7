/** The language of expressions as a server of the newest release speaks it. */
import { costTables } from '../../../src/cel/cost-tables.ts';
import { createLanguage } from '../../../src/cel/language.ts';

export const testLanguage = createLanguage({ release: 33, costs: costTables.kubernetes });
