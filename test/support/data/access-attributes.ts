/** Users and attributes of requests for tests of authorization, in few words. */
import type { UserInfo } from '../../../src/apimachinery/user-info.ts';
import type { Attributes } from '../../../src/authorization/authorizer.ts';

export function userNamed(name: string, ...groups: string[]): UserInfo {
  return { name, uid: '', groups, extra: {} };
}

const nobody = userNamed('nobody');

/** `get apps/deployments/scale`, `list /pods`: verb, group, resource, subresource; by nobody, in no namespace. */
export function resourceAttributes(text: string, name = '', namespace = ''): Attributes {
  const [verb = '', what = ''] = text.split(' ');
  const [apiGroup = '', resource = '', subresource = ''] = what.split('/');
  return {
    user: nobody,
    verb,
    isResourceRequest: true,
    path: '',
    namespace,
    apiGroup,
    apiVersion: 'v1',
    resource,
    subresource,
    name,
  };
}

/** `get /healthz` */
export function pathAttributes(text: string): Attributes {
  const [verb = '', path = ''] = text.split(' ');
  return { ...resourceAttributes(`${verb} /`), isResourceRequest: false, path };
}
