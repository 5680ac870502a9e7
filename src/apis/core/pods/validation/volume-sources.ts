/**
 * Rules of the volume sources that volumes of pods and persistent volumes share.
 *
 * The schema says which fields must be given.
 */
import {
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../../apimachinery/field-error.ts';
import { items, text } from '../../../../apimachinery/members.ts';
import type { JsonObject, JsonValue } from '../../../../apimachinery/unstructured.ts';
import { checkDns1123Label } from '../../../../apimachinery/validation/names.ts';
import { descendingPath, withoutBacksteps } from './container-mounts.ts';
import type { Problems } from '../../../validation/checks.ts';
import {
  allErrors,
  between,
  form,
  needed,
  noProblems,
  numberOf,
} from '../../../validation/checks.ts';
import { driverNameRules } from '../../../validation/driver-names.ts';
import { lookup } from '../../../../stdx/lookup.ts';

export type SourceRules = (source: JsonObject, path: string) => Problems;

const bytesMax = 255;

/** The reference gives the bounds of partitions as of those that are given. */
function partitionRules(source: JsonObject, path: string): Problems {
  const partition = numberOf(source['partition']) ?? 0;
  if (partition >= 0 && partition <= bytesMax) return noProblems;
  return [invalid(`${path}.partition`, partition, `must be between 1 and ${bytesMax}, inclusive`)];
}

const iscsiName =
  /^(iqn\.\d{4}-\d{2}\.[A-Za-z0-9.-]+(:[^,;*&$|\s]+)|eui.[A-Za-z0-9]{16}|naa.[A-Za-z0-9]{32})$/;

function iscsiNameRules(field: string, name: JsonValue | undefined): Problems {
  if (typeof name !== 'string' || name === '' || iscsiName.test(name)) return noProblems;
  const begins = /^(iqn|eui|naa)/.test(name);
  const detail = begins
    ? 'must be valid format'
    : 'must be valid format starting with iqn, eui, or naa';
  return [invalid(field, name, detail)];
}

function iscsiRules(source: JsonObject, path: string): Problems {
  const authenticates = source['chapAuthDiscovery'] === true || source['chapAuthSession'] === true;
  return allErrors(
    iscsiNameRules(`${path}.iqn`, source['iqn']),
    between(`${path}.lun`, source['lun'], 0, bytesMax),
    authenticates && source['secretRef'] === undefined
      ? [required(`${path}.secretRef`)]
      : noProblems,
    // Spelt like this by the reference.
    iscsiNameRules(`${path}.initiatorname`, source['initiatorName']),
  );
}

function fibreRules(source: JsonObject, path: string): Problems {
  const [names, ids] = [items(source, 'targetWWNs'), items(source, 'wwids')];
  const field = `${path}.targetWWNs`;
  const one = 'must specify either targetWWNs or wwids, but not both';
  const both = 'targetWWNs and wwids can not be specified simultaneously';
  return allErrors(
    names.length === 0 && ids.length === 0 ? [required(field, one)] : noProblems,
    names.length > 0 && ids.length > 0 ? [invalid(field, names, both)] : noProblems,
    names.length > 0 && source['lun'] === undefined
      ? [required(`${path}.lun`, 'lun is required if targetWWNs is specified')]
      : between(`${path}.lun`, source['lun'], 0, bytesMax),
  );
}

const diskUris: Readonly<Record<string, string>> = lookup({
  managed:
    '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/' +
    'microsoft.compute/disks/{disk-id}',
  blob: 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd',
});

function azureDiskRules(source: JsonObject, path: string): Problems {
  const kind = text(source, 'kind');
  const uri = text(source, 'diskURI');
  const managed = kind === 'Managed';
  const wanted = managed ? '/subscriptions/' : 'https://';
  if (kind === '' || uri.startsWith(wanted)) return noProblems;
  return allErrors(needed(source, path, 'diskURI'), [
    notSupported(`${path}.diskURI`, uri, [diskUris[managed ? 'managed' : 'blob'] ?? '']),
  ]);
}

function flockerRules(source: JsonObject, path: string): Problems {
  const [name, id] = [text(source, 'datasetName'), text(source, 'datasetUUID')];
  const both = 'datasetName and datasetUUID can not be specified simultaneously';
  return allErrors(
    name === '' && id === ''
      ? [required(path, 'one of datasetName and datasetUUID is required')]
      : noProblems,
    name !== '' && id !== '' ? [invalid(path, 'resource', both)] : noProblems,
    name.includes('/')
      ? [invalid(`${path}.datasetName`, name, "must not contain '/'")]
      : noProblems,
  );
}

const hostAndPort = /^(\[[^\]]*\]|[^:[\]]*):[^:]*$/;

