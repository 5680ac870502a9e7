/**
 * What is said to a client that speaks the names of the other identity: which flag would help.
 *
 * Nothing is served under a name of the other identity.
 *
 * Invariants: only names that this server has under another spelling get the hint, so a group of
 * somebody else's in the same domain does not; without one the answer is what it would have been.
 */
import { groupOfOther, mediaTypeOfOther } from '../apimachinery/identity.ts';
import type { Identity, OtherName } from '../apimachinery/identity.ts';
import type { Scheme } from '../apimachinery/scheme.ts';
import { newGenericNotFound, StatusError } from '../apimachinery/status-error.ts';

/** 404 for a path under this group. */
export function unknownInGroup(
  identity: Identity,
  scheme: Pick<Scheme, 'findGroup'>,
  group: string,
): StatusError {
  const other = groupOfOther(identity, group);
  const served = other !== undefined && scheme.findGroup(other.own) !== undefined;
  return withHint(newGenericNotFound(), identity, served ? other : undefined, group);
}

/** `header`: Content-Type or Accept, for which `error` is the answer. */
export function unknownMediaType(
  identity: Identity,
  header: string | undefined,
  error: StatusError,
): StatusError {
  for (const clause of header?.slice(0, hintedCharsMax).split(',') ?? []) {
    const other = mediaTypeOfOther(identity, clause);
    if (other === undefined) continue;
    const [type = ''] = clause.split(';');
    return withHint(error, identity, other, type.trim());
  }
  return error;
}

/** Of a header that is looked at for a hint. */
const hintedCharsMax = 1024;

function withHint(
  error: StatusError,
  identity: Identity,
  other: OtherName | undefined,
  name: string,
): StatusError {
  if (other === undefined) return error;
  const { details, message, reason } = error;
  const hint =
    `${name} is a name of --identity=${other.identity}, and this server was started with ` +
    `--identity=${identity.name}, where it is ${other.own}`;
  return new StatusError({ reason, details, message: `${message}: ${hint}` });
}
