/** What the types of the group are for, as `kubectl explain` shows it. */

export const certificatesDescriptions = `
certificates.CertificateSigningRequest Asks for a certificate; somebody approves, a signer signs.
certificates.CertificateSigningRequestSpec What is asked for. It cannot change.
  request The request, as PEM in base64.
  signerName Who should sign.
  expirationSeconds How long the certificate should last; the signer may give less.
  usages What the certificate is for.
  username The requester. Set by the server.
  uid UID of the requester. Set by the server.
  groups Groups of the requester. Set by the server.
  extra More about the requester. Set by the server.
certificates.CertificateSigningRequestStatus The observed state of a request.
  conditions Whether it is approved, denied or has failed.
  certificate The certificate, as PEM in base64.
`;
