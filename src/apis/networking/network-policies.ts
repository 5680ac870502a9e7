/** NetworkPolicies: who may talk to which pods. */
import { forbidden, invalid, required } from '../../apimachinery/field-error.ts';
import { isInRange, parseCidr } from '../../apimachinery/ip-address.ts';
import type { IpRange } from '../../apimachinery/ip-address.ts';
import { items, objects, part, text, texts } from '../../apimachinery/members.ts';
import type { JsonObject } from '../../apimachinery/unstructured.ts';
import { ageColumn, column, formatSelector, nameColumn, table } from '../tables/columns.ts';
import { valueAt } from '../tables/fields.ts';
import type { Problems } from '../validation/checks.ts';
import {
  checkCidr,
  each,
  form,
  givenAmong,
  noProblems,
  numberOf,
  portNumber,
  portNumberOrName,
} from '../validation/checks.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import { labelSelectorRules } from '../validation/labels.ts';
import { cidrWarnings } from '../warnings/ip-addresses.ts';
import type { KindWarnings } from '../warnings/kind-warnings.ts';
import { allWarnings, onWrite, warningsOfEach } from '../warnings/kind-warnings.ts';
import type { DefaultTable } from '../../apimachinery/typed/defaulting.ts';
import type { KindDefinition } from '../kind-definition.ts';

export const networkPolicyTable = table([
  nameColumn,
  column('Pod-Selector', 'Labels of the pods that it is for.', (object) =>
    formatSelector(valueAt(object, 'spec', 'podSelector')),
  ),
  ageColumn,
]);

const networkPolicyDefaults: DefaultTable = {
  fields: {
    'networking/v1.NetworkPolicyPort': { protocol: 'TCP' },
    'networking/v1.NetworkPolicySpec': {
      policyTypes: ({ egress }) =>
        Array.isArray(egress) && egress.length > 0 ? ['Ingress', 'Egress'] : ['Ingress'],
    },
  },
};

const networkPolicyRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const types = texts(spec, 'policyTypes');
    return [
      ...labelSelectorRules(part(spec, 'podSelector'), 'spec.podSelector'),
      ...directionRules(objects(spec, 'ingress'), 'spec.ingress', 'from'),
      ...directionRules(objects(spec, 'egress'), 'spec.egress', 'to'),
      ...(types.length > 2
        ? [invalid('spec.policyTypes', types, 'may not specify more than two policyTypes')]
        : []),
    ];
  },
};

function directionRules(
  rules: readonly JsonObject[],
  path: string,
  peers: 'from' | 'to',
): Problems {
  return rules.flatMap((rule, at) => [
    ...objects(rule, 'ports').flatMap((port, i) =>
      policyPortRules(port, `${path}[${at}].ports[${i}]`),
    ),
    ...objects(rule, peers).flatMap((peer, i) => peerRules(peer, `${path}[${at}].${peers}[${i}]`)),
  ]);
}

function policyPortRules(port: JsonObject, path: string): Problems {
  const [first, last] = [port['port'], numberOf(port['endPort'])];
  if (last === undefined) return portNumberOrName(`${path}.port`, first);
  if (first === undefined) {
    return [invalid(`${path}.endPort`, last, 'may not be specified when `port` is not specified')];
  }
  if (typeof first === 'string') {
    return [
      invalid(`${path}.endPort`, last, 'may not be specified when `port` is non-numeric'),
      ...portNumberOrName(`${path}.port`, first),
    ];
  }
  const below = last < (numberOf(first) ?? 0);
  return [
    ...portNumber(`${path}.port`, first),
    ...(below ? [invalid(`${path}.endPort`, last, 'must be greater than or equal to `port`')] : []),
    ...portNumber(`${path}.endPort`, last),
  ];
}

function peerRules(peer: JsonObject, path: string): Problems {
  const selectors = givenAmong(peer, ['podSelector', 'namespaceSelector']);
  const block = peer['ipBlock'] !== undefined;
  if (selectors.length === 0 && !block) return [required(path, 'must specify a peer')];
  return [
    ...(selectors.length > 0 && block
      ? [forbidden(path, 'may not specify both ipBlock and another peer')]
      : []),
    ...selectors.flatMap((name) => labelSelectorRules(part(peer, name), `${path}.${name}`)),
    ...(block ? blockRules(part(peer, 'ipBlock'), `${path}.ipBlock`) : []),
  ];
}

function blockRules(block: JsonObject, path: string): Problems {
  const cidr = text(block, 'cidr');
  const problems = form(`${path}.cidr`, cidr, checkCidr);
  const range = parseCidr(cidr);
  if (problems.length > 0 || range === undefined) return problems;
  return each(items(block, 'except'), (inner, at) => {
    if (typeof inner !== 'string') return noProblems;
    const field = `${path}.except[${at}]`;
    const within = parseCidr(inner);
    if (within === undefined && inner !== '') return form(field, inner, checkCidr);
    return within !== undefined && isStrictlyInside(within, range)
      ? noProblems
      : [invalid(field, inner, 'must be a strict subset of `cidr`')];
  });
}

function isStrictlyInside(within: IpRange, around: IpRange): boolean {
  return isInRange(around, within.address) && within.prefix > around.prefix;
}

const networkPolicyWarnings: KindWarnings = onWrite((policy) => {
  const spec = part(policy, 'spec');
  const sides = [
    ['ingress', 'from'],
    ['egress', 'to'],
  ] as const;
  return warningsOfEach(sides, ([side, peers]) =>
    warningsOfEach(objects(spec, side), (rule, at) =>
      warningsOfEach(objects(rule, peers), (peer, which) => {
        const path = `spec.${side}[${at}].${peers}[${which}].ipBlock`;
        const block = part(peer, 'ipBlock');
        return allWarnings(
          cidrWarnings(`${path}.cidr`, text(block, 'cidr')),
          warningsOfEach(texts(block, 'except'), (range, here) =>
            cidrWarnings(`${path}.except[${here}]`, range),
          ),
        );
      }),
    ),
  );
});

export const networkPolicies: KindDefinition = {
  resource: 'networking.{domain}/networkpolicies',
  tracksGeneration: true,
  defaults: networkPolicyDefaults,
  validation: networkPolicyRules,
  warnings: networkPolicyWarnings,
  table: networkPolicyTable,
};
