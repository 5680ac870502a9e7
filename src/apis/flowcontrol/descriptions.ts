/** What the types of the group are for, as `kubectl explain` shows it. */

export const flowcontrolDescriptions = `
flowcontrol.FlowSchema Which requests have which level of priority.
flowcontrol.PriorityLevelConfiguration How many requests of a level may be in work at once.
`;
