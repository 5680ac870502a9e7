/**
 * How long expressions may be, and how much they may cost, in units (spec 2, section 8). Units are
 * those of the reference; lengths are ours.
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

/** Characters. A step of the compilation of one expression is one turn of the event loop. */
export const textLimits = {
  /** Some five times the longest in use. */
  perExpression: 10 * 1024,
  /** All expressions of one object, six times what the largest definition in use has. */
  perObject: 128 * 1024,
} as const;
