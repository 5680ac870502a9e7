/** Defaults of flow schemas and priority levels, in every version. */
import type { DefaultOf, TypeDefaults, DefaultTable } from '../../apimachinery/typed/defaulting.ts';
import { isJsonObject } from '../../apimachinery/unstructured.ts';
import { zeroSharesAnnotation } from './conversion.ts';

const sharesByDefault = 30;

const precedenceByDefault = 1000;

/** No shares are 30 shares, unless the level is marked to mean what it says. */
const nominalShares: DefaultOf = (_limited, { root, identity }) => {
  const metadata = root['metadata'];
  const annotations = isJsonObject(metadata) ? metadata['annotations'] : undefined;
  const marked = isJsonObject(annotations) && zeroSharesAnnotation(identity) in annotations;
  return marked ? undefined : sharesByDefault;
};

const flowSchema: TypeDefaults = { matchingPrecedence: precedenceByDefault };

const exempt: TypeDefaults = { nominalConcurrencyShares: 0, lendablePercent: 0 };

const queuing: TypeDefaults = { queues: 64, handSize: 8, queueLengthLimit: 50 };

const limitedBefore: TypeDefaults = {
  assuredConcurrencyShares: sharesByDefault,
  lendablePercent: 0,
};

export const flowSchemaDefaults: DefaultTable = {
  fields: {
    'flowcontrol/v1.FlowSchemaSpec': flowSchema,
    'flowcontrol/v1beta1.FlowSchemaSpec': flowSchema,
    'flowcontrol/v1beta2.FlowSchemaSpec': flowSchema,
    'flowcontrol/v1beta3.FlowSchemaSpec': flowSchema,
  },
};

export const priorityLevelDefaults: DefaultTable = {
  fields: {
    'flowcontrol/v1.LimitedPriorityLevelConfiguration': {
      nominalConcurrencyShares: sharesByDefault,
      lendablePercent: 0,
    },
    'flowcontrol/v1beta1.LimitedPriorityLevelConfiguration': limitedBefore,
    'flowcontrol/v1beta2.LimitedPriorityLevelConfiguration': limitedBefore,
    'flowcontrol/v1beta3.LimitedPriorityLevelConfiguration': {
      nominalConcurrencyShares: nominalShares,
      lendablePercent: 0,
    },
    'flowcontrol/v1.ExemptPriorityLevelConfiguration': exempt,
    'flowcontrol/v1beta1.ExemptPriorityLevelConfiguration': exempt,
    'flowcontrol/v1beta2.ExemptPriorityLevelConfiguration': exempt,
    'flowcontrol/v1beta3.ExemptPriorityLevelConfiguration': exempt,
    'flowcontrol/v1.QueuingConfiguration': queuing,
    'flowcontrol/v1beta1.QueuingConfiguration': queuing,
    'flowcontrol/v1beta2.QueuingConfiguration': queuing,
    'flowcontrol/v1beta3.QueuingConfiguration': queuing,
  },
};
