/** A server with no others behind it. */
import type { Aggregation } from '../../../src/aggregation/aggregation.ts';
import { noApiServices } from '../../../src/aggregation/api-services.ts';

export const noAggregation: Pick<Aggregation, 'documents' | 'services'> = {
  services: noApiServices,
  documents: {
    generation: 0,
    openApiGeneration: 0,
    openApiOf: () => undefined,
    discoveryOf: () => ({ resources: [], freshness: 'Stale' }),
  },
};
