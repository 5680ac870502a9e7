/** What the types of the group are for, as `kubectl explain` shows it. */

export const apiregistrationDescriptions = `
apiregistration.APIService Which server answers for a group and a version. Its name is
    "<version>.<group>".
apiregistration.APIServiceSpec Who answers, and where the group and version stand among others.
  service The server that answers. Without one it is this server.
  group Its group; none for the core group.
  version Its version.
  insecureSkipTLSVerify The certificate of the other server is not looked at.
  caBundle Who signs certificates of the other server, as PEM in base64.
  groupPriorityMinimum Groups with a higher one come first. From 1 to 20000.
  versionPriority Versions of the group with a higher one come first. From 1 to 1000.
apiregistration.APIServiceStatus Whether anybody answers.
  conditions Available, and what others say.
apiregistration.ServiceReference A Service before the server that answers.
  namespace Its namespace.
  name Its name.
  port Its port; 443 if none is given.
`;
