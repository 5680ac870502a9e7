/**
 * Every built-in kind at every version, derived from the facts (generate/kinds.ts prints
 * this file). Generated: edit the generator, or a kind's definition for what the facts leave out.
 *
 *     group <name, '-' is core> <package of its types>
 *     <version> <kind> <resource> <scope> [since= old= gone= (minor releases of 1)]
 *       [use=<replacement>] [sub=<subresources>] [short=<names>] [in=<categories>]
 */
export const kindRows = `
group - core
v1 ComponentStatus componentstatuses cluster since=0 short=cs
v1 ConfigMap configmaps namespaced since=2 short=cm
v1 Endpoints endpoints namespaced since=0 short=ep
v1 Event events namespaced since=0 short=ev
v1 LimitRange limitranges namespaced since=0 short=limits
v1 Namespace namespaces cluster since=0 sub=status short=ns
v1 Node nodes cluster since=0 sub=status short=no
v1 PersistentVolume persistentvolumes cluster since=0 sub=status short=pv
v1 PersistentVolumeClaim persistentvolumeclaims namespaced since=0 sub=status short=pvc
v1 Pod pods namespaced since=0 sub=status,ephemeralcontainers,resize short=po in=all
v1 PodTemplate podtemplates namespaced since=0
v1 ReplicationController replicationcontrollers namespaced since=0 sub=status,scale short=rc in=all
v1 ResourceQuota resourcequotas namespaced since=0 sub=status short=quota
v1 Secret secrets namespaced since=0
v1 Service services namespaced since=0 sub=status short=svc in=all
v1 ServiceAccount serviceaccounts namespaced since=0 sub=token short=sa
group admissionregistration.{domain} admissionregistration
v1 MutatingWebhookConfiguration mutatingwebhookconfigurations cluster since=16 in=api-extensions
v1 ValidatingAdmissionPolicy validatingadmissionpolicies cluster since=30 sub=status in=api-extensions
v1 ValidatingAdmissionPolicyBinding validatingadmissionpolicybindings cluster since=30 in=api-extensions
v1 ValidatingWebhookConfiguration validatingwebhookconfigurations cluster since=16 in=api-extensions
v1alpha1 MutatingAdmissionPolicy mutatingadmissionpolicies cluster since=32 in=api-extensions
v1alpha1 MutatingAdmissionPolicyBinding mutatingadmissionpolicybindings cluster since=32 in=api-extensions
v1alpha1 ValidatingAdmissionPolicy validatingadmissionpolicies cluster since=26 sub=status in=api-extensions
v1alpha1 ValidatingAdmissionPolicyBinding validatingadmissionpolicybindings cluster since=26 in=api-extensions
v1beta1 MutatingWebhookConfiguration mutatingwebhookconfigurations cluster since=9 old=16 gone=22 use=v1 in=api-extensions
v1beta1 ValidatingAdmissionPolicy validatingadmissionpolicies cluster since=28 sub=status in=api-extensions
v1beta1 ValidatingAdmissionPolicyBinding validatingadmissionpolicybindings cluster since=28 in=api-extensions
v1beta1 ValidatingWebhookConfiguration validatingwebhookconfigurations cluster since=9 old=16 gone=22 use=v1 in=api-extensions
group apiextensions.{domain} apiextensions
v1 CustomResourceDefinition customresourcedefinitions cluster since=16 sub=status short=crd,crds in=api-extensions
v1beta1 CustomResourceDefinition customresourcedefinitions cluster since=7 old=16 gone=22 use=v1 sub=status short=crd,crds in=api-extensions
group apps apps
v1 ControllerRevision controllerrevisions namespaced since=9
v1 DaemonSet daemonsets namespaced since=9 sub=status short=ds in=all
v1 Deployment deployments namespaced since=9 sub=status,scale short=deploy in=all
v1 ReplicaSet replicasets namespaced since=9 sub=status,scale short=rs in=all
v1 StatefulSet statefulsets namespaced since=9 sub=status,scale short=sts in=all
v1beta1 ControllerRevision controllerrevisions namespaced since=7 old=8 gone=16 use=v1
v1beta1 Deployment deployments namespaced since=6 old=8 gone=16 use=v1 sub=status short=deploy in=all
v1beta1 StatefulSet statefulsets namespaced since=5 old=8 gone=16 use=v1 sub=status short=sts in=all
v1beta2 ControllerRevision controllerrevisions namespaced since=8 old=9 gone=16 use=v1
v1beta2 DaemonSet daemonsets namespaced since=8 old=9 gone=16 use=v1 sub=status short=ds in=all
v1beta2 Deployment deployments namespaced since=8 old=9 gone=16 use=v1 sub=status short=deploy in=all
v1beta2 ReplicaSet replicasets namespaced since=8 old=9 gone=16 use=v1 sub=status short=rs in=all
v1beta2 StatefulSet statefulsets namespaced since=8 old=9 gone=16 use=v1 sub=status,scale short=sts in=all
group authentication.{domain} authentication
v1 SelfSubjectReview selfsubjectreviews cluster since=28
v1 TokenReview tokenreviews cluster since=6
v1alpha1 SelfSubjectReview selfsubjectreviews cluster since=26
v1beta1 SelfSubjectReview selfsubjectreviews cluster since=27
v1beta1 TokenReview tokenreviews cluster since=4 old=19 use=v1
group authorization.{domain} authorization
v1 LocalSubjectAccessReview localsubjectaccessreviews namespaced since=19
v1 SelfSubjectAccessReview selfsubjectaccessreviews cluster since=19
v1 SelfSubjectRulesReview selfsubjectrulesreviews cluster since=19
v1 SubjectAccessReview subjectaccessreviews cluster since=6
v1beta1 LocalSubjectAccessReview localsubjectaccessreviews namespaced since=2 old=19 use=v1
v1beta1 SelfSubjectAccessReview selfsubjectaccessreviews cluster since=2 old=19 use=v1
v1beta1 SelfSubjectRulesReview selfsubjectrulesreviews cluster since=8 old=19 use=v1
v1beta1 SubjectAccessReview subjectaccessreviews cluster since=2 old=19 use=v1
group autoscaling autoscaling
v1 HorizontalPodAutoscaler horizontalpodautoscalers namespaced since=2 sub=status short=hpa in=all
v2 HorizontalPodAutoscaler horizontalpodautoscalers namespaced since=23 sub=status short=hpa in=all
v2beta1 HorizontalPodAutoscaler horizontalpodautoscalers namespaced since=8 old=22 use=v2 sub=status short=hpa in=all
v2beta2 HorizontalPodAutoscaler horizontalpodautoscalers namespaced since=12 old=23 use=v2 sub=status short=hpa in=all
group batch batch
v1 CronJob cronjobs namespaced since=21 sub=status short=cj in=all
v1 Job jobs namespaced since=2 sub=status in=all
v1beta1 CronJob cronjobs namespaced since=8 old=21 gone=25 use=v1 sub=status short=cj in=all
group certificates.{domain} certificates
v1 CertificateSigningRequest certificatesigningrequests cluster since=19 sub=status,approval short=csr
v1alpha1 ClusterTrustBundle clustertrustbundles cluster since=26 old=34
v1beta1 CertificateSigningRequest certificatesigningrequests cluster since=12 old=19 use=v1 sub=status short=csr
v1beta1 ClusterTrustBundle clustertrustbundles cluster since=33
group coordination.{domain} coordination
v1 Lease leases namespaced since=14
v1alpha2 LeaseCandidate leasecandidates namespaced since=32
v1beta1 Lease leases namespaced since=12 old=19 use=v1
v1beta1 LeaseCandidate leasecandidates namespaced since=33
group discovery.{domain} discovery
v1 EndpointSlice endpointslices namespaced since=21
v1beta1 EndpointSlice endpointslices namespaced since=16 old=21 gone=25 use=v1
group events.{domain} events
v1 Event events namespaced since=19 short=ev
v1beta1 Event events namespaced since=8 old=22 short=ev
group extensions extensions
v1beta1 DaemonSet daemonsets namespaced since=1 old=8 gone=16 use=apps/v1 sub=status short=ds in=all
v1beta1 Deployment deployments namespaced since=1 old=8 gone=16 use=apps/v1 sub=status,scale short=deploy in=all
v1beta1 Ingress ingresses namespaced since=1 old=14 gone=22 use=networking.{domain}/v1 sub=status short=ing
v1beta1 NetworkPolicy networkpolicies namespaced since=3 old=9 gone=16 use=networking.{domain}/v1 short=netpol
v1beta1 PodSecurityPolicy podsecuritypolicies cluster since=2 old=11 gone=16 use=policy/v1beta1 short=psp
v1beta1 ReplicaSet replicasets namespaced since=2 old=8 gone=16 use=apps/v1 sub=status,scale short=rs in=all
group flowcontrol.{domain} flowcontrol
v1 FlowSchema flowschemas cluster since=29 sub=status
v1 PriorityLevelConfiguration prioritylevelconfigurations cluster since=29 sub=status
v1beta1 FlowSchema flowschemas cluster since=20 use=v1beta3 sub=status
v1beta1 PriorityLevelConfiguration prioritylevelconfigurations cluster since=20 use=v1beta3 sub=status
v1beta2 FlowSchema flowschemas cluster since=23 use=v1beta3 sub=status
v1beta2 PriorityLevelConfiguration prioritylevelconfigurations cluster since=23 use=v1beta3 sub=status
v1beta3 FlowSchema flowschemas cluster since=26 use=v1 sub=status
v1beta3 PriorityLevelConfiguration prioritylevelconfigurations cluster since=26 use=v1 sub=status
group imagepolicy.{domain} imagepolicy
v1alpha1 ImageReview imagereviews cluster sub=status
group internal.apiserver.{domain} apiserverinternal
v1alpha1 StorageVersion storageversions cluster sub=status
group networking.{domain} networking
v1 IPAddress ipaddresses cluster since=33 short=ip
v1 Ingress ingresses namespaced since=19 sub=status short=ing
v1 IngressClass ingressclasses cluster since=19
v1 NetworkPolicy networkpolicies namespaced since=7 short=netpol
v1 ServiceCIDR servicecidrs cluster since=33 sub=status
v1alpha1 IPAddress ipaddresses cluster since=27 short=ip
v1alpha1 ServiceCIDR servicecidrs cluster since=27 sub=status
v1beta1 IPAddress ipaddresses cluster since=31 short=ip
v1beta1 Ingress ingresses namespaced since=14 old=19 use=v1 sub=status short=ing
v1beta1 IngressClass ingressclasses cluster since=18 old=19 use=networking.{domain}/v1/IngressClassList
v1beta1 ServiceCIDR servicecidrs cluster since=31 sub=status
group node.{domain} node
v1 RuntimeClass runtimeclasses cluster since=20
v1alpha1 RuntimeClass runtimeclasses cluster
v1beta1 RuntimeClass runtimeclasses cluster since=13 old=22
group policy policy
v1 Eviction evictions namespaced since=22
v1 PodDisruptionBudget poddisruptionbudgets namespaced since=21 sub=status short=pdb
v1beta1 Eviction evictions namespaced since=5 old=22
v1beta1 PodDisruptionBudget poddisruptionbudgets namespaced since=5 old=21 gone=25 use=v1 sub=status short=pdb
v1beta1 PodSecurityPolicy podsecuritypolicies cluster since=10 old=21 gone=25 short=psp
group rbac.authorization.{domain} rbac
v1 ClusterRole clusterroles cluster since=8
v1 ClusterRoleBinding clusterrolebindings cluster since=8
v1 Role roles namespaced since=8
v1 RoleBinding rolebindings namespaced since=8
v1alpha1 ClusterRole clusterroles cluster
v1alpha1 ClusterRoleBinding clusterrolebindings cluster
v1alpha1 Role roles namespaced
v1alpha1 RoleBinding rolebindings namespaced
v1beta1 ClusterRole clusterroles cluster since=6 old=17 gone=22 use=v1
v1beta1 ClusterRoleBinding clusterrolebindings cluster since=6 old=17 gone=22 use=v1
v1beta1 Role roles namespaced since=6 old=17 gone=22 use=v1
v1beta1 RoleBinding rolebindings namespaced since=6 old=17 gone=22 use=v1
group resource.{domain} resource
v1alpha3 DeviceClass deviceclasses cluster since=31 use=v1beta1
v1alpha3 DeviceTaintRule devicetaintrules cluster since=33
v1alpha3 ResourceClaim resourceclaims namespaced since=31 use=v1beta1 sub=status
v1alpha3 ResourceClaimTemplate resourceclaimtemplates namespaced since=31 use=v1beta1
v1alpha3 ResourceSlice resourceslices cluster since=31 use=v1beta1
v1beta1 DeviceClass deviceclasses cluster since=32
v1beta1 ResourceClaim resourceclaims namespaced since=32 sub=status
v1beta1 ResourceClaimTemplate resourceclaimtemplates namespaced since=32
v1beta1 ResourceSlice resourceslices cluster since=32
v1beta2 DeviceClass deviceclasses cluster since=33
v1beta2 ResourceClaim resourceclaims namespaced since=33 sub=status
v1beta2 ResourceClaimTemplate resourceclaimtemplates namespaced since=33
v1beta2 ResourceSlice resourceslices cluster since=33
group scheduling.{domain} scheduling
v1 PriorityClass priorityclasses cluster since=14 short=pc
v1alpha1 PriorityClass priorityclasses cluster short=pc
v1beta1 PriorityClass priorityclasses cluster since=11 old=14 gone=22 use=v1 short=pc
group storage.{domain} storage
v1 CSIDriver csidrivers cluster since=18
v1 CSINode csinodes cluster since=17
v1 CSIStorageCapacity csistoragecapacities namespaced since=24
v1 StorageClass storageclasses cluster since=6 short=sc
v1 VolumeAttachment volumeattachments cluster since=13 sub=status
v1alpha1 CSIStorageCapacity csistoragecapacities namespaced since=19 old=21 use=v1beta1
v1alpha1 VolumeAttachment volumeattachments cluster since=9 old=21 use=v1 sub=status
v1alpha1 VolumeAttributesClass volumeattributesclasses cluster since=29 short=vac
v1beta1 CSIDriver csidrivers cluster since=14 old=19 use=v1
v1beta1 CSINode csinodes cluster since=14 old=17 gone=22 use=v1
v1beta1 CSIStorageCapacity csistoragecapacities namespaced since=21 old=24 use=v1
v1beta1 StorageClass storageclasses cluster since=4 old=19 use=v1 short=sc
v1beta1 VolumeAttachment volumeattachments cluster since=10 old=19 use=v1 sub=status
v1beta1 VolumeAttributesClass volumeattributesclasses cluster since=31 short=vac
group storagemigration.{domain} storagemigration
v1alpha1 StorageVersionMigration storageversionmigrations cluster since=30 sub=status
`;
