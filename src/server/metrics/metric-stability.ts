/**
 * The life of a metric (spec 2, sections 3.4 and 9.1): stability class, deprecation, hiding.
 *
 *     deprecated in 1.N   registered until 1.(N+2), help begins `(Deprecated from 1.N)`
 *     1.(N+3) and later   hidden: not registered, unless hidden metrics are asked for
 */
export type MetricStability = 'ALPHA' | 'BETA' | 'STABLE';

export interface MetricLife {
  /** ALPHA when nothing is said. */
  readonly stability?: MetricStability | undefined;
  /** Minor release of 1. */
  readonly deprecated?: number | undefined;
}

export interface MetricsView {
  /** Minor release of 1. */
  readonly release: number;
  /** Hidden metrics are registered too. */
  readonly showHidden: boolean;
}

export type PresentedMetric =
  | { readonly kind: 'hidden' }
  | { readonly kind: 'shown'; readonly help: string; readonly warning: string | undefined };

/** Releases from deprecation to hiding. */
const releasesUntilHidden = 3;

export function presentMetric(
  metric: MetricLife & { readonly name: string; readonly help: string },
  view: MetricsView,
): PresentedMetric {
  const { name, help, stability = 'ALPHA', deprecated } = metric;
  if (deprecated === undefined || deprecated > view.release) {
    return { kind: 'shown', help: `[${stability}] ${help}`, warning: undefined };
  }
  const hidden = deprecated <= view.release - releasesUntilHidden;
  if (hidden && !view.showHidden) return { kind: 'hidden' };
  const since = `1.${deprecated}`;
  return {
    kind: 'shown',
    help: `[${stability}] (Deprecated from ${since}) ${help}`,
    warning: `the metric ${name} is deprecated from ${since}${hidden ? ' and hidden' : ''}`,
  };
}
