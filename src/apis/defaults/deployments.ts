/** Defaults of deployments. Those of the pods they make stand with the pods. */
import { when } from '../../apimachinery/typed/defaulting.ts';
import type { DefaultTable } from '../../apimachinery/typed/defaulting.ts';

export const deploymentDefaults: DefaultTable = {
  fields: {
    'apps/v1.DeploymentSpec': {
      replicas: 1,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    },
    'apps/v1.DeploymentStrategy': {
      type: 'RollingUpdate',
      rollingUpdate: when({ type: 'RollingUpdate' }, {}),
    },
    'apps/v1.RollingUpdateDeployment': { maxUnavailable: '25%', maxSurge: '25%' },
  },
};
