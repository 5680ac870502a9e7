/**
 * How much expressions may cost, in units (spec 2, section 8). All are those of the reference.
 *
 * An evaluation stops when its budget is used up; an expression whose estimate is above its limit
 * is refused when it is written.
 */
export const budgets = {
  /** One evaluation of one expression. */
  perEvaluation: 1_000_000,
  /** All validation rules of one object; all expressions of one policy, binding and parameter. */
  perObject: 10_000_000,
  /** All match conditions of one webhook, or of one policy. */
  matchConditions: 2_500_000,
  /** One selector of devices, for one device. */
  deviceSelector: 1_000_000,
} as const;

export const estimateLimits = {
  /** One rule, with how often its place can be there. */
  perRule: 10_000_000,
  /** All rules of one schema. */
  perSchema: 100_000_000,
} as const;
