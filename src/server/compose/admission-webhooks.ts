/**
 * Admission webhooks of this server: follows their configurations in the log, like any other
 * object, and calls them over connections that it reuses.
 *
 * Elsewhere: the requests and the handling of answers (src/admission/webhooks).
 *
 * Bounds: `callsMax` calls at once to one webhook's server; more wait in line, within their time,
 * so a slow one holds up nobody but itself. `postersMax` servers have connections. An answer has at
 * most `answerBytesMax`.
 */
import type { AdmissionPlugin } from '../../admission/admission.ts';
import { admissionContext } from '../../admission/expressions/admission-context.ts';
import type { ConditionCounts } from '../../admission/matching/condition-counts.ts';
import type { NamespaceReader } from '../../admission/matching/matched-review.ts';
import { createWebhookCounts } from '../../admission/webhooks/webhook-counts.ts';
import type { WebhookCounts } from '../../admission/webhooks/webhook-counts.ts';
import type { Readiness } from '../../admission/readiness.ts';
import { mutatingWebhooks, validatingWebhooks } from '../../admission/webhooks/webhook-plugins.ts';
import type { PluginDeps } from '../../admission/webhooks/webhook-plugins.ts';
import { createWebhookSource } from '../../admission/webhooks/webhook-source.ts';
import type { WebhookSource } from '../../admission/webhooks/webhook-source.ts';
import { CallError } from '../../admission/webhooks/webhooks.ts';
import type { PostReview } from '../../admission/webhooks/webhooks.ts';
import type { Identity } from '../../apimachinery/identity.ts';
import type { Scheme } from '../../apimachinery/scheme.ts';
import type { AccessChecker } from '../../authorization/authorizer.ts';
import type { Language } from '../../cel/language.ts';
import type { Clock, Timers } from '../../stdx/clock.ts';
import type { Prng } from '../../stdx/prng.ts';
import type { Turns } from '../../stdx/turns.ts';
import type { Streams } from '../../../streams/streams.ts';
import type { CredentialsFor } from '../../webhooks/caller-credentials.ts';
import { clientEndpoint } from '../../webhooks/client-config.ts';
import { posterPool } from '../../webhooks/poster-pool.ts';
import type { ResolveService } from '../../webhooks/service-resolver.ts';
import type { Log } from './log.ts';
import { firstUnreadableRecord } from './unreadable-records.ts';
import { followConfigurations } from './stored-configurations.ts';

const limits = {
  /** Larger answers are failures: a patch of an object is not larger than objects are. */
  answerBytesMax: 4 * 1024 * 1024,
  postersMax: 256,
} as const;

export interface AdmissionWebhookDeps {
  readonly streams: Streams;
  readonly scheme: Scheme;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly turns: Turns;
  readonly prng: Prng;
  readonly identity: Identity;
  readonly language: Language;
  readonly log: Log;
  readonly access: Pick<AccessChecker, 'check'>;
  readonly namespaces: NamespaceReader;
  readonly conditions: ConditionCounts;
  readonly resolveService: ResolveService;
  /** Calls at once to one webhook's server. */
  readonly callsMax: number;
}

export interface AdmissionWebhooks {
  /** Made when it is known as whom they call. */
  plugins(mutatingAs: CredentialsFor, validatingAs: CredentialsFor): WebhookPlugins;
  readonly counts: WebhookCounts;
  /** By the names of the plugins. */
  readonly readiness: Readonly<Record<string, Readiness>>;
  /** Resolves when all that the streams have told is in force. */
  settled(): Promise<void>;
}

export interface WebhookPlugins {
  readonly mutating: AdmissionPlugin;
  readonly validating: AdmissionPlugin;
}

/** What is stored is followed from when this is called. */
export function createAdmissionWebhooks(deps: AdmissionWebhookDeps): AdmissionWebhooks {
  const { language, log, turns } = deps;
  const counts = createWebhookCounts(deps.clock);
  const environment = language.forStored(admissionContext({ params: false, authorizer: true }));
  const onProblem = (configuration: string, err: unknown): void =>
    log.error({ err, configuration }, 'webhooks could not be read; what was stays in force');
  const sourceOf = (resource: string): WebhookSource => {
    const stored = { group: deps.identity.fill('admissionregistration.{domain}'), resource };
    const lost = firstUnreadableRecord(deps, stored, 'writes');
    const source = createWebhookSource({ turns, environment, onProblem, lost, resource });
    followConfigurations(deps, 'admission-webhooks', stored, source);
    return source;
  };
  const mutating = sourceOf('mutatingwebhookconfigurations');
  const validating = sourceOf('validatingwebhookconfigurations');
  return {
    counts,
    readiness: {
      MutatingAdmissionWebhook: mutating.readiness,
      ValidatingAdmissionWebhook: validating.readiness,
    },
    settled: () => Promise.all([mutating.settled(), validating.settled()]).then(() => undefined),
    plugins(mutatingAs, validatingAs) {
      const ports = (as: CredentialsFor): PluginDeps => ({
        ...deps,
        counts,
        post: reviewPoster(deps, as),
      });
      return {
        mutating: mutatingWebhooks(mutating, ports(mutatingAs)),
        validating: validatingWebhooks(validating, ports(validatingAs)),
      };
    },
  };
}

function reviewPoster(
  { callsMax, resolveService, timers }: AdmissionWebhookDeps,
  credentialsFor: CredentialsFor,
): PostReview {
  const { answerBytesMax, postersMax } = limits;
  const posterTo = posterPool(timers, postersMax, { answerBytesMax, connectionsMax: callsMax });
  return async (clientConfig, body, timeoutMs, requester) => {
    // The webhook is told how long somebody waits for it, in whole seconds.
    const timeout = `${Math.ceil(timeoutMs / 1000)}s`;
    let shownUrl: string | undefined;
    try {
      const endpoint = clientEndpoint(clientConfig);
      shownUrl = `${endpoint.shown}?timeout=${timeout}`;
      const { authorization, certificate, name } = credentialsFor(endpoint.host, endpoint.port);
      const target = { ...endpoint.target(resolveService), authorization, certificate };
      const url = new URL(target.url);
      url.searchParams.set('timeout', timeout);
      return await posterTo(target, name).post(body, timeoutMs, url, requester);
    } catch (error) {
      throw new CallError(error, shownUrl);
    }
  };
}
