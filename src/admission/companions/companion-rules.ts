/**
 * The rules that the store applies to records within a transaction: charging quotas, and finding
 * the owner of an address or a port.
 *
 * The transaction itself is in src/storage/companion-plan.ts.
 *
 * Invariant: pure. A charged quota changes in nothing but its status.
 */
import { decodeObject, encodeObject } from '../../apimachinery/object-encoding.ts';
import type { RecordCodec } from '../../storage/encrypted-records.ts';
import type { ObjectRecord } from '../../storage/record.ts';
import type { CompanionRules, StoreKey } from '../../storage/storage.ts';
import { chargeCodes, chargedObject, chargeQuota } from '../quota/charge.ts';
import type { Charge, ChargedQuota } from '../quota/charge.ts';
import { ownerOf } from './allocation-records.ts';

export type CompanionCodec = Pick<RecordCodec, 'decodeRecord' | 'encodeRecord' | 'whyUnwritable'>;

interface Decoded {
  readonly key: StoreKey;
  readonly record: ObjectRecord;
  /** Whatever object it is: only a quota is ever charged. */
  readonly charged: ChargedQuota;
}

const noFigures: ChargedQuota['figures'] = new Map();

/** `codec`: how the records of quotas are written. */
export function companionRules(codec: CompanionCodec): CompanionRules {
  const { decodeRecord, encodeRecord } = codec;
  return {
    decode(stored): Decoded {
      const record = decodeRecord(stored);
      const charged = { quota: decodeObject(record.object), figures: noFigures };
      return { key: stored.key, record, charged };
    },
    amend(current, instruction) {
      const { charged, key, record } = current as Decoded;
      const amended = chargeQuota(charged, instruction as unknown as Charge);
      if (amended.kind !== 'amended') return amended;
      const message = codec.whyUnwritable?.(key);
      if (message !== undefined) return { kind: 'refused', code: chargeCodes.unwritable, message };
      return { kind: 'amended', next: { key, record, charged: amended.next } };
    },
    encode(amended, at) {
      const { charged, record } = amended as Decoded;
      const { bytes, metadataAt } = encodeObject(chargedObject(charged));
      return encodeRecord({ ...record, object: bytes, metadataAt }, at);
    },
    ownerOf: (current) => ownerOf((current as Decoded).charged.quota),
  };
}
