/**
 * The identity: every name that holds the service's own name, under one of two identities.
 *
 * It is one value, chosen at start and passed on; nothing else in the code spells a domain. Data
 * that carries such names writes `{domain}` (the API domain) or `{labelDomain}` (the domain of
 * labels, annotations and secret types) and is filled in here.
 *
 *     svc         the neutral names of the specification: svc.io for everything
 *     kubernetes  k8s.io groups, kubernetes.io labels: unmodified clients work
 *
 * Invariants: values are frozen; `fill` is the only way from a template to a name. Under
 * `kubernetes` the group flowcontrol.{domain} is flowcontrol.apiserver.k8s.io.
 * Spec 1, preamble and section 4.3; spec 2, sections 2.1 and 9.3.
 */
export type IdentityName = 'svc' | 'kubernetes';

export const identityNames: readonly IdentityName[] = ['svc', 'kubernetes'];

export interface Identity {
  readonly name: IdentityName;
  /** Ends API group names: `rbac.authorization.<domain>`. */
  readonly domain: string;
  /** Prefixes labels, annotations and secret types: `<labelDomain>/metadata.name`. */
  readonly labelDomain: string;
  readonly mediaTypes: {
    readonly protobuf: string;
  };
  readonly groups: {
    /** Table, PartialObjectMetadata and the version mark of continue tokens. */
    readonly meta: string;
    /** Aggregated discovery. */
    readonly discovery: string;
    readonly flowcontrol: string;
    readonly apiserverConfig: string;
    readonly rbac: string;
  };
  readonly annotations: {
    /** On the bookmark that ends the initial events of a streaming list. */
    readonly initialEventsEnd: string;
    /** In audit events, for a request to a deprecated version. */
    readonly deprecated: string;
    readonly removedRelease: string;
    readonly rbacAutoupdate: string;
    readonly lastAppliedConfiguration: string;
    /** On the Lease that says that a server is there: where it is reached. */
    readonly advertisedAddress: string;
  };
  readonly labels: {
    /** Forced on every namespace: its own name. */
    readonly metadataName: string;
    readonly bootstrapping: string;
    readonly serviceName: string;
    /** On the Lease that says that a server is there: which program it is. */
    readonly serverIdentity: string;
    readonly hostname: string;
    /** On APIServices that the server itself puts right. */
    readonly automanaged: string;
  };
  readonly finalizers: {
    /** In spec.finalizers of a namespace until its content is gone. */
    readonly namespace: string;
    readonly orphan: string;
    readonly foreground: string;
  };
  readonly secretTypes: {
    readonly opaque: string;
    readonly serviceAccountToken: string;
    readonly dockercfg: string;
    readonly dockerConfigJson: string;
    readonly basicAuth: string;
    readonly sshAuth: string;
    readonly tls: string;
    readonly bootstrapToken: string;
  };
  readonly namespaces: {
    readonly default: string;
    readonly system: string;
    readonly public: string;
    readonly nodeLease: string;
  };
  readonly configMaps: {
    /** In every namespace: whom its pods may trust. */
    readonly rootCa: string;
  };
  /** Signers of certificates that the server has itself. */
  readonly signers: {
    readonly client: string;
    readonly kubeletClient: string;
    readonly kubeletServing: string;
    readonly legacyUnknown: string;
  };
  /** How the server names itself to clients that look for its kind. */
  readonly serverName: string;
  /** `{domain}` and `{labelDomain}` in a template replaced; a group template gives its group. */
  fill(template: string): string;
}

interface Names {
  readonly name: IdentityName;
  readonly domain: string;
  readonly labelDomain: string;
  readonly protobuf: string;
  readonly flowcontrol: string;
  readonly namespaceFinalizer: string;
  readonly serverName: string;
  readonly rootCa: string;
}

const names: Readonly<Record<IdentityName, Names>> = {
  svc: {
    name: 'svc',
    domain: 'svc.io',
    labelDomain: 'svc.io',
    protobuf: 'application/vnd.svc.protobuf',
    flowcontrol: 'flowcontrol.svc.io',
    namespaceFinalizer: 'svc',
    serverName: 'svc-apiserver',
    rootCa: 'svc-root-ca.crt',
  },
  kubernetes: {
    name: 'kubernetes',
    domain: 'k8s.io',
    labelDomain: 'kubernetes.io',
    protobuf: 'application/vnd.kubernetes.protobuf',
    flowcontrol: 'flowcontrol.apiserver.k8s.io',
    namespaceFinalizer: 'kubernetes',
    serverName: 'kube-apiserver',
    rootCa: 'kube-root-ca.crt',
  },
};

