/**
 * The API group admissionregistration: configurations of admission webhooks, and admission
 * policies.
 */
import type { GroupDefinition } from '../kind-definition.ts';
import {
  mutatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
} from './admission-policies.ts';
import {
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from './webhook-configurations.ts';
import { admissionregistrationDescriptions } from './descriptions.ts';

export const admissionregistrationGroup: GroupDefinition = {
  group: 'admissionregistration.{domain}',
  types: 'admissionregistration',
  priority: 16_700,
  versions: { v1: { priority: 15 }, v1beta1: { priority: 12 }, v1alpha1: { priority: 9 } },
  kinds: [
    mutatingAdmissionPolicies,
    mutatingAdmissionPolicyBindings,
    mutatingWebhookConfigurations,
    validatingAdmissionPolicies,
    validatingAdmissionPolicyBindings,
    validatingWebhookConfigurations,
  ],
  descriptions: admissionregistrationDescriptions,
};
