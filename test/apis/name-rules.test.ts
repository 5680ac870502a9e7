/** Names of kinds that have a rule of their own (spec 1, section 1.7). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { builtInKinds } from '../../src/apis/kind-set.ts';
import { nameValidatorOf } from '../../src/registry/name-rules.ts';

/** Resource, a name that it takes, names that it does not take and how the reason begins. */
const rows: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
  [
    '/configmaps',
    'a.b-c',
    { A: 'a lowercase RFC 1123 subdomain', ['a'.repeat(254)]: 'must be no' },
  ],
  ['apiregistration.{domain}/apiservices', 'v1.', { 'v1.a/b': "may not contain '/'" }],
  ['/namespaces', 'a-b', { 'a.b': 'must not contain dots' }],
  ['/services', 'a-1', { '1a': 'a DNS-1035 label' }],
  ['batch/cronjobs', 'c'.repeat(52), { ['c'.repeat(53)]: 'must be no more than 52' }],
  ['certificates.{domain}/clustertrustbundles', 'a.b:c:d', { 'a.b:C': 'a lowercase RFC 1123' }],
  [
    'certificates.{domain}/clustertrustbundles',
    'a:'.repeat(412) + 'a',
    { ['a:'.repeat(413)]: 'must be no more than 825 characters' },
  ],
  [
    'internal.apiserver.{domain}/storageversions',
    'example.org.wheels',
    {
      wheels: 'name must be in the form of <group>.<resource>',
      'Example.org.wheels': 'the group segment a lowercase RFC 1123 subdomain',
      'example.org.1': 'the resource segment a DNS-1035 label',
    },
  ],
  [
    'networking.{domain}/ipaddresses',
    '2001:db8::1',
    {
      '10.0.0': 'must be a valid IP address',
      '10.0.0.01': 'must be a valid IP address in canonical form',
      '2001:DB8::1': 'must be a valid IP address in canonical form',
      '2001:db8:0::1': 'must be a valid IP address in canonical form',
      '::ffff:10.0.0.1': 'must be a valid IP address in canonical form',
    },
  ],
  ['policy/poddisruptionbudgets', 'Web_Shop', { 'a/b': "may not contain '/'" }],
  ['rbac.authorization.{domain}/roles', 'a:B_c', { 'a/b': "may not contain '/'" }],
];

describe('a name', () => {
  for (const [resource, right, wrong] of rows) {
    const check = nameValidatorOf(builtInKinds.definitionOf(resource).names ?? 'dns-subdomain');
    it(`of ${resource} may be ${right}`, () => assert.deepEqual(check(right, false), []));
    for (const [name, reason] of Object.entries(wrong)) {
      it(`of ${resource} may not be ${name}: ${reason}`, () => {
        const found = check(name, false);
        assert.ok(
          found.some((each) => each.startsWith(reason)),
          found.join(', '),
        );
      });
    }
  }
});

describe('a finalizer without a domain', () => {
  const free = builtInKinds.definitions.filter((each) => each.anyFinalizer === true);

  it('is taken where the reference takes it, and nowhere else', () => {
    const resources = free.map(({ resource }) => resource).sort();
    assert.deepEqual(resources, [
      'admissionregistration.{domain}/mutatingadmissionpolicies',
      'admissionregistration.{domain}/mutatingadmissionpolicybindings',
      'admissionregistration.{domain}/mutatingwebhookconfigurations',
      'admissionregistration.{domain}/validatingadmissionpolicies',
      'admissionregistration.{domain}/validatingadmissionpolicybindings',
      'admissionregistration.{domain}/validatingwebhookconfigurations',
      'apiextensions.{domain}/customresourcedefinitions',
      'apiregistration.{domain}/apiservices',
      'coordination.{domain}/leasecandidates',
      'coordination.{domain}/leases',
      'node.{domain}/runtimeclasses',
      'policy/poddisruptionbudgets',
    ]);
  });
});
