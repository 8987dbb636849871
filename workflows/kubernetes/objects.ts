/**
 * The fields of the Kubernetes API that Jobledger reads or writes, exactly as the API names them. Objects from the API have more fields; a write
 * sends back all fields unchanged.
 */
export interface ObjectMeta {
  name: string;
  namespace: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  generateName?: string;
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

export interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastProbeTime?: string | null;
  lastTransitionTime?: string | null;
}

/** The `spec` of a Job without its template (J-1.2). */
export interface JobSpec {
  parallelism?: number;
  completions?: number;
  activeDeadlineSeconds?: number;
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  maxFailedIndexes?: number;
  completionMode?: string;
  suspend?: boolean;
  podReplacementPolicy?: string;
  podFailurePolicy?: PodFailurePolicy;
  successPolicy?: SuccessPolicy;
  selector?: LabelSelector;
  manualSelector?: boolean;
  ttlSecondsAfterFinished?: number;
  managedBy?: string;
  scheduling?: JobScheduling;
}

/** The scheduling of the pods of a Job, since Kubernetes 1.37 (J-8.21). */
export interface JobScheduling {
  schedulingPolicy?: { basic?: object; gang?: { minCount?: number } };
  schedulingConstraints?: { topology?: { key: string }[] };
  disruptionMode?: { single?: object; all?: object };
  resourceClaims?: PodGroupClaim[];
}

/** A claim for devices that the pods of a group share. */
export interface PodGroupClaim {
  name: string;
  resourceClaimName?: string;
  resourceClaimTemplateName?: string;
}

export interface PodFailurePolicy {
  rules: PodFailurePolicyRule[];
}

export interface PodFailurePolicyRule {
  action: string;
  onExitCodes?: { containerName?: string; operator: string; values: number[] };
  onPodConditions?: { type: string; status?: string }[];
}

export interface SuccessPolicy {
  rules: { succeededIndexes?: string; succeededCount?: number }[];
}

/** `status` of a Job (J-1.22). */
export interface JobStatus {
  conditions?: Condition[];
  startTime?: string;
  completionTime?: string;
  active?: number;
  ready?: number;
  terminating?: number;
  succeeded?: number;
  failed?: number;
  completedIndexes?: string;
  failedIndexes?: string;
  uncountedTerminatedPods?: { succeeded?: string[]; failed?: string[] };
}

export interface PodTemplate {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string>; finalizers?: string[] };
  spec: PodSpec;
}

export interface PodSpec {
  restartPolicy?: string;
  nodeName?: string;
  hostname?: string;
  subdomain?: string;
  affinity?: { podAffinity?: unknown; podAntiAffinity?: unknown };
  schedulingGroup?: { podGroupName?: string };
  priorityClassName?: string;
  activeDeadlineSeconds?: number;
  terminationGracePeriodSeconds?: number;
  containers: Container[];
  initContainers?: Container[];
  overhead?: Record<string, string>;
  resources?: Resources;
}

/** Quantities by resource. */
export interface Resources {
  requests?: Record<string, string>;
  limits?: Record<string, string>;
}

export interface Container {
  name: string;
  image?: string;
  restartPolicy?: string;
  resources?: Resources;
  env?: { name: string; value?: string; valueFrom?: unknown }[];
}

export interface Job {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  spec: JobSpec & { template?: PodTemplate };
  status?: JobStatus;
}

export interface ContainerStatus {
  name: string;
  restartCount?: number;
  /** The name of the image, with its digest, such as `docker.io/library/busybox@sha256:…`. */
  imageID?: string;
  state?: ContainerState;
  lastState?: ContainerState;
}

export interface ContainerState {
  running?: { startedAt?: string | null };
  terminated?: { exitCode: number; startedAt?: string | null; finishedAt?: string | null };
}

export interface Pod {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  spec: PodSpec;
  status?: {
    phase?: string;
    reason?: string;
    message?: string;
    startTime?: string;
    qosClass?: string;
    conditions?: Condition[];
    containerStatuses?: ContainerStatus[];
    initContainerStatuses?: ContainerStatus[];
  };
}

export interface ObjectReference {
  kind?: string;
  apiVersion?: string;
  namespace?: string;
  name: string;
  uid: string;
  resourceVersion?: string;
}

/** The `spec` of a CronJob without its template (J-9.1). */
export interface CronJobSpec {
  schedule: string;
  timeZone?: string;
  startingDeadlineSeconds?: number;
  concurrencyPolicy?: string;
  suspend?: boolean;
  successfulJobsHistoryLimit?: number;
  failedJobsHistoryLimit?: number;
}

/** `status` of a CronJob (J-9.1). */
export interface CronJobStatus {
  active?: ObjectReference[];
  lastScheduleTime?: string;
  lastSuccessfulTime?: string;
}

/** The template of the Jobs of a CronJob. */
export interface JobTemplate {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
  spec: Job['spec'];
}

export interface CronJob {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  spec: CronJobSpec & { jobTemplate?: JobTemplate };
  status?: CronJobStatus;
}

/** The Workload of a Job, which describes how the pods of the Job are scheduled (J-8.4, J-8.23). */
export interface Workload {
  metadata: ObjectMeta;
  spec: {
    controllerRef?: { apiGroup?: string; kind: string; name: string };
    podGroupTemplates: PodGroupTemplate[];
  };
}

/** Before Kubernetes 1.37, a template has only the policy. */
export interface PodGroupTemplate {
  name: string;
  schedulingPolicy: SchedulingPolicy;
  schedulingConstraints?: { topology?: { key: string }[] } | null;
  disruptionMode?: { single?: object; all?: object };
  resourceClaims?: PodGroupClaim[];
  priorityClassName?: string;
  priority?: number;
}

/** The PodGroup that the pods of a Job name (J-8.5, J-8.25). */
export interface PodGroup {
  metadata: ObjectMeta;
  spec: Omit<PodGroupTemplate, 'name'> & {
    /** Before Kubernetes 1.37. */
    podGroupTemplateRef?: { workload?: { workloadName: string; podGroupTemplateName: string } };
    /** From Kubernetes 1.37 on. */
    workloadRef?: { workloadName: string; templateName: string };
  };
}

export interface SchedulingPolicy {
  gang?: { minCount: number };
  basic?: object;
}
