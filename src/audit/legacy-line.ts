/** An event as one line of text, as logs were before JSON: --audit-log-format=legacy. */
import { part, text, texts } from '../apimachinery/members.ts';
import type { JsonObject } from '../apimachinery/unstructured.ts';

export function legacyLine(event: JsonObject): string {
  const user = part(event, 'user');
  const other = event['impersonatedUser'];
  const as = part(event, 'impersonatedUser');
  const status = event['responseStatus'];
  const [address] = texts(event, 'sourceIPs');
  const fields: readonly (readonly [string, string])[] = [
    ['id', text(event, 'auditID')],
    ['stage', text(event, 'stage')],
    ['ip', address ?? '<unknown>'],
    ['method', text(event, 'verb')],
    ['user', text(user, 'username') || '<none>'],
    ['groups', groupsOf(user) ?? '<none>'],
    ['as', other === undefined ? '<self>' : text(as, 'username')],
    ['asgroups', groupsOf(as) ?? '<lookup>'],
    ['user-agent', text(event, 'userAgent')],
    ['namespace', text(part(event, 'objectRef'), 'namespace') || '<none>'],
    ['uri', text(event, 'requestURI')],
    [
      'response',
      status === undefined ? '<deferred>' : String(part(event, 'responseStatus')['code']),
    ],
  ];
  const line = fields.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(' ');
  return `${text(event, 'requestReceivedTimestamp')} AUDIT: ${line}`;
}

function groupsOf(user: JsonObject): string | undefined {
  const groups = texts(user, 'groups');
  return groups.length === 0 ? undefined : groups.map((each) => JSON.stringify(each)).join(',');
}
