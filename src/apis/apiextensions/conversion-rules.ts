/** Rules of how versions are converted: by a webhook that can be reached, or not at all. */
import { forbidden, invalid, required } from '../../apimachinery/field-error.ts';
import { part, text, texts } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { isCaBundle } from '../../apiextensions/conversion/ca-bundle.ts';
import { allErrors, noProblems } from '../validation/checks.ts';
import type { Problems } from '../validation/checks.ts';
import {
  hasKnownReviewVersion,
  noKnownReviewVersion,
  reviewVersionRules,
  webhookAddressRules,
} from '../validation/webhook-address.ts';

const path = 'spec.conversion';
const clientConfigPath = `${path}.webhookClientConfig`;
const versionsPath = `${path}.conversionReviewVersions`;

/** `served`: the definition that is there has been established. */
export function conversionRules(
  object: ApiObject,
  current: ApiObject | undefined,
  served: boolean,
): Problems {
  const conversion = part(part(object, 'spec'), 'conversion');
  const before = part(part(part(current, 'spec'), 'conversion'), 'webhook');
  const webhook = part(conversion, 'webhook');
  const config = webhook['clientConfig'];
  switch (text(conversion, 'strategy')) {
    case 'Webhook':
      return allErrors(
        isJsonObject(config)
          ? clientConfigRules(config, served && !hasBadBundle(part(before, 'clientConfig')))
          : [required(clientConfigPath, 'required when strategy is set to Webhook')],
        reviewVersionsRules(
          texts(webhook, 'conversionReviewVersions'),
          texts(before, 'conversionReviewVersions'),
        ),
      );
    case 'None':
      return noneRules(webhook);
    default:
      return noProblems;
  }
}

function noneRules(webhook: JsonObject): Problems {
  const detail = 'should not be set when strategy is not set to Webhook';
  return allErrors(
    webhook['clientConfig'] === undefined ? noProblems : [forbidden(clientConfigPath, detail)],
    texts(webhook, 'conversionReviewVersions').length === 0
      ? noProblems
      : [forbidden(versionsPath, detail)],
  );
}

/** Those that are there may go on to be of no use. */
function reviewVersionsRules(versions: readonly string[], before: readonly string[]): Problems {
  if (versions.length === 0) return [required(versionsPath)];
  const wasKnown = before.length === 0 || hasKnownReviewVersion(before);
  return allErrors(
    reviewVersionRules(versions, versionsPath),
    wasKnown && !hasKnownReviewVersion(versions)
      ? [invalid(versionsPath, [...versions], noKnownReviewVersion)]
      : noProblems,
  );
}

function clientConfigRules(config: JsonObject, needsBundle: boolean): Problems {
  const bundle = `${clientConfigPath}.caBundle`;
  return allErrors(
    webhookAddressRules(config, clientConfigPath),
    needsBundle && hasBadBundle(config)
      ? [invalid(bundle, text(config, 'caBundle'), noBundle)]
      : noProblems,
  );
}

const noBundle = 'unable to load root certificates: unable to parse bytes as PEM block';

/** One that is of no use, and that may stay so where it was so before. */
function hasBadBundle(config: JsonObject): boolean {
  const bundle = text(config, 'caBundle');
  return bundle !== '' && !isCaBundle(bundle);
}
