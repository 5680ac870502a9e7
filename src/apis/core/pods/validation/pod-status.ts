/**
 * Rules of the status of a pod: its class of service stays, its addresses are one of each family,
 * and a container that has ended runs again only if the pod's restart policy says so.
 *
 * What was wrong already, because an older release took it, may stay.
 */
import { forbidden, invalid } from '../../../../apimachinery/field-error.ts';
import { objects, part, text } from '../../../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../../../apimachinery/unstructured.ts';
import {
  checkDns1123Subdomain,
  checkQualifiedName,
} from '../../../../apimachinery/validation/names.ts';
import type { Problems } from '../../../validation/checks.ts';
import {
  allErrors,
  checkIp,
  each,
  form,
  givenForm,
  ipFamily,
  noProblems,
  numberOf,
  unchanged,
} from '../../../validation/checks.ts';

export function podStatusRules(next: ApiObject, current: ApiObject): Problems {
  const [status, before] = [part(next, 'status'), part(current, 'status')];
  const nominated = text(status, 'nominatedNodeName');
  const spec = part(current, 'spec');
  return allErrors(
    each(objects(status, 'conditions'), (condition, at) => {
      // The reference writes this path so.
      const field = `status.conditions[${at}].Type`;
      return givenForm(field, text(condition, 'type'), checkQualifiedName);
    }),
    nominated === text(before, 'nominatedNodeName')
      ? noProblems
      : form('status.nominatedNodeName', nominated, checkDns1123Subdomain),
    unchanged('status.qosClass', status['qosClass'], before['qosClass']),
    endedRules(status, before, spec, 'containers', 'containerStatuses'),
    endedRules(status, before, spec, 'initContainers', 'initContainerStatuses'),
    addressRules(status, before, 'podIPs'),
    hostRules(status, before),
  );
}

function endedRules(
  status: JsonObject,
  before: JsonObject,
  spec: JsonObject,
  containers: string,
  list: string,
): Problems {
  const policy = text(spec, 'restartPolicy');
  const was = objects(before, list);
  if (policy === 'Always' || was.length === 0) return noProblems;
  const sidecars = new Set(
    objects(spec, containers)
      .filter((each) => containers === 'initContainers' && text(each, 'restartPolicy') === 'Always')
      .map((each) => text(each, 'name')),
  );
  const running = new Set(
    objects(status, list)
      .filter((each) => part(each, 'state')['terminated'] === undefined)
      .map((each) => text(each, 'name')),
  );
  return each(was, (old, at) => {
    const ended = part(old, 'state')['terminated'] !== undefined;
    const name = text(old, 'name');
    const code = numberOf(part(part(old, 'state'), 'terminated')['exitCode']) ?? 0;
    const again = (code !== 0 && policy === 'OnFailure') || sidecars.has(name);
    return ended && running.has(name) && !again
      ? [
          forbidden(
            `status.${list}[${at}].state`,
            'may not be transitioned to non-terminated state',
          ),
        ]
      : noProblems;
  });
}

function addressRules(status: JsonObject, before: JsonObject, list: string): Problems {
  const addresses = objects(status, list).map((each) => text(each, 'ip'));
  const old = new Set(objects(before, list).map((each) => text(each, 'ip')));
  const wrong = each(addresses, (address, at) =>
    old.has(address) ? noProblems : givenForm(`status.${list}[${at}]`, address, checkIp),
  );
  const families = new Set(addresses.map(ipFamily));
  const one = 'may specify no more than one IP for each IP family';
  return wrong.length === 0 && addresses.length > 1 && families.size !== addresses.length
    ? [invalid(`status.${list}`, status[list], one)]
    : wrong;
}

/** The older field is the first of the newer one. */
function hostRules(status: JsonObject, before: JsonObject): Problems {
  const [first] = objects(status, 'hostIPs');
  if (first === undefined) return noProblems;
  const ip = text(first, 'ip');
  return allErrors(
    ip === text(status, 'hostIP')
      ? noProblems
      : [invalid('status.hostIPs[0].ip', ip, 'must be equal to `hostIP`')],
    addressRules(status, before, 'hostIPs'),
  );
}