function quobyteRules(source: JsonObject, path: string): Problems {
  const registry = text(source, 'registry');
  const detail = 'must be a host:port pair or multiple pairs separated by commas';
  return registry.split(',').every((pair) => hostAndPort.test(pair)) || registry === ''
    ? noProblems
    : [invalid(`${path}.registry`, registry, detail)];
}

/** Of both sorts of volumes. */
export const sharedSources: Readonly<Record<string, SourceRules>> = lookup({
  hostPath: (source, path) => withoutBacksteps(`${path}.path`, text(source, 'path')),
  gcePersistentDisk: (source, path) => {
    // Named otherwise by the reference.
    const here = path.replace(/gcePersistentDisk$/, 'persistentDisk');
    return allErrors(needed(source, here, 'pdName'), partitionRules(source, here));
  },
  awsElasticBlockStore: partitionRules,
  nfs: (source, path) =>
    allErrors(
      needed(source, path, 'path'),
      text(source, 'path').startsWith('/')
        ? noProblems
        : [invalid(`${path}.path`, text(source, 'path'), 'must be an absolute path')],
    ),
  iscsi: iscsiRules,
  fc: fibreRules,
  flocker: flockerRules,
  quobyte: quobyteRules,
  azureDisk: azureDiskRules,
  storageos: (source, path) =>
    allErrors(
      form(`${path}.volumeName`, text(source, 'volumeName'), checkDns1123Label),
      form(`${path}.volumeNamespace`, text(source, 'volumeNamespace'), checkDns1123Label),
    ),
  csi: (source, path) => driverNameRules(`${path}.driver`, text(source, 'driver')),
});

/** Of a pod's volume: what once was a clone of a repository. */
export const gitRules: SourceRules = (source, path) =>
  descendingPath(`${path}.directory`, text(source, 'directory'));

/** As the reference looks at them: of several the first is kept, whichever was written first. */
const podOrder = `emptyDir hostPath gitRepo gcePersistentDisk awsElasticBlockStore secret nfs iscsi
  glusterfs flocker persistentVolumeClaim rbd cinder cephfs quobyte downwardAPI fc flexVolume
  configMap azureFile vsphereVolume photonPersistentDisk portworxVolume azureDisk storageos
  projected scaleIO csi ephemeral image`;
const persistentOrder = `hostPath gcePersistentDisk awsElasticBlockStore glusterfs flocker nfs rbd
  quobyte cephfs iscsi cinder fc flexVolume azureFile vsphereVolume photonPersistentDisk
  portworxVolume azureDisk scaleIO local storageos csi`;

export const podSources = precedence(podOrder);
export const persistentSources = precedence(persistentOrder);

type Precedence = (sources: readonly string[]) => readonly string[];

function precedence(order: string): Precedence {
  const places = new Map(order.split(/\s+/).map((name, at) => [name, at]));
  const placeOf = (name: string): number => places.get(name) ?? places.size;
  return (sources) =>
    sources.length < 2 ? sources : sources.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** Where the reference spells a source otherwise. */
const shown: Readonly<Record<string, string>> = lookup({ cephfs: 'cephFS' });

/** Only one of them. `sources`: in their order of precedence. */
export function oneSource(sources: readonly string[], path: string): Problems {
  if (sources.length <= 1) return noProblems;
  return sources
    .slice(1)
    .map((name) =>
      forbidden(`${path}.${shown[name] ?? name}`, 'may not specify more than 1 volume type'),
    );
}
