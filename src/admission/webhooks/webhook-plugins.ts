/**
 * The plugins MutatingAdmissionWebhook and ValidatingAdmissionWebhook: webhooks as a part of the
 * chain (admission.ts).
 *
 * Invariants: a write that no webhook can match costs one look-up, and none at all while there are
 * no webhooks. Writes that might match wait until the configurations that were stored at the start
 * are in force. Where there are many, those that match a new shape are looked for in turns.
 */
import type { Identity } from '../../apimachinery/identity.ts';
import type { StatusError } from '../../apimachinery/status-error.ts';
import { after } from '../../stdx/awaitable.ts';
import type { Awaitable } from '../../stdx/awaitable.ts';
import type { Timers } from '../../stdx/clock.ts';
import type { AdmissionPlugin, AdmissionTarget, Review } from '../admission.ts';
import { concernsOf } from '../matching/concerns.ts';
import { exemptUnder } from '../matching/exempt.ts';
import { shapeOf, withNamespace } from '../matching/matched-review.ts';
import { candidatesOf } from '../matching/named-match-index.ts';
import { admitDeletion, mutateByWebhooks } from './mutating.ts';
import { validateByWebhooks } from './validating.ts';
import type { WebhookSource } from './webhook-source.ts';
import type { Webhook } from './webhook-spec.ts';
import type { WebhookPorts } from './webhooks.ts';

export interface PluginDeps extends WebhookPorts {
  readonly timers: Timers;
}

export function mutatingWebhooks(source: WebhookSource, deps: PluginDeps): AdmissionPlugin {
  const hooksOf = hookFinder(source, deps);
  return {
    name: 'MutatingAdmissionWebhook',
    ...concerned(source, deps),
    admits: ['CREATE', 'UPDATE', 'CONNECT'],
    admit(proposed, pass) {
      const closed = source.readiness.refusal();
      if (closed !== undefined) return closed;
      return after(hooksOf(proposed), (hooks) => {
        if (hooks.length === 0) return proposed.next;
        const mutate = (): Promise<typeof proposed.next | StatusError> =>
          mutateByWebhooks(hooks, proposed, pass, deps);
        return after(withNamespace(proposed, deps), mutate);
      });
    },
    admitDeletion(review, pass) {
      const closed = source.readiness.refusal();
      if (closed !== undefined) return closed;
      return after(hooksOf(review), (hooks) =>
        hooks.length === 0 ? undefined : admitDeletion(hooks, review, pass, deps),
      );
    },
  };
}

export function validatingWebhooks(source: WebhookSource, deps: PluginDeps): AdmissionPlugin {
  const hooksOf = hookFinder(source, deps);
  return {
    name: 'ValidatingAdmissionWebhook',
    ...concerned(source, deps),
    validate(review, { recorder }) {
      const closed = source.readiness.refusal();
      if (closed !== undefined) return closed;
      return after(hooksOf(review), (hooks) => {
        if (hooks.length === 0) return undefined;
        const validate = (): Promise<StatusError | undefined> =>
          validateByWebhooks(hooks, review, recorder, deps);
        return after(withNamespace(review, deps), validate);
      });
    },
  };
}

function concerned(source: WebhookSource, deps: PluginDeps): ReturnType<typeof concernsOf> {
  return concernsOf(source, exemptions(deps.identity), deps);
}

function exemptions(identity: Identity): (target: AdmissionTarget) => boolean {
  const { fromWebhooks } = exemptUnder(identity);
  return ({ kind, resource }) => fromWebhooks(resource) || fromWebhooks(kind);
}

function hookFinder(
  source: WebhookSource,
  { scheme }: PluginDeps,
): (review: Review) => Awaitable<readonly Webhook[]> {
  return (review) => {
    if (source.isEmpty) return none;
    return candidatesOf(source, shapeOf(scheme, review, review.operation), scheme.generation);
  };
}

const none: readonly never[] = [];
