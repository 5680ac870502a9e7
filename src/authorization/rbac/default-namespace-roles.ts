/**
 * The default roles and bindings of the system and public namespaces, as data; the lines are those
 * of default-cluster-roles.ts, with the namespace before the name.
 */

/** In order of namespaces and names. */
export const namespaceRoleLines = `
role kube-public system:controller:bootstrap-signer
  get,list,watch @ core configmaps
  update @ core configmaps = cluster-info
  create,patch,update @ core,events.{domain} events
role kube-system extension-apiserver-authentication-reader
  get,list,watch @ core configmaps = extension-apiserver-authentication
role kube-system system::leader-locking-kube-controller-manager
  watch @ core configmaps
  get,update @ core configmaps = kube-controller-manager
  create,get,list,update,watch @ coordination.{domain} leases
  create,get,list,update,watch @ coordination.{domain} leasecandidates
role kube-system system::leader-locking-kube-scheduler
  watch @ core configmaps
  get,update @ core configmaps = kube-scheduler
  create,get,list,update,watch @ coordination.{domain} leases
  create,get,list,update,watch @ coordination.{domain} leasecandidates
role kube-system system:controller:bootstrap-signer
  get,list,watch @ core secrets
role kube-system system:controller:cloud-provider
  create,get,list,watch @ core configmaps
role kube-system system:controller:token-cleaner
  delete,get,list,watch @ core secrets
  create,patch,update @ core,events.{domain} events
`;

/** A binding names the role of its own name unless it says another. */
export const namespaceBindingLines = `
bind kube-public system:controller:bootstrap-signer account=kube-system/bootstrap-signer
bind kube-system system::extension-apiserver-authentication-reader
      role=extension-apiserver-authentication-reader user=system:kube-controller-manager
      user=system:kube-scheduler
bind kube-system system::leader-locking-kube-controller-manager
      user=system:kube-controller-manager account=kube-system/kube-controller-manager
bind kube-system system::leader-locking-kube-scheduler user=system:kube-scheduler
      account=kube-system/kube-scheduler
bind kube-system system:controller:bootstrap-signer account=kube-system/bootstrap-signer
bind kube-system system:controller:cloud-provider account=kube-system/cloud-provider
bind kube-system system:controller:token-cleaner account=kube-system/token-cleaner
`;
