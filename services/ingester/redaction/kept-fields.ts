/**
 * The recorded fields of an object. `true` keeps a whole value; an object has the rules of its parts by name, and `*`
 * in a name stands for any characters. A rule applies to each element of a list: `containers: { name: true }` keeps the
 * name of each container.
 */
export type KeptFields = true | { readonly [name: string]: KeptFields };

/** The kinds of objects with kept fields; a template follows the rules of the objects made from it. */
export type KeptObject = 'pod' | 'job' | 'cronjob';

const METADATA: KeptFields = {
  name: true,
  generateName: true,
  namespace: true,
  uid: true,
  resourceVersion: true,
  generation: true,
  creationTimestamp: true,
  deletionTimestamp: true,
  deletionGracePeriodSeconds: true,
  labels: true,
  // Only these annotations are recorded, because other annotations may contain whole manifests, command lines or
  // tokens.
  annotations: {
    'batch.kubernetes.io/*': true,
    'jobledger.dev/*': true,
    'cronjob.kubernetes.io/instantiate': true,
    'scheduling.k8s.io/group-template-name': true,
  },
  finalizers: true,
  ownerReferences: true,
  // Managed fields are recorded without values, see managed-fields.ts.
  managedFields: true,
};

const CONDITIONS = {
  type: true,
  status: true,
  reason: true,
  message: true,
  lastProbeTime: true,
  lastTransitionTime: true,
} satisfies KeptFields;

/** Hooks are recorded without the action, because a command line, headers and paths may contain tokens. */
const PROBE: KeptFields = {
  initialDelaySeconds: true,
  timeoutSeconds: true,
  periodSeconds: true,
  successThreshold: true,
  failureThreshold: true,
  terminationGracePeriodSeconds: true,
  tcpSocket: { port: true },
  httpGet: { port: true, scheme: true, protocol: true },
  grpc: { port: true, mode: true },
};

/**
 * The security contexts of pods and containers, without options for the kernel and for Windows, which are free text.
 */
const SECURITY_CONTEXT = {
  runAsUser: true,
  runAsGroup: true,
  runAsNonRoot: true,
  seccompProfile: { type: true },
  appArmorProfile: { type: true },
} satisfies KeptFields;

const POD_SECURITY_CONTEXT = {
  ...SECURITY_CONTEXT,
  fsGroup: true,
  fsGroupChangePolicy: true,
  supplementalGroups: true,
  supplementalGroupsPolicy: true,
} satisfies KeptFields;

const CONTAINER_SECURITY_CONTEXT = {
  ...SECURITY_CONTEXT,
  privileged: true,
  allowPrivilegeEscalation: true,
  readOnlyRootFilesystem: true,
  procMount: true,
  capabilities: true,
} satisfies KeptFields;

const CONTAINER = {
  name: true,
  image: true,
  imagePullPolicy: true,
  restartPolicy: true,
  restartPolicyRules: true,
  resources: true,
  resizePolicy: true,
  ports: true,
  env: { name: true, valueFrom: true },
  envFrom: true,
  volumeMounts: true,
  volumeDevices: true,
  livenessProbe: PROBE,
  readinessProbe: PROBE,
  startupProbe: PROBE,
  lifecycle: { stopSignal: true },
  securityContext: CONTAINER_SECURITY_CONTEXT,
  terminationMessagePath: true,
  terminationMessagePolicy: true,
  stdin: true,
  stdinOnce: true,
  tty: true,
} satisfies KeptFields;

/** The names of mounted objects; addresses, options and attributes of storage are left out. */
const VOLUME: KeptFields = {
  name: true,
  configMap: { name: true, optional: true, defaultMode: true },
  secret: { secretName: true, optional: true, defaultMode: true },
  persistentVolumeClaim: true,
  emptyDir: true,
  hostPath: true,
  downwardAPI: true,
  image: true,
  projected: {
    defaultMode: true,
    sources: {
      configMap: { name: true, optional: true },
      secret: { name: true, optional: true },
      downwardAPI: true,
      serviceAccountToken: { audience: true, expirationSeconds: true, path: true },
    },
  },
  csi: { driver: true, readOnly: true, fsType: true },
  ephemeral: {
    volumeClaimTemplate: { spec: { storageClassName: true, accessModes: true, resources: true } },
  },
};

