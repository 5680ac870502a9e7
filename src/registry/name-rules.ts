/**
 * Which validator checks metadata.name of a kind: the catalogue's word turned into a function
 * (spec 1, section 1.7).
 *
 * Elsewhere: the validators (apimachinery/validation/names.ts).
 */
import { ipText, parseIp } from '../apimachinery/ip-address.ts';
import type { NameRule } from '../apimachinery/scheme.ts';
import type { NameValidator } from '../apimachinery/validation/names.ts';
import {
  checkDns1035Label,
  checkDns1123Subdomain,
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  pathSegmentName,
} from '../apimachinery/validation/names.ts';

/** Kinds whose children append to the name leave them eleven characters. */
const shortSubdomainLengthMax = 52;
/** Longest name of the kinds that have no rule but "one segment of a path". */
const pathSegmentLengthMax = 253;
/** Longest name of a trust bundle: the longest name of a signer, and one of its own. */
const trustBundleLengthMax = 825;

const validators: Readonly<Record<NameRule, NameValidator>> = {
  'dns-subdomain': dns1123Subdomain,
  'dns-label': dns1123Label,
  'dns-1035-label': dns1035Label,
  'path-segment': (name, prefix) => [
    ...pathSegmentName(name, prefix),
    ...(name.length > pathSegmentLengthMax
      ? [`must be no more than ${pathSegmentLengthMax} characters`]
      : []),
  ],
  'ip-address': (name) => {
    const address = parseIp(name);
    return address !== undefined && ipText(address) === name
      ? []
      : ['must be a valid IP address in canonical form'];
  },
  'trust-bundle': (name) =>
    name.length > trustBundleLengthMax
      ? [`must be no more than ${trustBundleLengthMax} characters`]
      : name.split(':').flatMap((part) => checkDns1123Subdomain(part)),
  'group-resource': (name) => {
    const dot = name.lastIndexOf('.');
    if (dot === -1) return ['name must be in the form of <group>.<resource>'];
    return [
      ...checkDns1123Subdomain(name.slice(0, dot)).map((problem) => `the group segment ${problem}`),
      ...checkDns1035Label(name.slice(dot + 1)).map((problem) => `the resource segment ${problem}`),
    ];
  },
  'dns-subdomain-52': (name, prefix) => [
    ...dns1123Subdomain(name, prefix),
    ...(name.length > shortSubdomainLengthMax
      ? [`must be no more than ${shortSubdomainLengthMax} characters`]
      : []),
  ],
};

export function nameValidatorOf(rule: NameRule): NameValidator {
  return validators[rule];
}
