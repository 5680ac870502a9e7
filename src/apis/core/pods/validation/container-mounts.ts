/** Rules of volume mounts and volume devices of containers, and of their paths. */
import { forbidden, invalid, notFound } from '../../../../apimachinery/field-error.ts';
import { objects, part, text } from '../../../../apimachinery/members.ts';
import type { JsonObject } from '../../../../apimachinery/unstructured.ts';
import type { Problems } from '../../../validation/checks.ts';
import { allErrors, each, noProblems } from '../../../validation/checks.ts';

/** The volumes of a pod by their names: each under the name of its source. */
export type VolumeSources = ReadonlyMap<string, string>;

export function mountRules(container: JsonObject, path: string, volumes: VolumeSources): Problems {
  const devices = objects(container, 'volumeDevices');
  const mounts = objects(container, 'volumeMounts');
  if (devices.length === 0 && mounts.length === 0) return noProblems;
  const paths = new Set<string>();
  const ofDevices = {
    names: new Set(devices.map((device) => text(device, 'name'))),
    paths: new Set(devices.map((device) => text(device, 'devicePath'))),
  };
  return allErrors(
    each(mounts, (mount, at) => {
      const mountPath = text(mount, 'mountPath');
      const repeated = mountPath !== '' && paths.has(mountPath);
      paths.add(mountPath);
      const here = `${path}.volumeMounts[${at}]`;
      return allErrors(
        oneMountRules(mount, here, volumes, repeated),
        devices.length === 0 ? noProblems : notADevice(mount, here, ofDevices),
        sharingRules(mount, here, container),
      );
    }),
    devices.length === 0
      ? noProblems
      : devicesRules(devices, `${path}.volumeDevices`, mounts, volumes),
  );
}

function oneMountRules(
  mount: JsonObject,
  path: string,
  volumes: VolumeSources,
  repeated: boolean,
): Problems {
  const name = text(mount, 'name');
  const [subPath, expression] = [text(mount, 'subPath'), text(mount, 'subPathExpr')];
  const source = volumes.get(name);
  return allErrors(
    name !== '' && source === undefined ? [notFound(`${path}.name`, name)] : noProblems,
    repeated
      ? [invalid(`${path}.mountPath`, text(mount, 'mountPath'), 'must be unique')]
      : noProblems,
    descendingPath(`${path}.subPath`, subPath),
    expression !== '' && subPath !== ''
      ? [
          invalid(
            `${path}.subPathExpr`,
            expression,
            'subPathExpr and subPath are mutually exclusive',
          ),
        ]
      : noProblems,
    descendingPath(`${path}.subPathExpr`, expression),
  );
}

interface DeviceKeys {
  readonly names: ReadonlySet<string>;
  readonly paths: ReadonlySet<string>;
}

function notADevice(mount: JsonObject, path: string, devices: DeviceKeys): Problems {
  const [name, mountPath] = [text(mount, 'name'), text(mount, 'mountPath')];
  return allErrors(
    devices.names.has(name)
      ? [invalid(`${path}.name`, name, 'must not already exist in volumeDevices')]
      : noProblems,
    devices.paths.has(mountPath)
      ? [
          invalid(
            `${path}.mountPath`,
            mountPath,
            'must not already exist as a path in volumeDevices',
          ),
        ]
      : noProblems,
  );
}

/** What other containers, and the host, see of a mount. */
function sharingRules(mount: JsonObject, path: string, container: JsonObject): Problems {
  const propagation = text(mount, 'mountPropagation');
  const recursive = text(mount, 'recursiveReadOnly');
  if (propagation === '' && recursive === '') return noProblems;
  const privileged = part(container, 'securityContext')['privileged'] === true;
  const deep = recursive === 'Enabled' || recursive === 'IfPossible';
  const alone = 'may only be specified when mountPropagation is None or not specified';
  return allErrors(
    propagation === 'Bidirectional' && !privileged
      ? [
          forbidden(
            `${path}.mountPropagation`,
            'Bidirectional mount propagation is available only to privileged containers',
          ),
        ]
      : noProblems,
    deep && mount['readOnly'] !== true
      ? [forbidden(`${path}.recursiveReadOnly`, 'may only be specified when readOnly is true')]
      : noProblems,
    deep && propagation !== '' && propagation !== 'None'
      ? [forbidden(`${path}.recursiveReadOnly`, alone)]
      : noProblems,
  );
}

/** Only claims can be block devices. */
const ofClaims: ReadonlySet<string> = new Set(['persistentVolumeClaim', 'ephemeral']);

const onlyClaims =
  'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';

function devicesRules(
  devices: readonly JsonObject[],
  path: string,
  mounts: readonly JsonObject[],
  volumes: VolumeSources,
): Problems {
  const mounted = new Set(mounts.map((mount) => text(mount, 'name')));
  const names = new Set<string>();
  const paths = new Set<string>();
  return each(devices, (device, at) => {
    const here = `${path}[${at}]`;
    const [name, devicePath] = [text(device, 'name'), text(device, 'devicePath')];
    const source = volumes.get(name);
    const problems = allErrors(
      names.has(name) ? [invalid(`${here}.name`, name, 'must be unique')] : noProblems,
      source === undefined && name !== '' ? [notFound(`${here}.name`, name)] : noProblems,
      source !== undefined && !ofClaims.has(source)
        ? [invalid(`${here}.name`, name, onlyClaims)]
        : noProblems,
      paths.has(devicePath)
        ? [invalid(`${here}.devicePath`, devicePath, 'must be unique')]
        : noProblems,
      backstep.test(devicePath)
        ? [invalid(`${here}.devicePath`, devicePath, "can not contain backsteps ('..')")]
        : noProblems,
      mounted.has(name)
        ? [invalid(`${here}.name`, name, 'must not already exist in volumeMounts')]
        : noProblems,
    );
    names.add(name);
    paths.add(devicePath);
    return problems;
  });
}

/** A step of a path that leads out of its folder. */
export const backstep = /(?:^|\/)\.\.(?:\/|$)/;

/** A path that stays below where it starts. */
export function descendingPath(field: string, path: string): Problems {
  if (path === '') return noProblems;
  return allErrors(
    path.startsWith('/') ? [invalid(field, path, 'must be a relative path')] : noProblems,
    withoutBacksteps(field, path),
  );
}

export function withoutBacksteps(field: string, path: string): Problems {
  if (!backstep.test(path)) return noProblems;
  return [invalid(field, path, "must not contain '..'")];
}
