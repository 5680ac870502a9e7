/** ServiceCIDRs and IPAddresses: the address ranges of services, and the allocated addresses. */
import { invalid, required } from '../../apimachinery/field-error.ts';
import { part, text, texts } from '../../apimachinery/members.ts';
import {
  checkDns1123Subdomain,
  checkPathSegmentName,
} from '../../apimachinery/validation/names.ts';
import { ageColumn, column, nameColumn, table } from '../tables/columns.ts';
import { partAt, printedAt, textsAt, valueAt } from '../tables/fields.ts';
import {
  allErrors,
  checkCanonicalCidr,
  each,
  form,
  formEach,
  immutableMessage,
  ipFamily,
  noProblems,
  unchanged,
} from '../validation/checks.ts';
import type { Problems } from '../validation/checks.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import type { KindDefinition } from '../kind-definition.ts';

const serviceCidrTable = table([
  nameColumn,
  column('CIDRs', 'Ranges of addresses.', (object) => textsAt(object, 'spec', 'cidrs').join(',')),
  ageColumn,
]);

const ipAddressTable = table([
  nameColumn,
  column('ParentRef', 'What the address belongs to.', (object) => {
    if (valueAt(object, 'spec', 'parentRef') === undefined) return '<none>';
    const parent = partAt(object, 'spec', 'parentRef');
    const group = printedAt(parent, 'group');
    const resource =
      `${printedAt(parent, 'resource')}${group === '' ? '' : `.${group}`}`.toLowerCase();
    const namespace = printedAt(parent, 'namespace');
    return [resource, ...(namespace === '' ? [] : [namespace]), printedAt(parent, 'name')].join(
      '/',
    );
  }),
]);

const ipAddressRules: KindRules = {
  validate: (object) => {
    const parent = part(part(object, 'spec'), 'parentRef');
    const path = 'spec.parentRef';
    return allErrors(
      form(`${path}.group`, text(parent, 'group'), checkDns1123Subdomain),
      each(['resource', 'name', 'namespace'], (name) =>
        form(`${path}.${name}`, text(parent, name), checkPathSegmentName),
      ),
    );
  },
  validateUpdate: (next, current) =>
    unchanged(
      'spec.parentRef',
      part(next, 'spec')['parentRef'],
      part(current, 'spec')['parentRef'],
    ),
};

const field = 'spec.cidrs';

const serviceCidrRules: KindRules = {
  // Ranges that are there stay as they were written, whatever forms were taken then.
  validateCreate: (object) => rangesRules(texts(part(object, 'spec'), 'cidrs')),
  validateUpdate: (next, current) => {
    const [now, was] = [part(next, 'spec'), part(current, 'spec')].map((s) => texts(s, 'cidrs'));
    if (now === undefined || was === undefined) return noProblems;
    // A second family may join the first one.
    const joined = was.length === 1 && now.length === 2;
    if (now.length !== was.length && !joined) return [invalid(field, now, immutableMessage)];
    return allErrors(
      each(was, (range, at) =>
        range === now[at]
          ? noProblems
          : [invalid(`${field}[${at}]`, now[at] ?? null, immutableMessage)],
      ),
      joined ? rangesRules(now) : noProblems,
    );
  },
};

function rangesRules(ranges: readonly string[]): Problems {
  if (ranges.length === 0) return [required(field, 'at least one CIDR required')];
  if (ranges.length > 2) return [invalid(field, ranges, 'may only hold up to 2 values')];
  const families = ranges.map((range) => ipFamily(range.split('/')[0] ?? ''));
  const detail =
    'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
  const wrong = formEach(field, ranges, checkCanonicalCidr);
  if (wrong.length > 0) return wrong;
  return families.length === 2 && families[0] === families[1]
    ? [invalid(field, ranges, detail)]
    : noProblems;
}

export const serviceCidrs: KindDefinition = {
  resource: 'networking.{domain}/servicecidrs',
  validation: serviceCidrRules,
  table: serviceCidrTable,
};

export const ipAddresses: KindDefinition = {
  resource: 'networking.{domain}/ipaddresses',
  names: 'ip-address',
  validation: ipAddressRules,
  table: ipAddressTable,
};