/** The group whose name does not follow the rule under every identity. */
const flowcontrolTemplate = 'flowcontrol.{domain}';

function secretTypesOf(labelDomain: string): Identity['secretTypes'] {
  return {
    opaque: 'Opaque',
    serviceAccountToken: `${labelDomain}/service-account-token`,
    dockercfg: `${labelDomain}/dockercfg`,
    dockerConfigJson: `${labelDomain}/dockerconfigjson`,
    basicAuth: `${labelDomain}/basic-auth`,
    sshAuth: `${labelDomain}/ssh-auth`,
    tls: `${labelDomain}/tls`,
    bootstrapToken: `bootstrap.${labelDomain}/token`,
  };
}

function makeIdentity(base: Names): Identity {
  const { domain, labelDomain } = base;
  return Object.freeze({
    name: base.name,
    domain,
    labelDomain,
    mediaTypes: { protobuf: base.protobuf },
    groups: {
      meta: `meta.${domain}`,
      discovery: `apidiscovery.${domain}`,
      flowcontrol: base.flowcontrol,
      apiserverConfig: `apiserver.config.${domain}`,
      rbac: `rbac.authorization.${domain}`,
    },
    annotations: {
      initialEventsEnd: `${domain}/initial-events-end`,
      deprecated: `${domain}/deprecated`,
      removedRelease: `${domain}/removed-release`,
      rbacAutoupdate: `rbac.authorization.${labelDomain}/autoupdate`,
      lastAppliedConfiguration: `kubectl.${labelDomain}/last-applied-configuration`,
      advertisedAddress: `apiserver.${labelDomain}/advertised-address`,
    },
    labels: {
      metadataName: `${labelDomain}/metadata.name`,
      bootstrapping: `${labelDomain}/bootstrapping`,
      serviceName: `${labelDomain}/service-name`,
      serverIdentity: `apiserver.${labelDomain}/identity`,
      hostname: `${labelDomain}/hostname`,
      automanaged: `kube-aggregator.${labelDomain}/automanaged`,
    },
    finalizers: {
      namespace: base.namespaceFinalizer,
      orphan: 'orphan',
      foreground: 'foregroundDeletion',
    },
    secretTypes: secretTypesOf(labelDomain),
    // The same under both identities: RBAC defaults, token secrets and client tools name them.
    namespaces: {
      default: 'default',
      system: 'kube-system',
      public: 'kube-public',
      nodeLease: 'kube-node-lease',
    },
    configMaps: { rootCa: base.rootCa },
    signers: {
      client: `${labelDomain}/kube-apiserver-client`,
      kubeletClient: `${labelDomain}/kube-apiserver-client-kubelet`,
      kubeletServing: `${labelDomain}/kubelet-serving`,
      legacyUnknown: `${labelDomain}/legacy-unknown`,
    },
    serverName: base.serverName,
    fill(template: string): string {
      if (template === flowcontrolTemplate) return base.flowcontrol;
      return template.replaceAll('{domain}', domain).replaceAll('{labelDomain}', labelDomain);
    },
  });
}

/** Under either identity: for answers that are given before it is known who is asked for. */
export const protobufMediaTypes: readonly string[] = identityNames.map(
  (name) => names[name].protobuf,
);

const identities: Readonly<Record<IdentityName, Identity>> = {
  svc: makeIdentity(names.svc),
  kubernetes: makeIdentity(names.kubernetes),
};

export function identityOf(name: IdentityName): Identity {
  return identities[name];
}

/** The same thing under the other identity. */
export interface OtherName {
  /** What `--identity` would have to say. */
  readonly identity: IdentityName;
  /** What it is called here. */
  readonly own: string;
}

/** Of a group of the other identity: whose it is, and its name under this one. Undefined: it is
 * of neither. */
export function groupOfOther(identity: Identity, group: string): OtherName | undefined {
  const other = otherThan(identity);
  if (group === other.flowcontrol)
    return { identity: other.name, own: identity.groups.flowcontrol };
  if (!group.endsWith(`.${other.domain}`)) return undefined;
  const stem = group.slice(0, group.length - other.domain.length);
  return { identity: other.name, own: `${stem}${identity.domain}` };
}

/** Of the media type of Protobuf under the other identity; parameters do not matter. */
export function mediaTypeOfOther(identity: Identity, mediaType: string): OtherName | undefined {
  const other = otherThan(identity);
  const [type = ''] = mediaType.split(';');
  if (type.trim().toLowerCase() !== other.protobuf) return undefined;
  return { identity: other.name, own: identity.mediaTypes.protobuf };
}

function otherThan({ name }: Identity): Names {
  return names[name === 'svc' ? 'kubernetes' : 'svc'];
}
