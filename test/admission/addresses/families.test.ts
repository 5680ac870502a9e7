/** Families of services' addresses as rows: what is chosen, and what is refused in which words. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withFamilies } from '../../../src/admission/addresses/families.ts';
import type { Family } from '../../../src/admission/addresses/families.ts';
import { formatFieldError } from '../../../src/apimachinery/field-error.ts';
import type { JsonObject } from '../../../src/apimachinery/unstructured.ts';
import { requestedAddressRules } from '../../../src/apis/core/services/address-rules.ts';

const dual: readonly Family[] = ['IPv4', 'IPv6'];
const single: readonly Family[] = ['IPv4'];
const policy = 'spec.ipFamilyPolicy: Invalid value: ';
const both = { ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv4', 'IPv6'] };
const asked = {
  ipFamilies: ['IPv4', 'IPv6'],
  clusterIP: '10.0.0.1',
  clusterIPs: ['10.0.0.1', 'fd00::1'],
};
const addressed = { ...both, ...asked };
const noPolicy =
  'spec.ipFamilyPolicy: Unsupported value: "": supported values: "PreferDualStack", ' +
  '"RequireDualStack", "SingleStack"';
const two = `must be 'RequireDualStack' or 'PreferDualStack' when multiple`;

interface Row {
  readonly title: string;
  readonly cluster?: readonly Family[];
  readonly spec: JsonObject;
  readonly before?: JsonObject;
  /** Policy and families, or what is wrong. */
  readonly chosen?: string;
  readonly wrong?: readonly string[];
}

const rows: readonly Row[] = [
  { title: 'one of the cluster, where nothing is said', spec: {}, chosen: 'SingleStack IPv4' },
  {
    title: 'that of the address',
    spec: { clusterIP: 'fd00::1', clusterIPs: ['fd00::1'] },
    chosen: 'SingleStack IPv6',
  },
  {
    title: 'both, where the policy asks for them',
    spec: { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6'] },
    chosen: 'RequireDualStack IPv6,IPv4',
  },
  {
    title: 'both for a headless service without a selector, also where the cluster has one',
    cluster: single,
    spec: { clusterIP: 'None', clusterIPs: ['None'] },
    chosen: 'RequireDualStack IPv4,IPv6',
  },
  {
    title: 'not twice the same',
    spec: { ipFamilies: ['IPv4', 'IPv4'] },
    wrong: ['spec.ipFamilies[1]: Duplicate value: "IPv4"'],
  },
  {
    title: 'not one that there is not',
    spec: { ipFamilies: ['IPv5'] },
    wrong: ['spec.ipFamilies[0]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6"'],
  },
  {
    title: 'no policy that there is not, also not an empty one',
    spec: { ipFamilyPolicy: '' },
    wrong: [noPolicy],
  },
  {
    title: 'no empty policy where there was one',
    spec: { ...addressed, ipFamilyPolicy: '' },
    before: addressed,
    wrong: [noPolicy],
  },
  {
    title: 'not one that the cluster does not have',
    cluster: single,
    spec: { ipFamilies: ['IPv6'] },
    wrong: ['spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster'],
  },
  {
    title: 'nor that of an address',
    cluster: single,
    spec: { clusterIP: 'fd00::1', clusterIPs: ['fd00::1'] },
    wrong: [
      'spec.clusterIPs[0]: Invalid value: []string{"fd00::1"}: ' +
        'IPv6 is not configured on this cluster',
    ],
  },
  {
    title: 'not two in a cluster of one',
    cluster: single,
    spec: { ipFamilyPolicy: 'RequireDualStack' },
    wrong: [`${policy}"RequireDualStack": this cluster is not configured for dual-stack services`],
  },
  {
    title: 'not two addresses and families without a policy',
    spec: asked,
    wrong: [
      `${policy}"SingleStack": ${two} cluster IPs are specified`,
      `${policy}"SingleStack": ${two} IP families are specified`,
    ],
  },
  {
    title: 'nor where the fields of addresses disagree',
    spec: { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.2'] },
    wrong: [
      'spec.clusterIPs: Invalid value: []string{"10.0.0.2"}: first value must match `clusterIP`',
    ],
  },
  {
    title: 'one less, where the policy becomes that of one',
    spec: { ...addressed, ipFamilyPolicy: 'SingleStack' },
    before: addressed,
    chosen: 'SingleStack IPv4',
  },
  {
    title: 'not one less with another policy',
    spec: { ...addressed, clusterIPs: ['10.0.0.1'], ipFamilies: ['IPv4'] },
    before: addressed,
    wrong: [
      `${policy}"PreferDualStack": must be 'SingleStack' to release the secondary cluster IP`,
      `${policy}"PreferDualStack": must be 'SingleStack' to release the secondary IP family`,
    ],
  },
  {
    title: 'no other where the cluster has got another one',
    spec: { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'], ...both, ipFamilies: ['IPv4'] },
    before: { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'], ...both, ipFamilies: ['IPv4'] },
    chosen: 'PreferDualStack IPv4',
  },
];

describe('families of a service', () => {
  for (const { before, chosen, cluster = dual, spec, title, wrong } of rows) {
    it(title, () => {
      const ports = { cluster, problems: requestedAddressRules };
      const found = withFamilies(spec, before, ports);
      if (Array.isArray(found)) {
        assert.deepEqual(found.map(formatFieldError), wrong);
        return;
      }
      const { ipFamilies, ipFamilyPolicy } = found as JsonObject;
      assert.equal(`${String(ipFamilyPolicy)} ${String(ipFamilies)}`, chosen);
    });
  }
});
