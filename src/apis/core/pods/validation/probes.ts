/** Rules of probes and lifecycle hooks. */
import { forbidden, invalid, required } from '../../../../apimachinery/field-error.ts';
import { objects, part, text } from '../../../../apimachinery/members.ts';
import type { JsonObject } from '../../../../apimachinery/unstructured.ts';
import type { Problems } from '../../../validation/checks.ts';
import {
  allErrors,
  each,
  form,
  givenAmong,
  needed,
  noProblems,
  nonNegative,
  numberOf,
  portNumber,
  portNumberOrName,
} from '../../../validation/checks.ts';

/** What the checks of texts say of nearly all of them. */
const valid: readonly string[] = [];

const probeNames = ['livenessProbe', 'readinessProbe', 'startupProbe'];

const probeHandlers = ['exec', 'httpGet', 'tcpSocket', 'grpc'];

const hookNames = ['postStart', 'preStop'];

const hookHandlers = ['exec', 'httpGet', 'tcpSocket', 'sleep'];

const probeNumbers = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
];

export function probesOf(container: JsonObject, path: string): Problems {
  return each(givenAmong(container, probeNames), (name) => {
    const here = `${path}.${name}`;
    const probe = part(container, name);
    const successes = numberOf(probe['successThreshold']) ?? 1;
    const grace = numberOf(probe['terminationGracePeriodSeconds']) ?? 1;
    return allErrors(
      handlerRules(probe, here, probeHandlers),
      nonNegative(probe, here, probeNumbers),
      grace <= 0
        ? [invalid(`${here}.terminationGracePeriodSeconds`, grace, 'must be greater than 0')]
        : noProblems,
      name === 'readinessProbe' && probe['terminationGracePeriodSeconds'] !== undefined
        ? [
            invalid(
              `${here}.terminationGracePeriodSeconds`,
              grace,
              'must not be set for readinessProbes',
            ),
          ]
        : noProblems,
      name !== 'readinessProbe' && successes !== 1
        ? [invalid(`${here}.successThreshold`, successes, 'must be 1')]
        : noProblems,
    );
  });
}

/** `graceSeconds`: how long the pod may take to end. */
export function lifecycleRules(
  lifecycle: JsonObject,
  path: string,
  graceSeconds: number | undefined,
): Problems {
  return each(givenAmong(lifecycle, hookNames), (name) => {
    const hook = part(lifecycle, name);
    return allErrors(
      handlerRules(hook, `${path}.${name}`, hookHandlers),
      hook['sleep'] === undefined
        ? noProblems
        : sleepRules(part(hook, 'sleep'), `${path}.${name}.sleep`, graceSeconds),
    );
  });
}

function handlerRules(holder: JsonObject, path: string, handlers: readonly string[]): Problems {
  const given = givenAmong(holder, handlers);
  if (given.length === 0) return [required(path, 'must specify a handler type')];
  return each(given, (name, at) =>
    at > 0
      ? [forbidden(`${path}.${name}`, 'may not specify more than 1 handler type')]
      : handlerOf(name, part(holder, name), `${path}.${name}`),
  );
}

const headerName = /^[-A-Za-z0-9]+$/;

const headerMessage =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', " +
  "regex used for validation is '[-A-Za-z0-9]+')";

function handlerOf(name: string, handler: JsonObject, path: string): Problems {
  switch (name) {
    case 'exec':
      return needed(handler, path, 'command');
    case 'httpGet':
      return allErrors(
        portNumberOrName(`${path}.port`, handler['port']),
        each(objects(handler, 'httpHeaders'), (header) =>
          form(`${path}.httpHeaders`, text(header, 'name'), (value) =>
            headerName.test(value) ? valid : [headerMessage],
          ),
        ),
      );
    case 'tcpSocket':
      return portNumberOrName(`${path}.port`, handler['port']);
    case 'grpc':
      return portNumber(`${path}.port`, handler['port']);
    default:
      return [];
  }
}

/** A pause that outlasts its pod would be cut off. */
function sleepRules(sleep: JsonObject, field: string, graceSeconds: number | undefined): Problems {
  const seconds = numberOf(sleep['seconds']) ?? 0;
  if (graceSeconds === undefined || (seconds >= 0 && seconds <= graceSeconds)) return noProblems;
  const detail =
    'must be non-negative and less than terminationGracePeriodSeconds ' + `(${graceSeconds})`;
  return [invalid(field, seconds, detail)];
}
