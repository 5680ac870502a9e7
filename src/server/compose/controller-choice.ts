/**
 * Which controllers run: `--controllers=*,tokencleaner,-serviceaccount` (spec 2, section 3.1).
 *
 *     *        those that are on by default      NAME   this one       -NAME   not this one
 *
 * What deletion and access rules rest on runs without being asked for: `-NAME` alone leaves it out,
 * for a controller manager that does the same. Every controller has a long name and a short one;
 * both are understood.
 */
import { fail } from '../config/option-values.ts';

interface ControllerName {
  readonly name: string;
  readonly short: string;
  /** unasked: also where the list names others, without `*`. */
  readonly onByDefault: boolean | 'unasked';
}

const controllerNames = [
  { name: 'namespace-controller', short: 'namespace', onByDefault: 'unasked' },
  { name: 'garbage-collector-controller', short: 'garbagecollector', onByDefault: 'unasked' },
  {
    name: 'clusterrole-aggregation-controller',
    short: 'clusterrole-aggregation',
    onByDefault: 'unasked',
  },
  { name: 'serviceaccount-controller', short: 'serviceaccount', onByDefault: true },
  { name: 'serviceaccount-token-controller', short: 'serviceaccount-token', onByDefault: true },
  {
    name: 'root-ca-certificate-publisher-controller',
    short: 'root-ca-cert-publisher',
    onByDefault: true,
  },
  {
    name: 'certificatesigningrequest-approving-controller',
    short: 'csrapproving',
    onByDefault: true,
  },
  {
    name: 'certificatesigningrequest-signing-controller',
    short: 'csrsigning',
    onByDefault: true,
  },
  {
    name: 'certificatesigningrequest-cleaner-controller',
    short: 'csrcleaner',
    onByDefault: true,
  },
  { name: 'resourcequota-controller', short: 'resourcequota', onByDefault: true },
  { name: 'service-addresses-controller', short: 'serviceaddresses', onByDefault: true },
  { name: 'system-namespaces-controller', short: 'systemnamespaces', onByDefault: true },
  {
    name: 'legacy-token-tracking-controller',
    short: 'legacytokentracking',
    onByDefault: true,
  },
  { name: 'system-priority-classes', short: 'systempriorityclasses', onByDefault: true },
  { name: 'priority-and-fairness-config', short: 'flowcontrol', onByDefault: true },
  {
    name: 'cluster-authentication-trust-controller',
    short: 'clusterauthenticationtrust',
    onByDefault: true,
  },
  { name: 'kubernetes-service-controller', short: 'kubernetesservice', onByDefault: true },
  { name: 'kubernetes-service-cidr-controller', short: 'servicecidr', onByDefault: true },
  {
    name: 'apiservice-status-remote-available-controller',
    short: 'apiserviceavailability',
    onByDefault: true,
  },
  {
    name: 'validatingadmissionpolicy-status-controller',
    short: 'validatingadmissionpolicystatus',
    onByDefault: true,
  },
  { name: 'token-cleaner-controller', short: 'tokencleaner', onByDefault: false },
  { name: 'bootstrap-signer-controller', short: 'bootstrapsigner', onByDefault: false },
] as const satisfies readonly ControllerName[];

type KnownController = (typeof controllerNames)[number];
export type ControllerShortName = KnownController['short'];

/** The short names of what is to run. @throws OptionsError. */
export function chosenControllers(text: string): ReadonlySet<ControllerShortName> {
  const asked = text.split(',').map((part) => part.trim());
  const items = asked.filter((part) => part !== '');
  const chosen = new Set<ControllerShortName>();
  const add = (wanted: (known: KnownController) => boolean): void => {
    for (const known of controllerNames) if (wanted(known)) chosen.add(known.short);
  };
  add(({ onByDefault }) => onByDefault === 'unasked');
  for (const item of items) {
    if (item === '*') add(({ onByDefault }) => onByDefault !== false);
    else if (!item.startsWith('-')) chosen.add(named(item));
  }
  // What is taken away is taken away wherever it stands in the list.
  for (const item of items) if (item.startsWith('-')) chosen.delete(named(item.slice(1)));
  return chosen;
}

function named(item: string): ControllerShortName {
  const found = controllerNames.find(({ name, short }) => name === item || short === item);
  const all = controllerNames.map(({ short }) => short).join(', ');
  return found?.short ?? fail('controllers', item, `*, or with or without a minus one of ${all}`);
}
