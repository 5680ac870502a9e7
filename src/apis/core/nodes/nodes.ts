/** Nodes: the machines that run pods. */
import { duplicate, forbidden, invalid, required } from '../../../apimachinery/field-error.ts';
import { objects, part, text, texts } from '../../../apimachinery/members.ts';
import type { Identity } from '../../../apimachinery/identity.ts';
import type { TablePrinter } from '../../../apimachinery/projection/printer.ts';
import type { ApiObject, JsonObject } from '../../../apimachinery/unstructured.ts';
import type { KindStrategy } from '../../../registry/strategy.ts';
import { checkLabelValue, checkQualifiedName } from '../../../apimachinery/validation/names.ts';
import type { Column, FillName } from '../../tables/columns.ts';
import { ageColumn, column, nameColumn, table, wide } from '../../tables/columns.ts';
import { conditionOf, isTrue, objectsAt, partAt, printedAt } from '../../tables/fields.ts';
import {
  allErrors,
  among,
  checkCidr,
  each,
  form,
  formEach,
  givenForm,
  noProblems,
  nonNegativeAmount,
  repetitions,
  wholeAmount,
} from '../../validation/checks.ts';
import type { Problems } from '../../validation/checks.ts';
import { isCounted } from '../../validation/counted-resources.ts';
import type { KindRules } from '../../validation/kind-rules.ts';
import { cidrWarnings } from '../../warnings/ip-addresses.ts';
import type { KindWarnings } from '../../warnings/kind-warnings.ts';
import { allWarnings, noWarnings, onWrite, warningsOfEach } from '../../warnings/kind-warnings.ts';
import { canonicalText } from '../../../stdx/canonical-text.ts';
import { deepEqual } from '../../../stdx/deep-equal.ts';
import type { DefaultTable } from '../../../apimachinery/typed/defaulting.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import type { FindDestination } from '../../connections.ts';
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

const nodeRules = ({ labelDomain }: Identity): KindRules => ({
  validate: (object) => {
    const spec = part(object, 'spec');
    const given = texts(spec, 'podCIDRs');
    return allErrors(
      // They stand here in the reference.
      taintsRules(objects(spec, 'taints'), 'metadata.taints'),
      given.length === 0 ? noProblems : rangesRules(given),
      amountsRules(object, labelDomain),
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
    return allErrors(
      once('podCIDRs', 'podCIDR'),
      once('providerID', 'providerID'),
      text(spec, 'externalID') === text(before, 'externalID')
        ? noProblems
        : [forbidden('spec.externalID', 'may not be updated')],
    );
  },
  validateStatusUpdate: (next) => allErrors(amountsRules(next, labelDomain), addressesRules(next)),
});

/** What a node has, which it says itself. */
function amountsRules(node: JsonObject, labelDomain: string): Problems {
  return each(['capacity', 'allocatable'], (list) => {
    const amounts = part(part(node, 'status'), list);
    return each(Object.keys(amounts), (name) => {
      const field = `status.${list}.${name}`;
      return allErrors(
        nonNegativeAmount(field, amounts[name]),
        isCounted(name, labelDomain) ? wholeAmount(field, amounts[name]) : noProblems,
      );
    });
  });
}

function addressesRules(node: JsonObject): Problems {
  const addresses = objects(part(node, 'status'), 'addresses');
  const isRepeated = repetitions<string>();
  return each(addresses, (address, at) =>
    isRepeated(canonicalText(address))
      ? [duplicate(`status.addresses[${at}]`, address)]
      : noProblems,
  );
}

function rangesRules(given: readonly string[]): Problems {
  const families = new Set(given.map((range) => range.includes(':')));
  return allErrors(
    formEach(ranges, given, checkCidr),
    families.size < given.length
      ? [invalid(ranges, given, 'may specify no more than one CIDR for each IP family')]
      : noProblems,
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
      givenForm(`${path}.key`, text(taint, 'key'), checkQualifiedName),
      form(`${path}.value`, text(taint, 'value'), checkLabelValue),
      effectRules(text(taint, 'effect'), `${path}.effect`),
      repeated ? [{ ...duplicate(path, taint), detail }] : noProblems,
    );
  });
}

const effects: readonly string[] = ['NoExecute', 'NoSchedule', 'PreferNoSchedule'];

function effectRules(effect: string, field: string): Problems {
  return effect === '' ? [required(field)] : among(field, effect, effects);
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

const nodeProxy: FindDestination = (_deps, _target, node, { port, scheme }) => ({
  kind: 'node',
  node,
  scheme,
  port,
});

/** What was in neither part before is not taken any more: kubelets read their own files. */
function withoutNewConfig(node: ApiObject, current: ApiObject | undefined): ApiObject {
  const removed = [['spec', 'configSource'] as const, ['status', 'config'] as const];
  let result = node;
  for (const [name, member] of removed) {
    const { [member]: given, ...rest } = part(node, name);
    const had = current !== undefined && part(current, name)[member] !== undefined;
    if (given !== undefined && !had) result = { ...result, [name]: rest };
  }
  return result;
}

/** A node registers itself with its status. */
function nodeStrategy(generic: KindStrategy): Partial<KindStrategy> {
  return {
    prepareForCreate: (node) => withoutNewConfig(node, undefined),
    prepareForUpdate: (next, current, nowMs) =>
      withoutNewConfig(generic.prepareForUpdate(next, current, nowMs), current),
    prepareForStatusUpdate: withoutNewConfig,
  };
}

export const nodes: KindDefinition = {
  resource: '/nodes',
  selectableFields: 'spec.unschedulable!false',
  defaults: nodeDefaults,
  validation: nodeRules,
  // Those of taints are reported where the reference reports them.
  schemaExemptions: {
    optional: 'core.Taint.key core.Taint.effect',
    openValues: 'core.Taint.effect',
  },
  warnings: nodeWarnings,
  strategy: nodeStrategy,
  table: ({ fill }) => nodeTable(fill),
  subresources: { proxy: proxySubresource('NodeProxyOptions', nodeProxy) },
};
