/** What a method and a path ask for, row by row (spec 1, sections 1.5 and 4.1). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseRequestInfo } from '../../src/endpoints/request-info.ts';

/** `verb group/version namespace resource name subresource subpath`, `-` for what is empty. */
function say(method: string, target: string): string {
  const [path = '', query] = target.split('?');
  const parsed = parseRequestInfo(method, path, query === 'watch');
  if (parsed.kind === 'malformed') return 'malformed';
  const { verb, resource } = parsed.info;
  if (resource === undefined) return `${verb} no resource`;
  const { group, version, namespace, name, subresource, subpath } = resource;
  const place = [`${group}/${version}`, namespace, resource.resource, name, subresource, subpath];
  return [verb, ...place].map((each) => (each === '' ? '-' : each)).join(' ');
}

const rows: readonly (readonly [method: string, target: string, said: string])[] = [
  ['GET', '/api/v1/namespaces', 'list /v1 - namespaces - - -'],
  ['GET', '/api/v1/namespaces/other', 'get /v1 - namespaces other - -'],
  ['GET', '/api/v1/namespaces/other/pods', 'list /v1 other pods - - -'],
  ['GET', '/api/v1/namespaces/other/pods/foo', 'get /v1 other pods foo - -'],
  ['HEAD', '/api/v1/namespaces/other/pods/foo', 'get /v1 other pods foo - -'],
  ['GET', '/api/v1/pods', 'list /v1 - pods - - -'],
  ['HEAD', '/api/v1/pods', 'list /v1 - pods - - -'],
  ['GET', '/api/v1/pods?watch', 'watch /v1 - pods - - -'],
  ['GET', '/api/v1/namespaces/other/pods/foo?watch', 'watch /v1 other pods foo - -'],

  ['GET', '/api/v1/watch/pods', 'watch /v1 - pods - - -'],
  ['GET', '/api/v1/watch/namespaces/other/pods', 'watch /v1 other pods - - -'],
  ['GET', '/api/v1/watch/namespaces/other/pods/foo', 'watch /v1 other pods foo - -'],
  ['GET', '/api/v1/watch/namespaces/other', 'watch /v1 - namespaces other - -'],
  ['POST', '/api/v1/watch/namespaces/other/pods', 'watch /v1 other pods - - -'],
  ['DELETE', '/apis/apps/v1/watch/deployments', 'watch apps/v1 - deployments - - -'],
  ['GET', '/api/v1/watch', 'list /v1 - watch - - -'],
  ['GET', '/api/v1/proxy/namespaces/other/pods/foo', 'proxy /v1 other pods foo - -'],
  [
    'GET',
    '/api/v1/proxy/namespaces/other/pods/foo/sub/path',
    'proxy /v1 other pods foo - /sub/path',
  ],
  ['PUT', '/api/v1/proxy/nodes/foo', 'proxy /v1 - nodes foo - -'],
  ['GET', '/api/v1/proxy/nodes/foo/a%2Fb//c/', 'proxy /v1 - nodes foo - /a%2Fb//c/'],

  ['GET', '/api/v1/namespaces/other/pods/foo/status', 'get /v1 other pods foo status -'],
  ['GET', '/api/v1/namespaces/other/pods/foo/status?watch', 'get /v1 other pods foo status -'],
  ['GET', '/api/v1/namespaces/other/pods/foo/proxy', 'get /v1 other pods foo proxy -'],
  ['GET', '/api/v1/namespaces/other/pods/foo/proxy/', 'get /v1 other pods foo proxy -'],
  [
    'GET',
    '/api/v1/namespaces/other/pods/foo/proxy/subpath',
    'get /v1 other pods foo proxy /subpath',
  ],
  ['POST', '/api/v1/namespaces/other/pods/foo/proxy/a/b/', 'create /v1 other pods foo proxy /a/b/'],
  [
    'GET',
    '/api/v1/namespaces/other/pods/foo/proxy/%2e%2e/a%2Fb',
    'get /v1 other pods foo proxy /%2e%2e/a%2Fb',
  ],
  ['GET', '/api/v1/namespaces/other/pods/foo/proxy//a', 'get /v1 other pods foo proxy //a'],
  [
    'DELETE',
    '/api/v1/namespaces/other/services/https:s:web/proxy/x',
    'delete /v1 other services https:s:web proxy /x',
  ],
  ['PATCH', '/api/v1/nodes/n:10250/proxy/metrics', 'patch /v1 - nodes n:10250 proxy /metrics'],
  ['OPTIONS', '/api/v1/nodes/n/proxy/metrics', '- /v1 - nodes n proxy /metrics'],
  ['POST', '/api/v1/namespaces/other/pods/foo/exec', 'create /v1 other pods foo exec -'],
  ['GET', '/api/v1/namespaces/other/pods/foo/log/more', 'get /v1 other pods foo log /more'],
  ['PUT', '/api/v1/namespaces/other/finalize', 'update /v1 - namespaces other finalize -'],
  ['PUT', '/api/v1/namespaces/other/status', 'update /v1 - namespaces other status -'],
  ['GET', '/api/v1/namespaces/other/status/more', 'get /v1 - namespaces other status /more'],
  ['GET', '/api/v1/namespaces/other/proxy/x', 'get /v1 other proxy x - -'],

  ['PATCH', '/api/v1/namespaces/other/pods/foo', 'patch /v1 other pods foo - -'],
  ['DELETE', '/api/v1/namespaces/other/pods/foo', 'delete /v1 other pods foo - -'],
  ['POST', '/api/v1/namespaces/other/pods', 'create /v1 other pods - - -'],
  ['DELETE', '/api/v1/nodes', 'deletecollection /v1 - nodes - - -'],
  ['DELETE', '/api/v1/namespaces', 'deletecollection /v1 - namespaces - - -'],
  [
    'DELETE',
    '/apis/extensions/v1/namespaces/other/pods',
    'deletecollection extensions/v1 other pods - - -',
  ],
  [
    'POST',
    '/apis/extensions/v1beta3/namespaces/other/pods',
    'create extensions/v1beta3 other pods - - -',
  ],
  ['TRACE', '/api/v1/pods', '- /v1 - pods - - -'],
  ['PURGE', '/api/v1/pods?watch', '- /v1 - pods - - -'],

  ['GET', '/api/v1/namespaces//pods', 'list /v1 - pods - - -'],
  ['GET', '/api/v1/namespaces//pods/foo', 'get /v1 - pods foo - -'],
  ['GET', '/api/v1/namespaces//status', 'list /v1 - namespaces - status -'],
  ['GET', '/api/v1//pods', 'get /v1 - - pods - -'],
  ['GET', '/api//v1/pods', 'get / - v1 pods - -'],
  ['GET', '/api/v1/namespaces/other/pods//log', 'list /v1 other pods - log -'],
  ['GET', '/api/v1/pods///', 'list /v1 - pods - - -'],
  ['GET', '/api/v1/%70ods', 'list /v1 - pods - - -'],
  ['GET', '/api/v1/namespaces/%zz/pods', 'malformed'],
  ['GET', '/api/v1/namespaces/a/pods/%ff', 'malformed'],
  ['GET', '/api/version/resource', 'list /version - resource - - -'],
  ['GET', '/apis/batch/v1/job', 'list batch/v1 - job - - -'],
  [
    'GET',
    '/apis/group/version/resource/name/subresource',
    'get group/version - resource name subresource -',
  ],

  ['GET', '/', 'get no resource'],
  ['GET', '/api', 'get no resource'],
  ['GET', '/api/version/', 'get no resource'],
  ['GET', '/apis/group/version/', 'get no resource'],
  ['GET', '/apis/version/resource', 'get no resource'],
  ['POST', '/badprefix/version/resource', 'post no resource'],
  ['GET', '//api/v1/pods', 'get no resource'],
  ['GET', '/API/v1/pods', 'get no resource'],
  ['GET', '/api/v1/namespaces/a%2Fb/pods', 'get no resource'],
  ['GET', '/api/v1/namespaces/a/pods%2Fb', 'get no resource'],
  ['GET', '/api/v1/namespaces/a/pods/b%2Flog', 'get no resource'],
  ['GET', '/api/v1/namespaces/a/pods/b/c%2Fd', 'get no resource'],
];

describe('a method and a path ask for', () => {
  for (const [method, target, said] of rows) {
    it(`${method} ${target}: ${said}`, () => assert.equal(say(method, target), said));
  }
});
