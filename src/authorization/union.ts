/**
 * Several authorizers as one: the first that allows or denies decides (spec 2, section 5.5).
 *
 * Which authorizers there are, and in which order, the options say (authorization.ts).
 *
 * Invariants: members of system:masters are allowed before anybody is asked, whatever the modes.
 * When nobody has an opinion the answer is no opinion, with all reasons in order, and that is a
 * refusal. Where no authorizer has to ask elsewhere the answer is there at once. An authorizer that
 * throws has no opinion.
 */
import { wellKnownGroups } from '../apimachinery/user-info.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';
import type { Requester } from '../stdx/requester.ts';
import type {
  AccessChecker,
  Attributes,
  Authorizer,
  Decision,
  RuleResolver,
  UserRules,
} from './authorizer.ts';

export type UnionMember = Authorizer & RuleResolver;

export interface UnionOptions {
  /** Asked each time: the configuration may have been read again. */
  readonly members: () => readonly UnionMember[];
  /** Who decided; not called for members of system:masters. */
  readonly onDecision: (member: UnionMember, decision: Decision) => void;
  readonly onError: (member: UnionMember, error: unknown) => void;
}

const mastersAllowed: Decision = { kind: 'allow', reason: '' };

export function createUnion({ members, onDecision, onError }: UnionOptions): AccessChecker {
  const askMember = (
    member: UnionMember,
    attributes: Attributes,
    requester: Requester | undefined,
  ): Decision | Promise<Decision> => {
    try {
      const decision = member.authorize(attributes, requester);
      if (!(decision instanceof Promise)) return decision;
      return decision.catch((error: unknown) => failed(member, error));
    } catch (error) {
      return failed(member, error);
    }
  };
  const failed = (member: UnionMember, error: unknown): Decision => {
    onError(member, error);
    return { kind: 'no-opinion', reason: '', error: `${member.name} failed` };
  };
  const ask = (
    all: readonly UnionMember[],
    at: number,
    before: Decision,
    attributes: Attributes,
    requester: Requester | undefined,
  ): Decision | Promise<Decision> => {
    let collected = before;
    for (let i = at; i < all.length; i += 1) {
      const member = all[i] as UnionMember;
      const decision = askMember(member, attributes, requester);
      if (decision instanceof Promise) {
        const sofar = collected;
        return decision.then((answer) => {
          if (answer.kind !== 'no-opinion') return decided(member, answer);
          return ask(all, i + 1, joined(sofar, answer), attributes, requester);
        });
      }
      if (decision.kind !== 'no-opinion') return decided(member, decision);
      collected = joined(collected, decision);
    }
    return collected;
  };
  const decided = (member: UnionMember, decision: Decision): Decision => {
    onDecision(member, decision);
    return decision;
  };

  return {
    check(attributes, requester) {
      if (attributes.user.groups.includes(wellKnownGroups.masters)) return mastersAllowed;
      return ask(members(), 0, nobody, attributes, requester);
    },
    rulesFor: (user, namespace) => allRules(members(), user, namespace),
  };
}

const nobody: Decision = { kind: 'no-opinion', reason: '' };

function joined(before: Decision, after: Decision): Decision {
  if (before === nobody) return after;
  const error = [before.error, after.error].filter((text) => text !== undefined).join('\n');
  return {
    kind: 'no-opinion',
    reason: [before.reason, after.reason].filter((text) => text !== '').join('\n'),
    ...(error === '' ? {} : { error }),
  };
}

async function allRules(
  members: readonly UnionMember[],
  user: UserInfo,
  namespace: string,
): Promise<UserRules> {
  const lists = await Promise.all(members.map(async (member) => member.rulesFor(user, namespace)));
  return {
    resourceRules: lists.flatMap((list) => list.resourceRules),
    nonResourceRules: lists.flatMap((list) => list.nonResourceRules),
    incomplete: lists.some((list) => list.incomplete),
    // Several webhooks say the same.
    evaluationError: [...new Set(lists.map((list) => list.evaluationError))]
      .filter((text) => text !== '')
      .join(', '),
  };
}
