/** What the types of the group are for, as `kubectl explain` shows it. */

export const certificatesDescriptions = `
certificates.CertificateSigningRequest Asks for a certificate; somebody approves, a signer signs.
certificates.CertificateSigningRequestSpec What is asked for. It cannot change.
  request The request, as PEM in base64.
  signerName Who should sign.
  expirationSeconds How long the certificate should last; the signer may give less.
  usages What the certificate is for.
  username Who asks. Set by the server.
  uid UID of who asks. Set by the server.
  groups Groups of who asks. Set by the server.
  extra More about who asks. Set by the server.
certificates.CertificateSigningRequestStatus What has become of a request.
  conditions Whether it is approved, denied or has failed.
  certificate The certificate, as PEM in base64.
`;
