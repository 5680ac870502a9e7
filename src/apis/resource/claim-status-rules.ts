/**
 * Rules of the status of claims: which devices a claim has got, who may use them, and what their
 * drivers say of them.
 *
 *     allocation   set once, and taken away as a whole
 *     reservedFor  who uses the devices; nobody without an allocation, nobody new once it goes
 *     devices      one for each allocated device at most; it goes with its device
 *
 * Elsewhere: rules of what is asked for (claim-rules.ts).
 *
 * Bounds: a list that is longer than it may be is not looked at.
 */
import {
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
  tooMany,
} from '../../apimachinery/field-error.ts';
import { ipText, parseCidr } from '../../apimachinery/ip-address.ts';
import { objects, part, text, texts } from '../../apimachinery/members.ts';
import { quote } from '../../apimachinery/quote.ts';
import type { ApiObject, JsonObject, JsonValue } from '../../apimachinery/unstructured.ts';
import { isJsonObject, withMember, without } from '../../apimachinery/unstructured.ts';
import { checkDns1123Label } from '../../apimachinery/validation/names.ts';
import { deepEqual } from '../../stdx/deep-equal.ts';
import { nodeSelectorRules } from '../core/nodes/node-selectors.ts';
import {
  allErrors,
  each,
  form,
  givenForm,
  itemsAtMost,
  needed,
  noProblems,
  requiredForm,
  unchanged,
  uniqueBy,
  uniqueTexts,
} from '../validation/checks.ts';
import type { Problems } from '../validation/checks.ts';
import { conditionsRules } from '../validation/conditions.ts';
import { driverNameRules } from '../validation/driver-names.ts';
import { checkPoolName, poolNameBytesMax } from '../validation/names-in-domains.ts';
import {
  configurationRules,
  referenceRules,
  requestNames,
  requestReference,
} from './claim-rules.ts';
import { configsOf, opaqueRules, parametersRules } from './opaque-parameters.ts';

const consumersMax = 256;

const resultsMax = 32;

/** Those of the class, and those of the claim. */
const configsMax = 64;

const conditionsMax = 8;

const addressesMax = 16;

const interfaceNameBytesMax = 256;

const hardwareAddressBytesMax = 128;

/** A bounded list, or what it holds. */
function eachAtMost<T>(
  list: readonly T[],
  field: string,
  max: number,
  rule: (item: T, path: string) => Problems,
): Problems {
  if (list.length > max) return [tooMany(field, list.length, max)];
  return each(list, (item, at) => rule(item, `${field}[${at}]`));
}

export function claimStatusRules(next: ApiObject, current: ApiObject): Problems {
  const [status, before] = [part(next, 'status'), part(current, 'status')];
  const allocated = new Set(resultsOf(status).map(deviceKey));
  return allErrors(
    consumersRules(objects(status, 'reservedFor'), 'status.reservedFor'),
    devicesRules(objects(status, 'devices'), 'status.devices', allocated),
    useRules(next, status, before),
    allocationRules(next, status['allocation'], before['allocation']),
  );
}

function resultsOf(status: JsonObject): readonly JsonObject[] {
  return objects(part(part(status, 'allocation'), 'devices'), 'results');
}

/** Names have no blanks. */
function deviceKey(device: JsonObject): string {
  return ['driver', 'pool', 'device'].map((name) => text(device, name)).join(' ');
}

function consumersRules(consumers: readonly JsonObject[], field: string): Problems {
  return allErrors(
    eachAtMost(consumers, field, consumersMax, (consumer, path) =>
      allErrors(
        needed(consumer, path, 'resource'),
        needed(consumer, path, 'name'),
        needed(consumer, path, 'uid'),
      ),
    ),
    uniqueBy(consumers, field, 'uid'),
  );
}

function useRules(claim: ApiObject, status: JsonObject, before: JsonObject): Problems {
  const field = 'status.reservedFor';
  const consumers = objects(status, 'reservedFor');
  if (consumers.length === 0) return noProblems;
  if (status['allocation'] === undefined) {
    return [forbidden(field, 'may not be specified when `allocated` is not set')];
  }
  if (claim.metadata.deletionTimestamp === undefined || consumers.length > consumersMax) {
    return noProblems;
  }
  const known = objects(before, 'reservedFor');
  const isKnown = (one: JsonObject): boolean => known.some((other) => deepEqual(one, other));
  if (consumers.every(isKnown)) return noProblems;
  const late = '`deallocationRequested` or `deletionTimestamp` are set';
  return [forbidden(field, `new entries may not be added while ${late}`)];
}

