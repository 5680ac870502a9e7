/** A server with no others behind it. */
import type { Aggregation } from '../../../src/aggregation/aggregation.ts';
import type { RemoteAccess } from '../../../src/aggregation/remote-access.ts';
import { noApiServices } from '../../../src/aggregation/api-services.ts';

export const noAggregation: Pick<Aggregation, 'documents' | 'services'> = {
  services: noApiServices,
  documents: {
    generation: 0,
    openApiGeneration: 0,
    openApiOf: () => undefined,
    openApiV2Generation: 0,
    openApiV2: () => [],
    discoveryOf: () => ({ resources: [], freshness: 'Stale' }),
  },
};

const nobody = (): Promise<never> => Promise.reject(new Error('there is no other server'));

export const noRemoteAccess: RemoteAccess = {
  resources: () => Promise.resolve({ resources: [], unknown: [] }),
  follow: () => Promise.resolve(),
  objects: { page: nobody, get: nobody, deleteAll: nobody, delete: nobody, patch: nobody },
};