const POD_SPEC: KeptFields = {
  containers: CONTAINER,
  initContainers: CONTAINER,
  ephemeralContainers: { ...CONTAINER, targetContainerName: true },
  volumes: VOLUME,
  restartPolicy: true,
  activeDeadlineSeconds: true,
  terminationGracePeriodSeconds: true,
  nodeName: true,
  nodeSelector: true,
  affinity: true,
  tolerations: true,
  topologySpreadConstraints: true,
  schedulerName: true,
  schedulingGates: true,
  schedulingGroup: true,
  evictionResponders: true,
  priority: true,
  priorityClassName: true,
  preemptionPolicy: true,
  runtimeClassName: true,
  overhead: true,
  resources: true,
  resourceClaims: true,
  serviceAccount: true,
  serviceAccountName: true,
  automountServiceAccountToken: true,
  imagePullSecrets: true,
  enableServiceLinks: true,
  hostname: true,
  hostnameOverride: true,
  subdomain: true,
  setHostnameAsFQDN: true,
  hostNetwork: true,
  hostPID: true,
  hostIPC: true,
  hostUsers: true,
  shareProcessNamespace: true,
  dnsPolicy: true,
  os: true,
  readinessGates: true,
  securityContext: POD_SECURITY_CONTEXT,
};

/**
 * Messages are left out: a program writes its own when it ends, and other messages quote command lines
 * (known-phrases.ts).
 */
const CONTAINER_STATE: KeptFields = {
  waiting: { reason: true },
  running: true,
  terminated: {
    exitCode: true,
    signal: true,
    reason: true,
    startedAt: true,
    finishedAt: true,
    containerID: true,
  },
};

const CONTAINER_STATUS: KeptFields = {
  name: true,
  image: true,
  imageID: true,
  containerID: true,
  ready: true,
  started: true,
  restartCount: true,
  state: CONTAINER_STATE,
  lastState: CONTAINER_STATE,
  allocatedResources: true,
  resources: true,
  stopSignal: true,
};

const POD_STATUS: KeptFields = {
  phase: true,
  reason: true,
  message: true,
  observedGeneration: true,
  startTime: true,
  conditions: { ...CONDITIONS, observedGeneration: true },
  containerStatuses: CONTAINER_STATUS,
  initContainerStatuses: CONTAINER_STATUS,
  ephemeralContainerStatuses: CONTAINER_STATUS,
  hostIP: true,
  hostIPs: true,
  podIP: true,
  podIPs: true,
  nominatedNodeName: true,
  qosClass: true,
  resize: true,
  resources: true,
  allocatedResources: true,
  volumeHealth: { name: true, healthConditions: { status: true, reason: true } },
};

const POD: KeptFields = {
  apiVersion: true,
  kind: true,
  metadata: METADATA,
  spec: POD_SPEC,
  status: POD_STATUS,
};

const JOB: KeptFields = {
  apiVersion: true,
  kind: true,
  metadata: METADATA,
  spec: {
    parallelism: true,
    completions: true,
    activeDeadlineSeconds: true,
    backoffLimit: true,
    backoffLimitPerIndex: true,
    maxFailedIndexes: true,
    completionMode: true,
    suspend: true,
    podReplacementPolicy: true,
    podFailurePolicy: true,
    successPolicy: true,
    selector: true,
    manualSelector: true,
    ttlSecondsAfterFinished: true,
    managedBy: true,
    scheduling: true,
  },
  status: {
    conditions: CONDITIONS,
    startTime: true,
    completionTime: true,
    active: true,
    ready: true,
    terminating: true,
    succeeded: true,
    failed: true,
    completedIndexes: true,
    failedIndexes: true,
    uncountedTerminatedPods: true,
  },
};

const CRON_JOB: KeptFields = {
  apiVersion: true,
  kind: true,
  metadata: METADATA,
  spec: {
    schedule: true,
    timeZone: true,
    startingDeadlineSeconds: true,
    concurrencyPolicy: true,
    suspend: true,
    successfulJobsHistoryLimit: true,
    failedJobsHistoryLimit: true,
  },
  status: { active: true, lastScheduleTime: true, lastSuccessfulTime: true },
};

/** The recorded fields of each object, without its template. */
export const KEPT_FIELDS: Readonly<Record<KeptObject, KeptFields>> = {
  pod: POD,
  job: JOB,
  cronjob: CRON_JOB,
};
