/** What the types of the group are for, as `kubectl explain` shows it. */

export const coordinationDescriptions = `
coordination.Lease Who holds something, and until when; for electing leaders.
coordination.LeaseSpec What a Lease says.
  holderIdentity Who holds it; empty for nobody.
  leaseDurationSeconds How long it lasts after it was renewed.
  acquireTime Since when it is held.
  renewTime When it was last renewed.
  leaseTransitions How often the holder changed.
  strategy How a leader is chosen, where that is coordinated.
  preferredHolder Who should get it.
`;
