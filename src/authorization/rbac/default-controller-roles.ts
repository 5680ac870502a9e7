/**
 * The default cluster roles of controllers, as data; the lines are those of
 * default-cluster-roles.ts.
 *
 * Every name stands for `system:controller:NAME`, and each role is bound to the service account
 * NAME of the system namespace.
 */

/** In order of names. */
export const controllerRoleLines = `
role attachdetach-controller
  list,watch @ core persistentvolumeclaims,persistentvolumes
  get,list,watch @ core nodes
  patch,update @ core nodes/status
  list,watch @ core pods
  create,patch,update @ core,events.{domain} events
  create,delete,get,list,watch @ storage.{domain} volumeattachments
  get,list,watch @ storage.{domain} csidrivers
  get,list,watch @ storage.{domain} csinodes
role certificate-controller
  delete,get,list,watch @ certificates.{domain} certificatesigningrequests
  update @ certificates.{domain} certificatesigningrequests/approval,
      certificatesigningrequests/status
  approve @ certificates.{domain} signers = {labelDomain}/kube-apiserver-client-kubelet
  sign @ certificates.{domain} signers = {labelDomain}/kube-apiserver-client,
      {labelDomain}/kube-apiserver-client-kubelet,{labelDomain}/kubelet-serving,
      {labelDomain}/legacy-unknown
  create @ authorization.{domain} subjectaccessreviews
  create,patch,update @ core,events.{domain} events
role clusterrole-aggregation-controller
  escalate,get,list,patch,update,watch @ rbac.authorization.{domain} clusterroles
role cronjob-controller
  get,list,update,watch @ batch cronjobs
  create,delete,get,list,patch,update,watch @ batch jobs
  update @ batch cronjobs/status
  update @ batch cronjobs/finalizers
  delete,list @ core pods
  create,patch,update @ core,events.{domain} events
role daemon-set-controller
  get,list,watch @ apps,extensions daemonsets
  update @ apps,extensions daemonsets/status
  update @ apps,extensions daemonsets/finalizers
  list,watch @ core nodes
  create,delete,list,patch,watch @ core pods
  create @ core pods/binding
  create,delete,get,list,patch,update,watch @ apps controllerrevisions
  create,patch,update @ core,events.{domain} events
role deployment-controller
  get,list,update,watch @ apps,extensions deployments
  update @ apps,extensions deployments/status
  update @ apps,extensions deployments/finalizers
  create,delete,get,list,patch,update,watch @ apps,extensions replicasets
  get,list,update,watch @ core pods
  create,patch,update @ core,events.{domain} events
role disruption-controller
  get,list,watch @ apps,extensions deployments
  get,list,watch @ apps,extensions replicasets
  get,list,watch @ core replicationcontrollers
  get,list,watch @ policy poddisruptionbudgets
  get,list,watch @ apps statefulsets
  update @ policy poddisruptionbudgets/status
  patch,update @ core pods/status
  get @ * */scale
  create,patch,update @ core,events.{domain} events
role endpoint-controller
  get,list,watch @ core pods,services
  create,delete,get,list,update @ core endpoints
  create @ core endpoints/restricted
  create,patch,update @ core,events.{domain} events
role endpointslice-controller
  get,list,watch @ core nodes,pods,services
  update @ core services/finalizers
  create,delete,get,list,update @ discovery.{domain} endpointslices
  create,patch,update @ core,events.{domain} events
role endpointslicemirroring-controller
  get,list,watch @ core endpoints,services
  update @ core services/finalizers
  update @ core endpoints/finalizers
  create,delete,get,list,update @ discovery.{domain} endpointslices
  create,patch,update @ core,events.{domain} events
role ephemeral-volume-controller
  get,list,watch @ core pods
  update @ core pods/finalizers
  create,get,list,watch @ core persistentvolumeclaims
  create,patch,update @ core,events.{domain} events
role expand-controller
  get,list,patch,update,watch @ core persistentvolumes
  patch,update @ core persistentvolumeclaims/status
  get,list,watch @ core persistentvolumeclaims
  create,patch,update @ core,events.{domain} events
  get @ core services
role generic-garbage-collector
  delete,get,list,patch,update,watch @ * *
  create,patch,update @ core,events.{domain} events
role horizontal-pod-autoscaler
  get,list,watch @ autoscaling horizontalpodautoscalers
  update @ autoscaling horizontalpodautoscalers/status
  get,update @ * */scale
  list @ core pods
  list @ metrics.{domain} pods
  get,list @ custom.metrics.{domain} *
  get,list @ external.metrics.{domain} *
  create,patch,update @ core,events.{domain} events
role job-controller
  get,list,patch,update,watch @ batch jobs
  update @ batch jobs/status
  update @ batch jobs/finalizers
  create,delete,list,patch,watch @ core pods
  create,patch,update @ core,events.{domain} events
role legacy-service-account-token-cleaner
  get @ core configmaps = kube-apiserver-legacy-service-account-token-tracking
  delete,patch @ core secrets
role namespace-controller
  delete,get,list,watch @ core namespaces
  update @ core namespaces/finalize,namespaces/status
  delete,deletecollection,get,list @ * *
role node-controller
  delete,get,list,patch,update @ core nodes
  patch,update @ core nodes/status
  patch,update @ core pods/status
  delete,get,list @ core pods
  create,patch,update @ core,events.{domain} events
role persistent-volume-binder
  create,delete,get,list,update,watch @ core persistentvolumes
  update @ core persistentvolumes/status
  get,list,update,watch @ core persistentvolumeclaims
  update @ core persistentvolumeclaims/status
  create,delete,get,list,watch @ core pods
  get,list,watch @ storage.{domain} storageclasses
  list,watch @ core nodes
  create,patch,update @ core,events.{domain} events
  watch @ core events
  get @ core services
role pod-garbage-collector
  delete,list,watch @ core pods
  get,list @ core nodes
  patch @ core pods/status
role pv-protection-controller
  get,list,update,watch @ core persistentvolumes
  create,patch,update @ core,events.{domain} events
role pvc-protection-controller
  get,list,update,watch @ core persistentvolumeclaims
  get,list,watch @ core pods
  create,patch,update @ core,events.{domain} events
role replicaset-controller
  get,list,update,watch @ apps,extensions replicasets
  update @ apps,extensions replicasets/status
  update @ apps,extensions replicasets/finalizers
  create,delete,list,patch,watch @ core pods
  create,patch,update @ core,events.{domain} events
role replication-controller
  get,list,update,watch @ core replicationcontrollers
  update @ core replicationcontrollers/status
  update @ core replicationcontrollers/finalizers
  create,delete,list,patch,watch @ core pods
  create,patch,update @ core,events.{domain} events
role resource-claim-controller
  get,list,watch @ core pods
  update @ core pods/finalizers
  create,delete,get,list,watch @ resource.{domain} resourceclaims
  patch,update @ resource.{domain} resourceclaims,resourceclaims/status
  patch,update @ core pods/status
  create,patch,update @ core,events.{domain} events
role resourcequota-controller
  list,watch @ * *
  update @ core resourcequotas/status
  create,patch,update @ core,events.{domain} events
role root-ca-cert-publisher
  create,update @ core configmaps
  create,patch,update @ core,events.{domain} events
role route-controller
  list,watch @ core nodes
  patch @ core nodes/status
  create,patch,update @ core,events.{domain} events
role selinux-warning-controller
  create,patch,update @ core,events.{domain} events
  get,list,watch @ core persistentvolumes
  get,list,watch @ core persistentvolumeclaims
  get,list,watch @ core pods
  get,list,watch @ storage.{domain} csidrivers
role service-account-controller
  create @ core serviceaccounts
  create,patch,update @ core,events.{domain} events
role service-cidrs-controller
  get,list,patch,update,watch @ networking.{domain} servicecidrs
  patch,update @ networking.{domain} servicecidrs/finalizers
  patch,update @ networking.{domain} servicecidrs/status
  get,list,watch @ networking.{domain} ipaddresses
  create,patch,update @ core,events.{domain} events
role service-controller
  get,list,watch @ core services
  patch,update @ core services/status
  list,watch @ core nodes
  create,patch,update @ core,events.{domain} events
role statefulset-controller
  list,watch @ core pods
  get,list,watch @ apps statefulsets
  update @ apps statefulsets/status
  update @ apps statefulsets/finalizers
  create,delete,get,patch,update @ core pods
  create,delete,get,list,patch,update,watch @ apps controllerrevisions
  create,get,list,watch @ core persistentvolumeclaims
  create,patch,update @ core,events.{domain} events
  delete,update @ core persistentvolumeclaims
  update @ core pods/finalizers
role ttl-after-finished-controller
  delete,get,list,watch @ batch jobs
  create,patch,update @ core,events.{domain} events
role ttl-controller
  list,patch,update,watch @ core nodes
  create,patch,update @ core,events.{domain} events
role validatingadmissionpolicy-status-controller
  get,list,watch @ admissionregistration.{domain} validatingadmissionpolicies
  get,patch,update @ admissionregistration.{domain} validatingadmissionpolicies/status
  create,patch,update @ core,events.{domain} events
`;
