/** placeholder: replaced by its owner */
export class StatusError extends Error {}
