/**
 * Webhook token authentication (spec 2, section 5.2): another server says whose token it is.
 *
 *   token ─▶ cache ─▶ one question for each token, in line ─▶ POST TokenReview ─▶ user, or not
 *
 * A question ends when all who show its token have gone.
 *
 * Invariants: an answer that cannot be had, or is no answer, authenticates nobody and is not kept;
 * answers are kept for `cacheTtlMs`, good ones and bad ones apart: anybody can have any number of
 * tokens refused, and what is kept of others must not go for that. A webhook that says nothing of
 * audiences answers for the server's own.
 * Bounds: `timeoutMs` for a try, `triesMax` of them; questions at once, and for whom, as
 * question-line.ts says; of answers and of refusals `...EntriesMax` and `...CharsMax` each.
 */
import type { Identity } from '../apimachinery/identity.ts';
import { texts } from '../apimachinery/members.ts';
import type { JsonObject } from '../apimachinery/unstructured.ts';
import { isJsonObject } from '../apimachinery/unstructured.ts';
import type { Clock, Timers } from '../stdx/clock.ts';
import { messageOf } from '../stdx/message-of.ts';
import { networkOf } from '../stdx/network-of.ts';
import { SharedWork, sleepFor } from '../stdx/requester.ts';
import type { Requester } from '../stdx/requester.ts';
import type { Turns } from '../stdx/turns.ts';
import { commonAudiences } from '../apimachinery/audiences.ts';
import type { Authentication, TokenAuthenticator } from './authenticator.ts';
import { secretDigest } from './constant-time.ts';
import { exchangeJson } from './json-client.ts';
import type { JsonAnswer, JsonServer } from './json-client.ts';
import { createQuestionLine } from './question-line.ts';
import type { UserInfo } from '../apimachinery/user-info.ts';
import { readUserInfo } from '../apimachinery/user-info-json.ts';
import { TokenCache } from './token-cache.ts';
import type { TokenCacheCounts } from './token-cache-counts.ts';

export interface WebhookTokenOptions {
  readonly identity: Identity;
  readonly clock: Clock;
  readonly timers: Timers;
  /** For answers that are long. */
  readonly turns: Pick<Turns, 'run'>;
  readonly server: JsonServer;
  readonly version: 'v1' | 'v1beta1';
  readonly cacheTtlMs: number;
  /** The server's own. */
  readonly audiences: readonly string[];
  readonly cacheCounts: TokenCacheCounts;
}

const webhookTokenLimits = {
  cacheEntriesMax: 8192,
  timeoutMs: 30_000,
  triesMax: 3,
  retryMs: 300,
  /** So long a token that was good counts as known. */
  knownMs: 60 * 60_000,
  answerBytesMax: 1024 * 1024,
  /** Of one user, in characters: it is kept, and goes with each of its requests. */
  userCharsMax: 256 * 1024,
  /** Of what is kept, in characters. */
  cacheCharsMax: 64 * 1024 * 1024,
  refusalEntriesMax: 4096,
  refusalCharsMax: 4 * 1024 * 1024,
} as const;

export function createWebhookTokens(options: WebhookTokenOptions): TokenAuthenticator {
  const { cacheCounts, cacheTtlMs: ttlMs } = options;
  const { good, known, refused } = keptAnswers(options);
  const line = createQuestionLine(options.timers);
  const asked = new SharedWork<Authentication>();
  const ask = async (
    token: string,
    audiences: readonly string[],
    scope: string,
    requester: Requester,
  ): Promise<Authentication> => {
    try {
      const answer = await review(options, token, audiences, requester);
      const kept = answer.kind === 'authenticated' ? good : refused;
      if (ttlMs > 0) kept.set(token, answer, Infinity, scope, scope.length + charsOf(answer));
      if (answer.kind === 'authenticated') known.set(token, true);
      return answer;
    } catch (error) {
      const why = messageOf(error);
      return { kind: 'rejected', why: `the webhook could not be asked: ${why}` };
    }
  };
  return {
    name: 'webhook',
    authenticateToken(token, wanted, bearer, requester) {
      const audiences = wanted.length > 0 ? wanted : options.audiences;
      const scope = JSON.stringify(audiences);
      const kept = good.get(token, scope) ?? refused.get(token, scope);
      if (kept !== undefined) {
        cacheCounts.hit();
        return kept;
      }
      const key = secretDigest(token) + scope;
      const begin = async (all: Requester): Promise<Authentication> => {
        const network = networkOf(bearer?.remoteAddress ?? '');
        const asker = { network, isKnown: known.get(token) === true, requester: all };
        const find = () => ask(token, audiences, scope, all);
        const answer = await line.ask(asker, () =>
          cacheCounts.find(find, ({ kind }) => kind === 'authenticated'),
        );
        return answer ?? notAsked;
      };
      return cacheCounts.miss(() => asked.ask(key, requester, begin, () => left));
    },
  };
}

