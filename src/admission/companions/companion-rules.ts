/**
 * The rules that the store applies to records within a transaction: charging quotas, and finding
 * the owner of an address or a port.
 *
 * The transaction itself is in src/storage/companion-plan.ts.
 *
 * Invariant: pure. A charged quota changes in nothing but its status.
 */
import { decodeObject, encodeObject } from '../../apimachinery/object-encoding.ts';
import type { ApiObject } from '../../apimachinery/unstructured.ts';
import { decodeRecord, encodeRecord } from '../../storage/record-codec.ts';
import type { ObjectRecord } from '../../storage/record.ts';
import type { CompanionRules } from '../../storage/storage.ts';
import { chargeQuota } from '../quota/charge.ts';
import type { Charge } from '../quota/charge.ts';
import { ownerOf } from './allocation-records.ts';

interface Decoded {
  readonly record: ObjectRecord;
  readonly object: ApiObject;
}

export const knownCompanionRules: CompanionRules = {
  decode(stored): Decoded {
    const record = decodeRecord(stored);
    return { record, object: decodeObject(record.object) };
  },
  amend(current, instruction) {
    const { object, record } = current as Decoded;
    const amended = chargeQuota(object, instruction as unknown as Charge);
    if (amended.kind !== 'amended') return amended;
    return { kind: 'amended', next: { record, object: amended.next as ApiObject } };
  },
  encode(amended, at) {
    const { object, record } = amended as Decoded;
    const { bytes, metadataAt } = encodeObject(object);
    return encodeRecord({ ...record, object: bytes, metadataAt }, at);
  },
  ownerOf: (current) => ownerOf((current as Decoded).object),
};
