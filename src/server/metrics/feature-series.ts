/** The feature gates of the server, under the name that dashboards know. */
import { stageOfGate } from '../../apis/feature-gates.ts';
import type { LabelledSeries } from './metrics.ts';

/** What is stable has no stage there, and is no choice. */
export function featureSeries(
  gates: ReadonlyMap<string, boolean>,
  release: number,
): LabelledSeries {
  const known = [...gates].flatMap(([name, on]) => {
    const stage = stageOfGate(name, release);
    if (stage === undefined) return [];
    const labels = { name, stage: stage === 'ga' ? '' : stage.toUpperCase() };
    return [{ labels, value: on ? 1 : 0 }];
  });
  return {
    name: 'kubernetes_feature_enabled',
    help: 'Whether a feature is on, and its stage.',
    stability: 'BETA',
    read: () => known,
  };
}