const notAsked: Authentication = {
  kind: 'rejected',
  why: 'too many questions to the webhook are under way',
  unlooked: true,
};

const left: Authentication = { kind: 'rejected', why: 'the client went away' };

function keptAnswers({ cacheTtlMs: ttlMs, clock }: WebhookTokenOptions) {
  const { cacheCharsMax, cacheEntriesMax, knownMs } = webhookTokenLimits;
  const { refusalCharsMax, refusalEntriesMax } = webhookTokenLimits;
  const cache = (entriesMax: number, charsMax: number) =>
    new TokenCache<Authentication>({ clock, entriesMax, charsMax, ttlMs });
  return {
    good: cache(cacheEntriesMax, cacheCharsMax),
    /** Tokens that were good: they are asked about again while strangers fill the line. */
    known: new TokenCache<true>({ clock, entriesMax: cacheEntriesMax, ttlMs: knownMs }),
    refused: cache(refusalEntriesMax, refusalCharsMax),
  };
}

/** @throws Error when there is no answer that can be used. */
async function review(
  options: WebhookTokenOptions,
  token: string,
  audiences: readonly string[],
  requester: Requester,
): Promise<Authentication> {
  const group = options.identity.fill('authentication.{domain}');
  const body: JsonObject = {
    apiVersion: `${group}/${options.version}`,
    kind: 'TokenReview',
    metadata: { creationTimestamp: null },
    spec: { token, ...(audiences.length === 0 ? {} : { audiences: [...audiences] }) },
    status: { user: {} },
  };
  const { status, body: answer } = await post(options, body, requester);
  if (status < 200 || status > 299 || !isJsonObject(answer) || !isJsonObject(answer['status'])) {
    throw new Error(`it answered ${status} and no TokenReview`);
  }
  if (answer['apiVersion'] !== body['apiVersion'] || answer['kind'] !== 'TokenReview') {
    throw new Error('it answered with something else than was asked for');
  }
  return authenticationOf(options, answer['status'], audiences);
}

async function post(
  options: WebhookTokenOptions,
  body: JsonObject,
  requester: Requester,
): Promise<JsonAnswer> {
  const { answerBytesMax, retryMs, timeoutMs, triesMax } = webhookTokenLimits;
  const limits = { timeoutMs, answerBytesMax, requester } as const;
  const exchange = { method: 'POST', body, keepsConnection: true, ...limits } as const;
  for (let tries = 1; ; tries += 1) {
    try {
      const answer = await exchangeJson(options.server, exchange, options);
      if (answer.status < 500 && answer.status !== 429) return answer;
      if (tries >= triesMax) return answer;
    } catch (error) {
      if (tries >= triesMax || requester.closed) throw error;
    }
    await sleepFor(requester, options.timers, retryMs * tries);
  }
}

function authenticationOf(
  options: WebhookTokenOptions,
  status: JsonObject,
  asked: readonly string[],
): Authentication {
  if (status['authenticated'] !== true) return { kind: 'rejected', why: 'the webhook says no' };
  const user = readUserInfo(status['user']);
  if (user === undefined) return { kind: 'rejected', why: 'the webhook names no user' };
  if (userChars(user) > webhookTokenLimits.userCharsMax) {
    return { kind: 'rejected', why: 'the webhook says too much of the user' };
  }
  const answered = texts(status, 'audiences');
  const good = answered.length > 0 ? answered : options.audiences;
  const audiences = commonAudiences(asked, good);
  if (asked.length > 0 && audiences.length === 0) {
    return { kind: 'rejected', why: 'it is for other audiences' };
  }
  return { kind: 'authenticated', user, audiences };
}

function charsOf(answer: Authentication): number {
  return answer.kind === 'authenticated' ? userChars(answer.user) : 0;
}

/** What is said of a user, with something for each text. */
function userChars({ extra, groups, name, uid }: UserInfo): number {
  let chars = name.length + uid.length;
  const add = (text: string): void => void (chars += text.length + textChars);
  groups.forEach(add);
  for (const [key, values] of Object.entries(extra)) {
    // A key is more to every reader than a value.
    chars += keyChars;
    add(key);
    values.forEach(add);
  }
  return chars;
}

const textChars = 8;
const keyChars = 100;