/** What is stored is not looked at again: rules for new ones may be stricter. */
function allocationRules(
  claim: ApiObject,
  allocation: JsonValue | undefined,
  before: JsonValue | undefined,
): Problems {
  const field = 'status.allocation';
  if (!isJsonObject(allocation)) return noProblems;
  if (isJsonObject(before)) return unchanged(field, allocation, before);
  const names = requestNames(objects(part(part(claim, 'spec'), 'devices'), 'requests'));
  const devices = part(allocation, 'devices');
  const selector = allocation['nodeSelector'];
  return allErrors(
    eachAtMost(
      objects(devices, 'results'),
      `${field}.devices.results`,
      resultsMax,
      (result, path) =>
        allErrors(
          requestReference(text(result, 'request'), `${path}.request`, names),
          deviceRules(result, path),
        ),
    ),
    parametersRules(configsOf(devices), `${field}.devices.config`),
    eachAtMost(configsOf(devices), `${field}.devices.config`, configsMax, (config, path) =>
      allErrors(
        sourceRules(text(config, 'source'), `${path}.source`),
        referenceRules(texts(config, 'requests'), `${path}.requests`, names),
        configurationRules(config, path),
      ),
    ),
    isJsonObject(selector) ? nodeSelectorRules(selector, `${field}.nodeSelector`) : noProblems,
  );
}

const sources = ['FromClaim', 'FromClass'];

function sourceRules(source: string, field: string): Problems {
  if (source === '') return [required(field)];
  return sources.includes(source) ? noProblems : [notSupported(field, source, sources)];
}

/** Which one it is. */
function deviceRules(device: JsonObject, path: string): Problems {
  const [driver, pool] = [text(device, 'driver'), text(device, 'pool')];
  return allErrors(
    needed(device, path, 'driver'),
    driverNameRules(`${path}.driver`, driver),
    bounded(`${path}.pool`, pool, poolNameBytesMax),
    requiredForm(`${path}.pool`, pool, checkPoolName),
    givenForm(`${path}.device`, text(device, 'device'), checkDns1123Label),
  );
}

function bounded(field: string, value: string, max: number): Problems {
  return Buffer.byteLength(value, 'utf8') > max ? [tooLong(field, max)] : noProblems;
}

/** There cannot be more than were allocated: the others are none of the claim's. */
function devicesRules(
  devices: readonly JsonObject[],
  field: string,
  allocated: ReadonlySet<string>,
): Problems {
  const seen = new Set<string>();
  return each(devices, (device, at) => {
    const path = `${field}[${at}]`;
    const key = deviceKey(device);
    const shown = key.replaceAll(' ', '/');
    const isRepeated = seen.has(key);
    seen.add(key);
    const conditions = objects(device, 'conditions');
    return allErrors(
      deviceRules(device, path),
      allocated.has(key)
        ? noProblems
        : [invalid(path, shown, 'must be an allocated device in the claim')],
      isRepeated ? [duplicate(path, shown)] : noProblems,
      itemsAtMost(conditions, `${path}.conditions`, conditionsMax),
      conditions.length > conditionsMax ? noProblems : conditionsRules(device, path),
      device['data'] === undefined ? noProblems : opaqueRules(device['data'], `${path}.data`),
      networkRules(part(device, 'networkData'), `${path}.networkData`),
    );
  });
}

function networkRules(network: JsonObject, path: string): Problems {
  const addresses = texts(network, 'ips');
  const field = `${path}.ips`;
  return allErrors(
    bounded(`${path}.interfaceName`, text(network, 'interfaceName'), interfaceNameBytesMax),
    bounded(`${path}.hardwareAddress`, text(network, 'hardwareAddress'), hardwareAddressBytesMax),
    eachAtMost(addresses, field, addressesMax, (address, at) =>
      address === ''
        ? [invalid(at, address, addressMessage)]
        : form(at, address, checkInterfaceAddress),
    ),
    addresses.length > addressesMax ? noProblems : uniqueTexts(field, addresses),
  );
}

const addressMessage = 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)';

/** An address with the prefix of its network, as everybody writes it. */
function checkInterfaceAddress(value: string): readonly string[] {
  const parsed = parseCidr(value);
  if (parsed === undefined) return [addressMessage];
  const written = `${ipText(parsed.address)}/${parsed.prefix}`;
  return written === value ? [] : [`must be in canonical form (${quote(written)})`];
}

/** What a driver said of a device goes with it, so that no client need know of it. */
export function withoutFreedDevices(next: ApiObject, current: ApiObject): ApiObject {
  const status = next['status'];
  if (!isJsonObject(status) || status['devices'] === undefined) return next;
  const freed = new Set(resultsOf(part(current, 'status')).map(deviceKey));
  for (const result of resultsOf(status)) freed.delete(deviceKey(result));
  const devices = objects(status, 'devices');
  const kept = devices.filter((device) => !freed.has(deviceKey(device)));
  if (kept.length === devices.length) return next;
  const made = kept.length === 0 ? without(status, 'devices') : withMember(status, 'devices', kept);
  return withMember<ApiObject>(next, 'status', made);
}
