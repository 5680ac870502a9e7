/** The warning for a delete without a propagation policy (spec 1, 3.1). */
import type { DeleteOptions } from '../apimachinery/delete-options.ts';
import type { EndpointDeps, ResourceRequest } from './request.ts';

export function warnOfDefaultPropagation(
  { registry }: EndpointDeps,
  { kind, warnings }: ResourceRequest,
  { orphanDependents, propagationPolicy }: DeleteOptions,
): void {
  if (propagationPolicy !== undefined || orphanDependents !== undefined) return;
  const { deletionWarning } = registry.strategyOf(kind);
  if (deletionWarning !== undefined) warnings.push(deletionWarning);
}
