/** Options of a write with the name under which it owns fields (spec 1, sections 4.2 and 4.5). */
import type { UserInfo } from '../apimachinery/user-info.ts';
import type { FieldError } from '../apimachinery/field-error.ts';
import { managerOf } from '../apimachinery/fieldmanager/managers/manager-name.ts';
import { StatusError } from '../apimachinery/status-error.ts';
import { parseWriteOptions } from '../apimachinery/write-options.ts';
import type { WriteOptions, WriteOptionsKind } from '../apimachinery/write-options.ts';
import type { Result } from '../registry/registry.ts';
import { ok, refused } from '../registry/registry.ts';
import { atOnceBytesMax } from './body-decoding.ts';
import type { ApiRequest, EndpointDeps } from './request.ts';
import type { WritingRequest } from '../registry/write-terms.ts';

export interface NamedWriteOptions extends WriteOptions {
  /** As asked for, or from the User-Agent; never ''. */
  readonly manager: string;
  readonly user: UserInfo;
  readonly request: WritingRequest;
  /** The body was a large one, or what was made of it is. */
  readonly inTurns: boolean;
}

export function readWriteOptions(
  deps: EndpointDeps,
  request: ApiRequest,
  kind: WriteOptionsKind,
  owner?: readonly FieldError[],
): Result<NamedWriteOptions> {
  const { exchange, query, user, bodyBytes, hasLargeObject } = request;
  const context = { metaGroup: deps.identity.groups.meta };
  const options = parseWriteOptions(query, kind, context, owner);
  if (options instanceof StatusError) return refused(options);
  const manager = managerOf(options.fieldManager, exchange.header('user-agent'));
  const inTurns = bodyBytes > atOnceBytesMax || hasLargeObject === true;
  const { dryRun, fieldManager, fieldValidation, pretty } = options;
  return ok({
    dryRun,
    fieldManager,
    fieldValidation,
    pretty,
    manager,
    user,
    request,
    inTurns,
  });
}
