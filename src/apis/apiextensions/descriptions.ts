/** What the types of the group are for, as `kubectl explain` shows it. */

export const apiextensionsDescriptions = `
apiextensions.CustomResourceDefinition A kind of objects that users define.
`;
