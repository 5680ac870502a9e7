/** Addresses and ranges: how they may be written, and that others read them likewise. */
import assert from 'node:assert/strict';
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  formatIpv6,
  ipText,
  isFormattedIpv6,
  isInRange,
  parseCidr,
  parseIp,
  rangeText,
} from '../../src/apimachinery/ip-address.ts';

/** What is shown: the address, and whether everybody reads what was written alike. */
const addresses: readonly (readonly [written: string, shown?: string, standard?: boolean])[] = [
  ['10.0.0.1', '10.0.0.1', true],
  ['010.0.0.001', '10.0.0.1', false],
  ['0.0.0.00', '0.0.0.0', false],
  ['::ffff:10.0.0.1', '10.0.0.1', false],
  ['::FFFF:a00:1', '10.0.0.1', false],
  ['2001:DB8::0:1', '2001:db8::1', true],
  ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8', true],
  ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0', true],
  ['::', '::', true],
  ['64:ff9b::1.2.3.04', '64:ff9b::102:304', false],
  ['1.2.3.256'],
  ['1.2.3'],
  ['1.2.3.4.5'],
  ['1..2.3'],
  ['1.2.3.4:'],
  [''],
  [':'],
  [':::'],
  [':1::'],
  ['1::2::3'],
  ['1:2:3:4:5:6:7:8::'],
  ['1:2:3:4:5:6:7'],
  ['1.2.3.4::'],
  ['::12345'],
  ['::g'],
  ['fe80::1%eth0'],
  ['0'.repeat(60) + '1.2.3.4'],
];

const ranges: readonly (readonly [written: string, shown?: string, aligned?: boolean])[] = [
  ['10.0.0.0/8', '10.0.0.0/8', true],
  ['10.1.2.3/8', '10.0.0.0/8', false],
  ['10.1.2.3/32', '10.1.2.3/32', true],
  ['0.0.0.0/0', '0.0.0.0/0', true],
  ['::ffff:10.1.0.0/112', '10.1.0.0/16', true],
  ['2001:db8::1/32', '2001:db8::/32', false],
  ['10.0.0.0/33'],
  ['::/129'],
  ['10.0.0.0'],
  ['10.0.0.0/'],
  ['10.0.0.0/-1'],
  ['/8'],
];

describe('addresses', () => {
  for (const [written, shown, standard] of addresses) {
    it(`${JSON.stringify(written)} is ${shown ?? 'none'}`, () => {
      const parsed = parseIp(written);
      assert.equal(parsed && ipText(parsed), shown);
      assert.equal(parsed?.standard, standard);
    });
  }

  for (const [written, shown, aligned] of ranges) {
    it(`${JSON.stringify(written)} is ${shown ?? 'no range'}`, () => {
      const parsed = parseCidr(written);
      assert.equal(parsed && rangeText(parsed), shown);
      assert.equal(parsed?.aligned, aligned);
    });
  }

  it('what the runtime takes for an address is one', () => {
    const piece = fc.constantFrom('0', '1', '255', '256', 'ab', 'FFFF', ':', '::', '.', '1.2.3.4');
    const texts = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.array(piece).map((each) => each.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const family = parseIp(text)?.family;
        if (isIPv4(text)) assert.equal(family, 4);
        if (isIPv6(text)) assert.ok(family !== undefined);
        // Leading zeros and spaces apart, it takes nothing else.
        else if (family === 6) assert.match(text, /\.0\d|:0\d+\./);
      }),
      { numRuns: 5_000 },
    );
  });

  it('is in a range: as the runtime says', () => {
    const rows = fc.tuple(fc.ipV4(), fc.nat(32), fc.ipV4());
    const rowsOfSix = fc.tuple(fc.ipV6(), fc.nat(128), fc.ipV6());
    fc.assert(
      fc.property(fc.oneof(rows, rowsOfSix), fc.boolean(), ([base, prefix, other], same) => {
        const range = parseCidr(`${base}/${prefix}`);
        const address = parseIp(same ? base : other);
        assert.ok(range !== undefined && address !== undefined);
        // The runtime compares the two families with each other.
        if (range.address.family !== address.family || !range.standard) return;
        const family = address.family === 4 ? 'ipv4' : 'ipv6';
        const list = new BlockList();
        list.addSubnet(ipText(range.address), range.prefix, family);
        assert.equal(isInRange(range, address), list.check(ipText(address), family));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the canonical form of an IPv6 address', () => {
  const byte = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.nat(255));
  const bytesOf = fc.array(byte, { minLength: 16, maxLength: 16 });

  it('is known without making it, and read back as the same bytes', () => {
    fc.assert(
      fc.property(bytesOf, (bytes) => {
        const text = formatIpv6(bytes);
        assert.equal(isFormattedIpv6(bytes, text), true, text);
        const read = parseIp(text);
        if (read?.family === 6) assert.deepEqual(read.bytes, bytes, text);
      }),
      { numRuns: 3_000, seed: 6 },
    );
  });

  it('is no other text', () => {
    const change = fc.record({ at: fc.nat(40), by: fc.constantFrom('', ':', '0', 'f', 'F', '::') });
    fc.assert(
      fc.property(bytesOf, change, (bytes, { at, by }) => {
        const text = formatIpv6(bytes);
        const changed = text.slice(0, at) + by + text.slice(at + 1);
        assert.equal(isFormattedIpv6(bytes, changed), changed === text, changed);
        const longer = text.slice(0, at) + by + text.slice(at);
        assert.equal(isFormattedIpv6(bytes, longer), longer === text, longer);
      }),
      { numRuns: 3_000, seed: 6 },
    );
  });
});
