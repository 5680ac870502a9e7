/** Configurations of webhooks: which requests are shown to which service before a decision. */
import { webhookExpressions } from './admission-expressions.ts';
import { notSupported } from '../../apimachinery/field-error.ts';
import { objects, text } from '../../apimachinery/members.ts';
import type { TypeDefaults, DefaultTable } from '../../apimachinery/typed/defaulting.ts';
import { ageColumn, integer, nameColumn, table } from '../tables/columns.ts';
import { objectsAt } from '../tables/fields.ts';
import { uniqueBy } from '../validation/checks.ts';
import { ratchetingRules } from '../validation/ratcheting-rules.ts';
import type { KindDefinition } from '../kind-definition.ts';
import { webhookRules } from './webhook-rules.ts';

const webhookConfigurationTable = table([
  nameColumn,
  integer(
    'Webhooks',
    'Number of webhooks in it.',
    (object) => objectsAt(object, 'webhooks').length,
  ),
  ageColumn,
]);

const webhook: TypeDefaults = {
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
};

/** Stable webhooks fail closed, match equivalent requests and wait 10 seconds. */
const betaWebhook: TypeDefaults = {
  failurePolicy: 'Ignore',
  matchPolicy: 'Exact',
  namespaceSelector: {},
  objectSelector: {},
  sideEffects: 'Unknown',
  timeoutSeconds: 30,
  admissionReviewVersions: ['v1beta1'],
};

const validatingDefaults: DefaultTable = {
  fields: {
    'admissionregistration/v1.ValidatingWebhook': webhook,
    'admissionregistration/v1.ServiceReference': { port: 443 },
    'admissionregistration/v1.Rule': { scope: '*' },
    'admissionregistration/v1beta1.ValidatingWebhook': betaWebhook,
    'admissionregistration/v1beta1.ServiceReference': { port: 443 },
  },
};

const mutatingDefaults: DefaultTable = {
  fields: {
    'admissionregistration/v1.MutatingWebhook': { ...webhook, reinvocationPolicy: 'Never' },
    'admissionregistration/v1beta1.MutatingWebhook': {
      ...betaWebhook,
      reinvocationPolicy: 'Never',
    },
  },
};

const quiet = ['None', 'NoneOnDryRun'];

/** What the schema knows beside those. */
const loud = ['Some', 'Unknown'];

const stableWebhookRules = ratchetingRules(
  (object) =>
    objects(object, 'webhooks').flatMap((hook, at) => {
      const effects = text(hook, 'sideEffects');
      if (!loud.includes(effects)) return [];
      return [notSupported(`webhooks[${at}].sideEffects`, effects, quiet)];
    }),
  (object) => uniqueBy(objects(object, 'webhooks'), 'webhooks', 'name'),
);

export const validatingWebhookConfigurations: KindDefinition = {
  resource: 'admissionregistration.{domain}/validatingwebhookconfigurations',
  anyFinalizer: true,
  expressions: webhookExpressions,
  conditionalUpdateOnly: true,
  tracksGeneration: true,
  defaults: validatingDefaults,
  validation: webhookRules,
  table: webhookConfigurationTable,
  versions: { v1: { validation: stableWebhookRules } },
};

export const mutatingWebhookConfigurations: KindDefinition = {
  resource: 'admissionregistration.{domain}/mutatingwebhookconfigurations',
  anyFinalizer: true,
  expressions: webhookExpressions,
  conditionalUpdateOnly: true,
  tracksGeneration: true,
  defaults: mutatingDefaults,
  validation: webhookRules,
  table: webhookConfigurationTable,
  versions: { v1: { validation: stableWebhookRules } },
};
