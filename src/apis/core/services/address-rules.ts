/**
 * Rules of the addresses of services: their two fields, their families, and what an update may do
 * to them. Texts are those of the reference.
 *
 *     same number             none of them changes
 *     fewer than before       the first one stays, and the policy is SingleStack
 *     more than before        the first one stays
 *
 * Invariants: services that are names elsewhere are not looked at; headless ones may change their
 * families. Also asked before addresses are chosen (admission/addresses), so that a choice is only
 * made for what is sound.
 */
import { invalid, invalidTexts, notSupported } from '../../../apimachinery/field-error.ts';
import { text, texts } from '../../../apimachinery/members.ts';
import type { JsonObject } from '../../../apimachinery/unstructured.ts';
import {
  allErrors,
  checkIp,
  each,
  givenForm,
  ipFamily,
  noProblems,
  uniqueTexts,
} from '../../validation/checks.ts';
import type { Problems } from '../../validation/checks.ts';

const headless = 'None';
const field = 'spec.clusterIPs';
const familiesField = 'spec.ipFamilies';
const policyField = 'spec.ipFamilyPolicy';
const families: readonly string[] = ['IPv4', 'IPv6'];
const policies: readonly string[] = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
const addressesMax = 2;

/** What is asked for: also whether there are such families and policies, which is a rule of their
 * types later on. */
export function requestedAddressRules(spec: JsonObject): Problems {
  const policy = spec['ipFamilyPolicy'];
  return allErrors(
    each(texts(spec, 'ipFamilies'), (family, at) =>
      families.includes(family)
        ? noProblems
        : [notSupported(`${familiesField}[${at}]`, family, families)],
    ),
    typeof policy !== 'string' || policies.includes(policy)
      ? noProblems
      : [notSupported(policyField, policy, policies)],
    addressRules(spec),
  );
}

/** The older field alone says the same. */
function addressesOf(spec: JsonObject): readonly string[] {
  const [all, own] = [texts(spec, 'clusterIPs'), text(spec, 'clusterIP')];
  return all.length > 0 || own === '' ? all : [own];
}

export function addressRules(spec: JsonObject): Problems {
  if (text(spec, 'type') === 'ExternalName') return noProblems;
  const [all, wanted] = [addressesOf(spec), texts(spec, 'ipFamilies')];
  const hidden = all[0] === headless;
  const wrong = allErrors(
    hidden && all.length > 1
      ? [invalidTexts(field, all, "'None' must be the first and only value")]
      : noProblems,
    each(all, (address, at) =>
      hidden && at === 0 ? noProblems : givenForm(`${field}[${at}]`, address, checkIp),
    ),
  );
  return allErrors(
    fieldsAgree(text(spec, 'clusterIP'), all),
    uniqueTexts(familiesField, wanted),
    wrong,
    all.length > addressesMax
      ? [invalidTexts(field, all, `may only hold up to ${addressesMax} values`)]
      : noProblems,
    wrong.length > 0 || hidden ? noProblems : familyRules(all, wanted),
  );
}

function fieldsAgree(own: string, all: readonly string[]): Problems {
  if (own === '') {
    const detail = 'must be empty when `clusterIP` is not specified';
    return all.length === 0 ? noProblems : [invalidTexts(field, all, detail)];
  }
  return all[0] === own
    ? noProblems
    : [invalidTexts(field, all, 'first value must match `clusterIP`')];
}

function familyRules(all: readonly string[], wanted: readonly string[]): Problems {
  const own = all.map((address) => (ipFamily(address) === 6 ? 'IPv6' : 'IPv4'));
  const isDual = own.length === addressesMax && own[0] !== own[1];
  return allErrors(
    own.length > 1 && !isDual
      ? [invalidTexts(field, all, 'may specify no more than one IP for each IP family')]
      : noProblems,
    each(all, (address, at) => {
      const family = wanted[at];
      if (family === undefined || !families.includes(family) || family === own[at]) {
        return noProblems;
      }
      const detail = `expected an ${family} value as indicated by \`ipFamilies[${at}]\``;
      return [invalid(`${field}[${at}]`, address, detail)];
    }),
  );
}

export function addressUpdateRules(spec: JsonObject, before: JsonObject): Problems {
  if ([spec, before].some((each) => text(each, 'type') === 'ExternalName')) return noProblems;
  const [now, was] = [addressesOf(spec), addressesOf(before)];
  const [hides, hid] = [isHeadless(now), isHeadless(was)];
  const policy = text(spec, 'ipFamilyPolicy');
  return allErrors(
    hides && hid ? noProblems : addressesKept(now, was, policy),
    hides || hid ? noProblems : familiesKept(spec, texts(before, 'ipFamilies'), now, policy),
  );
}

function isHeadless(all: readonly string[]): boolean {
  return all.length === 1 && all[0] === headless;
}

const changed = 'may not change once set';

function addressesKept(now: readonly string[], was: readonly string[], policy: string): Problems {
  if (now.length === was.length) {
    return each(was, (address, at) =>
      address === now[at] ? noProblems : [invalidTexts(`${field}[${at}]`, now, changed)],
    );
  }
  const [first] = now;
  const isOther = first !== undefined && was.length > 0 && first !== was[0];
  const released = now.length < was.length && now.length === 1 && policy !== 'SingleStack';
  const detail = "must be set to 'SingleStack' when releasing the secondary clusterIP";
  return allErrors(
    first === undefined
      ? [invalidTexts(`${field}[0]`, now, 'primary clusterIP can not be unset')]
      : noProblems,
    isOther ? [invalidTexts(`${field}[0]`, now, changed)] : noProblems,
    released ? [invalid(policyField, policy, detail)] : noProblems,
  );
}

function familiesKept(
  spec: JsonObject,
  was: readonly string[],
  addresses: readonly string[],
  policy: string,
): Problems {
  const now = texts(spec, 'ipFamilies');
  const path = `${familiesField}[0]`;
  if (now.length === was.length) {
    return each(was, (family, at) =>
      family === now[at] ? noProblems : [invalidTexts(path, now, changed)],
    );
  }
  const isLess = now.length < was.length;
  const isOther = now.length > 0 && was.length > 0 && now[0] !== was[0];
  const detail = "must be set to 'SingleStack' when releasing the secondary ipFamily";
  return allErrors(
    isLess && addresses.length === 0
      ? [invalidTexts(path, now, 'primary ipFamily can not be unset')]
      : noProblems,
    isOther ? [invalidTexts(path, addresses, changed)] : noProblems,
    isLess && now.length === 1 && policy !== 'SingleStack'
      ? [invalid(policyField, policy, detail)]
      : noProblems,
  );
}
