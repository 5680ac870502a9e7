/** Defaults of requests for devices, in every version. */
import type { DefaultOf, TypeDefaults, DefaultTable } from '../../apimachinery/typed/defaulting.ts';

const allocationMode = 'ExactCount';

const oneDevice: TypeDefaults = {
  allocationMode,
  count: (request) => (request['allocationMode'] === allocationMode ? 1 : undefined),
};

/** Without a class the request is one of several alternatives, which say it themselves. */
const oneDeviceOfClass: TypeDefaults = Object.fromEntries(
  Object.entries(oneDevice).map(([name, value]): [string, DefaultOf] => [
    name,
    (request, context) => {
      if (request['deviceClassName'] === undefined) return undefined;
      return typeof value === 'function' ? value(request, context) : value;
    },
  ]),
);

export const claimDefaults: DefaultTable = {
  fields: {
    'resource/v1alpha3.DeviceRequest': oneDeviceOfClass,
    'resource/v1alpha3.DeviceSubRequest': oneDevice,
    'resource/v1beta1.DeviceRequest': oneDeviceOfClass,
    'resource/v1beta1.DeviceSubRequest': oneDevice,
    'resource/v1beta2.ExactDeviceRequest': oneDevice,
    'resource/v1beta2.DeviceSubRequest': oneDevice,
  },
};
