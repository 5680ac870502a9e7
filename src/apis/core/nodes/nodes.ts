/** Nodes: the machines that run pods. */
import { duplicate, forbidden, invalid } from '../../../apimachinery/field-error.ts';
import { objects, part, text, texts } from '../../../apimachinery/members.ts';
import type { TablePrinter } from '../../../apimachinery/projection/printer.ts';
import type { JsonObject } from '../../../apimachinery/unstructured.ts';
import { checkLabelValue, checkQualifiedName } from '../../../apimachinery/validation/names.ts';
import type { Column, FillName } from '../../tables/columns.ts';
import { ageColumn, column, nameColumn, table, wide } from '../../tables/columns.ts';
import { conditionOf, isTrue, objectsAt, partAt, printedAt } from '../../tables/fields.ts';
import {
  allErrors,
  checkCidr,
  each,
  form,
  formEach,
  noProblems,
  uniqueTexts,
} from '../../validation/checks.ts';
import type { Problems } from '../../validation/checks.ts';
import type { KindRules } from '../../validation/kind-rules.ts';
import { cidrWarnings } from '../../warnings/ip-addresses.ts';
import type { KindWarnings } from '../../warnings/kind-warnings.ts';
import { allWarnings, noWarnings, onWrite, warningsOfEach } from '../../warnings/kind-warnings.ts';
import { deepEqual } from '../../../stdx/deep-equal.ts';
import type { DefaultTable } from '../../../apimachinery/typed/defaulting.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { newNotProxied } from '../../connections.ts';
import type { ProxyRefusal } from '../../connections.ts';
import { proxySubresource } from '../../subresources.ts';
import { firstOfList } from '../../defaults/plural-fields.ts';
import { roundingOf } from '../../defaults/amounts.ts';

function nodeStatus(node: JsonObject): string {
  const ready = conditionOf(node, 'Ready');
  const word = ready === undefined ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady';
  return isTrue(node, 'spec', 'unschedulable') ? `${word},SchedulingDisabled` : word;
}

function nodeRoles(node: JsonObject, fill: FillName): string {
  const roles = new Set<string>();
  const rolePrefix = fill('node-role.{labelDomain}/');
  const roleLabel = fill('{labelDomain}/role');
  for (const [key, value] of Object.entries(partAt(node, 'metadata', 'labels'))) {
    if (key.startsWith(rolePrefix)) roles.add(key.slice(rolePrefix.length));
    else if (key === roleLabel) roles.add(String(value));
  }
  roles.delete('');
  return [...roles].sort().join(',') || '<none>';
}

function nodeAddress(node: JsonObject, type: string): string {
  const found = objectsAt(node, 'status', 'addresses').find((each) => each['type'] === type);
  return printedAt(found, 'address') || '<none>';
}

function nodeInfo(name: string, description: string, member: string): Column {
  return wide(
    column(
      name,
      description,
      (node) => printedAt(node, 'status', 'nodeInfo', member) || '<unknown>',
    ),
  );
}

const nodeTable = (fill: FillName): TablePrinter =>
  table([
    nameColumn,
    column('Status', 'Whether the node is ready and takes new pods.', nodeStatus),
    column('Roles', 'What the node is for, by its labels.', (node) => nodeRoles(node, fill)),
    ageColumn,
    column('Version', 'Version of the program that runs the pods.', (node) =>
      printedAt(node, 'status', 'nodeInfo', 'kubeletVersion'),
    ),
    wide(
      column('Internal-IP', 'Address in the cluster.', (node) => nodeAddress(node, 'InternalIP')),
    ),
    wide(column('External-IP', 'Address outside.', (node) => nodeAddress(node, 'ExternalIP'))),
    nodeInfo('OS-Image', 'Operating system.', 'osImage'),
    nodeInfo('Kernel-Version', 'Version of its kernel.', 'kernelVersion'),
    nodeInfo('Container-Runtime', 'What runs containers.', 'containerRuntimeVersion'),
  ]);

const ranges = 'spec.podCIDRs';

const nodeRules: KindRules = {
  validate: (object) => {
    const spec = part(object, 'spec');
    const given = texts(spec, 'podCIDRs');
    return allErrors(
      // They stand here in the reference.
      taintsRules(objects(spec, 'taints'), 'metadata.taints'),
      given.length === 0 ? noProblems : rangesRules(given),
    );
  },
  validateUpdate: (next, current) => {
    const [spec, before] = [part(next, 'spec'), part(current, 'spec')];
    const once = (name: string, what: string): Problems =>
      before[name] === undefined || before[name] === '' || deepEqual(spec[name], before[name])
        ? noProblems
        : [
            forbidden(
              `spec.${name}`,
              `node updates may not change ${what} except from "" to valid`,
            ),
          ];
    return allErrors(once('podCIDRs', 'podCIDR'), once('providerID', 'providerID'));
  },
};

function rangesRules(given: readonly string[]): Problems {
  const families = new Set(given.map((range) => range.includes(':')));
  return allErrors(
    formEach(ranges, given, checkCidr),
    families.size < given.length
      ? [invalid(ranges, given, 'may specify no more than one CIDR for each IP family')]
      : noProblems,
    uniqueTexts(ranges, given),
  );
}

function taintsRules(taints: readonly JsonObject[], field: string): Problems {
  const seen = new Set<string>();
  return each(taints, (taint, at) => {
    const path = `${field}[${at}]`;
    const id = `${text(taint, 'key')}:${text(taint, 'effect')}`;
    const repeated = seen.has(id);
    seen.add(id);
    const detail = 'taints must be unique by key and effect pair';
    return allErrors(
      form(`${path}.key`, text(taint, 'key'), checkQualifiedName),
      form(`${path}.value`, text(taint, 'value'), checkLabelValue),
      repeated ? [{ ...duplicate(path, taint), detail }] : noProblems,
    );
  });
}

const nodeWarnings: KindWarnings = onWrite((node) => {
  const spec = part(node, 'spec');
  return allWarnings(
    spec['configSource'] === undefined ? noWarnings : ['spec.configSource: the feature is removed'],
    text(spec, 'externalID') === ''
      ? noWarnings
      : ['spec.externalID: this field is deprecated, and is unused by Kubernetes'],
    warningsOfEach(texts(spec, 'podCIDRs'), (range, at) =>
      cidrWarnings(`spec.podCIDRs[${at}]`, range),
    ),
  );
});

const nodeDefaults: DefaultTable = {
  fields: { 'core/v1.NodeStatus': { allocatable: ({ capacity }) => capacity } },
  complete: {
    'core/v1.NodeSpec': firstOfList('podCIDR', 'podCIDRs'),
    'core/v1.NodeStatus': roundingOf('capacity', 'allocatable'),
  },
};

const nodeProxyRefusal: ProxyRefusal = (_deps, { name }) =>
  newNotProxied(`the proxy to node ${name}`, 'its kubelet');

export const nodes: KindDefinition = {
  resource: '/nodes',
  selectableFields: 'spec.unschedulable!false',
  defaults: nodeDefaults,
  validation: nodeRules,
  warnings: nodeWarnings,
  // A node registers itself with its status.
  strategy: () => ({ prepareForCreate: (node) => node }),
  table: ({ fill }) => nodeTable(fill),
  subresources: { proxy: proxySubresource('NodeProxyOptions', nodeProxyRefusal) },
};
