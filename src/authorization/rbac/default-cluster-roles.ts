/**
 * The default cluster roles, and who they are bound to, as data (spec 2, section 5.6).
 *
 * default-objects.ts reads these lines and fills in the identity's names.
 *
 *     role NAME [into=AGGREGATE,...] [of=AGGREGATE]     its rules follow, indented
 *       VERBS @ GROUPS RESOURCES [= NAMES]              `core` is the group without a name
 *       VERBS @ /path /path/*                           of paths
 *     bind NAME [role=NAME] user=U group=G account=NAMESPACE/NAME ...
 *
 * `into` labels a role so that its rules become part of that one, `of` makes it a role of such
 * parts. A line that is indented further goes on with the rule before it.
 */

/** In order of names. */
export const clusterRoleLines = `
role admin of=admin
role cluster-admin
  * @ * *
  * @ *
role edit into=admin of=edit
role system:aggregate-to-admin into=admin
  create @ authorization.{domain} localsubjectaccessreviews
  create,delete,deletecollection,get,list,patch,update,watch @ rbac.authorization.{domain}
      rolebindings,roles
role system:aggregate-to-edit into=edit
  get,list,watch @ core pods/attach,pods/exec,pods/portforward,pods/proxy,secrets,services/proxy
  impersonate @ core serviceaccounts
  create,delete,deletecollection,patch,update @ core pods,pods/attach,pods/exec,
      pods/portforward,pods/proxy
  create @ core pods/eviction
  create,delete,deletecollection,patch,update @ core configmaps,events,persistentvolumeclaims,
      replicationcontrollers,replicationcontrollers/scale,secrets,serviceaccounts,services,
      services/proxy
  create @ core serviceaccounts/token
  create,delete,deletecollection,patch,update @ apps daemonsets,deployments,
      deployments/rollback,deployments/scale,replicasets,replicasets/scale,statefulsets,
      statefulsets/scale
  create,delete,deletecollection,patch,update @ autoscaling horizontalpodautoscalers
  create,delete,deletecollection,patch,update @ batch cronjobs,jobs
  create,delete,deletecollection,patch,update @ extensions daemonsets,deployments,
      deployments/rollback,deployments/scale,ingresses,networkpolicies,replicasets,
      replicasets/scale,replicationcontrollers/scale
  create,delete,deletecollection,patch,update @ policy poddisruptionbudgets
  create,delete,deletecollection,patch,update @ networking.{domain} ingresses,networkpolicies
  create,delete,deletecollection,get,list,patch,update,watch @ coordination.{domain} leases
role system:aggregate-to-view into=view
  get,list,watch @ core configmaps,endpoints,persistentvolumeclaims,
      persistentvolumeclaims/status,pods,replicationcontrollers,replicationcontrollers/scale,
      serviceaccounts,services,services/status
  get,list,watch @ core bindings,events,limitranges,namespaces/status,pods/log,pods/status,
      replicationcontrollers/status,resourcequotas,resourcequotas/status
  get,list,watch @ core namespaces
  get,list,watch @ discovery.{domain} endpointslices
  get,list,watch @ apps controllerrevisions,daemonsets,daemonsets/status,deployments,
      deployments/scale,deployments/status,replicasets,replicasets/scale,replicasets/status,
      statefulsets,statefulsets/scale,statefulsets/status
  get,list,watch @ autoscaling horizontalpodautoscalers,horizontalpodautoscalers/status
  get,list,watch @ batch cronjobs,cronjobs/status,jobs,jobs/status
  get,list,watch @ extensions daemonsets,daemonsets/status,deployments,deployments/scale,
      deployments/status,ingresses,ingresses/status,networkpolicies,replicasets,
      replicasets/scale,replicasets/status,replicationcontrollers/scale
  get,list,watch @ policy poddisruptionbudgets,poddisruptionbudgets/status
  get,list,watch @ networking.{domain} ingresses,ingresses/status,networkpolicies
role system:auth-delegator
  create @ authentication.{domain} tokenreviews
  create @ authorization.{domain} subjectaccessreviews
role system:basic-user
  create @ authorization.{domain} selfsubjectaccessreviews,selfsubjectrulesreviews
  create @ authentication.{domain} selfsubjectreviews
role system:certificates.{domain}:certificatesigningrequests:nodeclient
  create @ certificates.{domain} certificatesigningrequests/nodeclient
role system:certificates.{domain}:certificatesigningrequests:selfnodeclient
  create @ certificates.{domain} certificatesigningrequests/selfnodeclient
role system:certificates.{domain}:kube-apiserver-client-approver
  approve @ certificates.{domain} signers = {labelDomain}/kube-apiserver-client
role system:certificates.{domain}:kube-apiserver-client-kubelet-approver
  approve @ certificates.{domain} signers = {labelDomain}/kube-apiserver-client-kubelet
role system:certificates.{domain}:kubelet-serving-approver
  approve @ certificates.{domain} signers = {labelDomain}/kubelet-serving
role system:certificates.{domain}:legacy-unknown-approver
  approve @ certificates.{domain} signers = {labelDomain}/legacy-unknown
role system:discovery
  get @ /api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/
role system:heapster
  get,list,watch @ core events,namespaces,nodes,pods
  get,list,watch @ extensions deployments
role system:kube-aggregator
  get,list,watch @ core endpoints,services
role system:kube-controller-manager
  create,patch,update @ core,events.{domain} events
  create @ coordination.{domain} leases
  get,update @ coordination.{domain} leases = kube-controller-manager
  create @ core secrets,serviceaccounts
  delete @ core secrets
  get @ core configmaps,namespaces,secrets,serviceaccounts
  update @ core secrets,serviceaccounts
  create @ authentication.{domain} tokenreviews
  create @ authorization.{domain} subjectaccessreviews
  list,watch @ * *
  create @ core serviceaccounts/token
role system:kube-dns
  list,watch @ core endpoints,services
role system:kube-scheduler
  create,patch,update @ core,events.{domain} events
  create @ coordination.{domain} leases
  get,list,update,watch @ coordination.{domain} leases = kube-scheduler
  create,delete,deletecollection,get,list,patch,update,watch @ coordination.{domain}
      leasecandidates
  get,list,watch @ core nodes
  delete,get,list,watch @ core pods
  create @ core bindings,pods/binding
  patch,update @ core pods/status
  get,list,watch @ core replicationcontrollers,services
  get,list,watch @ apps,extensions replicasets
  get,list,watch @ apps statefulsets
  get,list,watch @ policy poddisruptionbudgets
  get,list,watch @ core persistentvolumeclaims,persistentvolumes
  create @ authentication.{domain} tokenreviews
  create @ authorization.{domain} subjectaccessreviews
  get,list,watch @ storage.{domain} csinodes
  get,list,watch @ storage.{domain} volumeattachments
  get,list,watch @ core namespaces
  get,list,watch @ storage.{domain} csidrivers
  get,list,watch @ storage.{domain} csistoragecapacities
  get,list,watch @ resource.{domain} deviceclasses
  get,list,patch,update,watch @ resource.{domain} resourceclaims
  get,list,patch,update,watch @ resource.{domain} resourceclaims/status
  get,list,patch,update,watch @ core pods/finalizers
  get,list,watch @ resource.{domain} resourceslices
role system:kubelet-api-admin
  get,list,watch @ core nodes
  proxy @ core nodes
  * @ core nodes/log,nodes/metrics,nodes/proxy,nodes/stats
  * @ core nodes/configz,nodes/healthz,nodes/pods
role system:monitoring
  get @ /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*
  get @ core nodes/metrics
role system:node
  create @ authentication.{domain} tokenreviews
  create @ authorization.{domain} localsubjectaccessreviews,subjectaccessreviews
  get,list,watch @ core services
  create,get,list,watch @ core nodes
  patch,update @ core nodes/status
  patch,update @ core nodes
  create,patch,update @ core events
  get,list,watch @ core pods
  create,delete @ core pods
  patch,update @ core pods/status
  create @ core pods/eviction
  get,list,watch @ core configmaps,secrets
  get @ core persistentvolumeclaims,persistentvolumes
  get @ core endpoints
  create,get,list,watch @ certificates.{domain} certificatesigningrequests
  create,delete,get,patch,update @ coordination.{domain} leases
  get @ storage.{domain} volumeattachments
  create @ core serviceaccounts/token
  get,patch,update @ core persistentvolumeclaims/status
  get,list,watch @ storage.{domain} csidrivers
  create,delete,get,patch,update @ storage.{domain} csinodes
  get,list,watch @ node.{domain} runtimeclasses
  get @ resource.{domain} resourceclaims
  deletecollection @ resource.{domain} resourceslices
role system:node-bootstrapper
  create,get,list,watch @ certificates.{domain} certificatesigningrequests
role system:node-problem-detector
  get @ core nodes
  patch @ core nodes/status
  create,patch,update @ core,events.{domain} events
role system:node-proxier
  list,watch @ core endpoints,services
  get,list,watch @ core nodes
  create,patch,update @ core,events.{domain} events
  list,watch @ discovery.{domain} endpointslices
  list,watch @ networking.{domain} servicecidrs
role system:persistent-volume-provisioner
  create,delete,get,list,watch @ core persistentvolumes
  get,list,update,watch @ core persistentvolumeclaims
  get,list,watch @ storage.{domain} storageclasses
  watch @ core events
  create,patch,update @ core,events.{domain} events
role system:public-info-viewer
  get @ /healthz /livez /readyz /version /version/
role system:service-account-issuer-discovery
  get @ /.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks
      /openid/v1/jwks/
role system:volume-scheduler
  get,list,patch,update,watch @ core persistentvolumes
  get,list,watch @ storage.{domain} storageclasses
  get,list,patch,update,watch @ core persistentvolumeclaims
role view into=edit of=view
`;

/** A binding names the role of its own name unless it says another. */
export const clusterBindingLines = `
bind cluster-admin group=system:masters
bind system:basic-user group=system:authenticated
bind system:discovery group=system:authenticated
bind system:kube-controller-manager user=system:kube-controller-manager
bind system:kube-dns account=kube-system/kube-dns
bind system:kube-scheduler user=system:kube-scheduler
bind system:monitoring group=system:monitoring
bind system:node
bind system:node-proxier user=system:kube-proxy
bind system:public-info-viewer group=system:authenticated group=system:unauthenticated
bind system:service-account-issuer-discovery group=system:serviceaccounts
bind system:volume-scheduler user=system:kube-scheduler
`;
