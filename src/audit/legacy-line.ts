/** An event as one line of text, as logs were before JSON: --audit-log-format=legacy. */
import type { JsonObject, JsonValue } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';

export function legacyLine(event: JsonObject): string {
  const user = objectOf(event['user']);
  const other = event['impersonatedUser'];
  const as = objectOf(other);
  const status = event['responseStatus'];
  const [address] = textsOf(event['sourceIPs']);
  const fields: readonly (readonly [string, string])[] = [
    ['id', textOf(event['auditID'])],
    ['stage', textOf(event['stage'])],
    ['ip', address ?? '<unknown>'],
    ['method', textOf(event['verb'])],
    ['user', textOf(user['username']) || '<none>'],
    ['groups', groupsOf(user) ?? '<none>'],
    ['as', other === undefined ? '<self>' : textOf(as['username'])],
    ['asgroups', groupsOf(as) ?? '<lookup>'],
    ['user-agent', textOf(event['userAgent'])],
    ['namespace', textOf(objectOf(event['objectRef'])['namespace']) || '<none>'],
    ['uri', textOf(event['requestURI'])],
    ['response', status === undefined ? '<deferred>' : String(objectOf(status)['code'])],
  ];
  const text = fields.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(' ');
  return `${textOf(event['requestReceivedTimestamp'])} AUDIT: ${text}`;
}

function groupsOf(user: JsonObject): string | undefined {
  const groups = textsOf(user['groups']);
  return groups.length === 0 ? undefined : groups.map((each) => JSON.stringify(each)).join(',');
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
