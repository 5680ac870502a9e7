/** What the types of the group are for, as `kubectl explain` shows it. */

export const resourceDescriptions = `
resource.ResourceClaim Asks for devices, for pods to use.
resource.ResourceClaimTemplate What claims of pods are made from.
resource.ResourceSlice Devices that a driver offers.
resource.DeviceClass A kind of devices, and how they are set up.
`;
