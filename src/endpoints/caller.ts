/**
 * Who counts as one caller where many share something.
 *
 * The service accounts of a namespace are one: who may make one there may make a hundred. Those of
 * the system's own namespace are a caller each: who may make these rules the cluster.
 */
import type { Identity } from '../apimachinery/identity.ts';
import { accountUsers, accountUsersOf } from '../apimachinery/user-info.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';

export function callerOf(
  { name }: Pick<UserInfo, 'name'>,
  { namespaces }: Pick<Identity, 'namespaces'>,
): string {
  const accounts = accountUsersOf(name);
  const isSystem = accounts === `${accountUsers}${namespaces.system}:`;
  return accounts === undefined || isSystem ? name : accounts;
}
