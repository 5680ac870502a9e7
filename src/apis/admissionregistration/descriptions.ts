/** What the types of the group are for, as `kubectl explain` shows it. */

export const admissionregistrationDescriptions = `
admissionregistration.ValidatingWebhookConfiguration Services that are asked before a write is
    accepted.
admissionregistration.MutatingWebhookConfiguration Services that may change what is written.
admissionregistration.ValidatingAdmissionPolicy Expressions that must hold before a write is
    accepted.
admissionregistration.ValidatingAdmissionPolicyBinding Where a policy of admission is in force.
`;
