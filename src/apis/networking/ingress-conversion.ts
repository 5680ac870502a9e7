/**
 * Ingress of extensions/v1beta1 and networking/v1beta1 (spec 2, section 9.3): `backend` is
 * `defaultBackend`, and a backend names its service and port side by side.
 */
import { part } from '../../apimachinery/members.ts';
import type { JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import type { FieldMaps } from '../conversion/conversion.ts';
import { defined, eachOf, inside, renamed, without } from '../conversion/fields.ts';
import type { Step } from '../conversion/fields.ts';

export const ingressMaps: FieldMaps = {
  toHub: (ingress) =>
    inside(ingress, ['spec'], (spec) =>
      inside(
        eachPath(renamed(spec, [['backend', 'defaultBackend']]), backendToHub),
        ['defaultBackend'],
        backendToHub,
      ),
    ),
  fromHub: (ingress) =>
    inside(ingress, ['spec'], (spec) =>
      inside(
        renamed(eachPath(spec, backendFromHub), [['defaultBackend', 'backend']]),
        ['backend'],
        backendFromHub,
      ),
    ),
};

function eachPath(spec: JsonObject, backend: Step): JsonObject {
  return eachOf(spec, 'rules', (rule) =>
    inside(rule, ['http'], (http) =>
      eachOf(http, 'paths', (path) => inside(path, ['backend'], backend)),
    ),
  );
}

function backendToHub(backend: JsonObject): JsonObject {
  const { serviceName, servicePort, ...rest } = backend;
  if (serviceName === undefined && servicePort === undefined) return backend;
  const port = portToHub(servicePort);
  return { ...rest, service: defined({ name: serviceName, port }) };
}

/** Zero and '' are how the older form says that there is no port. */
function portToHub(port: JsonValue | undefined): JsonObject | undefined {
  if (typeof port === 'number') return port === 0 ? undefined : { number: port };
  return typeof port === 'string' && port !== '' ? { name: port } : undefined;
}

function backendFromHub(backend: JsonObject): JsonObject {
  const service = backend['service'];
  if (!isJsonObject(service)) return backend;
  const port = part(service, 'port');
  const servicePort = port['name'] ?? port['number'];
  return {
    ...without(backend, 'service'),
    ...defined({ serviceName: service['name'], servicePort }),
  };
}
