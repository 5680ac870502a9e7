/** A small shop: more than twenty documents of the kinds that people use, for real clients. */

/** Written once into a new object, these differ from what is stored: kubectl sends them each time. */
export const alwaysSent: ReadonlySet<string> = new Set([
  // What is sent as stringData is kept as data.
  'secret/keys',
  // Its claim templates are one value, and gain a kind, a mode and a status.
  'statefulset.apps/db',
  // Its selector is replaced as a whole, whether it differs or not.
  'poddisruptionbudget.policy/web',
]);

export const shopManifest = `apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: web, namespace: shop}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shop}
data: {mode: fast, a.properties: "x=1\\ny=2\\n"}
---
apiVersion: v1
kind: Secret
metadata: {name: keys, namespace: shop}
type: Opaque
stringData: {password: s3cret}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: disk, namespace: shop}
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: shop-disk}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  hostPath: {path: /data}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec:
  selector: {app: web}
  ports: [{name: http, port: 80, targetPort: http}]
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: limits, namespace: shop}
spec: {hard: {pods: "10", requests.cpu: "4", requests.memory: 8Gi}}
---
apiVersion: v1
kind: LimitRange
metadata: {name: ranges, namespace: shop}
spec:
  limits: [{type: Container, default: {cpu: 500m}, defaultRequest: {cpu: 100m}}]
---
apiVersion: v1
kind: Pod
metadata: {name: tool, namespace: shop}
spec:
  containers: [{name: c, image: busybox, command: [sleep, "1d"], resources: {requests: {cpu: 500m, memory: 64Mi}}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      serviceAccountName: web
      containers:
      - name: web
        image: nginx:1
        ports: [{name: http, containerPort: 8080}]
        readinessProbe: {httpGet: {path: /, port: http}}
        env: [{name: A, value: "1"}]
        volumeMounts: [{name: s, mountPath: /s}]
      volumes: [{name: s, configMap: {name: settings}}]
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: shop}
spec:
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: db, image: "db:1"}]}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: shop}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: a, image: "a:1"}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: once, namespace: shop}
spec:
  template:
    spec: {restartPolicy: Never, containers: [{name: a, image: "a:1"}]}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly, namespace: shop}
spec:
  schedule: "0 3 * * *"
  jobTemplate:
    spec:
      template:
        spec: {restartPolicy: OnFailure, containers: [{name: a, image: "a:1"}]}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, namespace: shop}
spec:
  rules:
  - host: shop.example
    http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {name: http}}}}]}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: deny, namespace: shop}
spec: {podSelector: {}, policyTypes: [Ingress]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: shop}
rules: [{apiGroups: [""], resources: [pods], verbs: [get, list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader, namespace: shop}
subjects: [{kind: ServiceAccount, name: web, namespace: shop}]
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web, namespace: shop}
spec: {minAvailable: 50%, selector: {matchLabels: {app: web}}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  maxReplicas: 5
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 70}}}]
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: quick}
provisioner: example.com/quick
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: urgent}
value: 1000
`;
