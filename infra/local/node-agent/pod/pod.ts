/** The fields of the API's Pod that the node agent reads or writes. */
export interface AgentPod {
  metadata: {
    name: string;
    namespace: string;
    uid: string;
    resourceVersion: string;
    generation?: number;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    deletionTimestamp?: string;
    deletionGracePeriodSeconds?: number | bigint;
  };
  spec: AgentPodSpec;
  status?: PodStatus;
}

type RestartPolicy = 'Always' | 'OnFailure' | 'Never';

interface AgentPodSpec {
  nodeName?: string;
  restartPolicy?: RestartPolicy;
  terminationGracePeriodSeconds?: number | bigint;
  activeDeadlineSeconds?: number | bigint;
  hostname?: string;
  serviceAccountName?: string;
  initContainers?: AgentContainer[];
  containers: AgentContainer[];
  volumes?: Volume[];
}

export interface AgentContainer {
  name: string;
  image?: string;
  command?: string[];
  args?: string[];
  workingDir?: string;
  env?: EnvVar[];
  envFrom?: EnvFrom[];
  volumeMounts?: VolumeMount[];
  resources?: { limits?: Record<string, string>; requests?: Record<string, string> };
  restartPolicy?: RestartPolicy;
  restartPolicyRules?: RestartRule[];
  terminationMessagePath?: string;
  terminationMessagePolicy?: 'File' | 'FallbackToLogsOnError';
}

interface RestartRule {
  action: string;
  exitCodes?: { operator: 'In' | 'NotIn'; values?: number[] };
}

export interface EnvVar {
  name: string;
  value?: string;
  valueFrom?: {
    fieldRef?: FieldRef;
    resourceFieldRef?: ResourceFieldRef;
    configMapKeyRef?: KeyRef;
    secretKeyRef?: KeyRef;
  };
}

interface EnvFrom {
  prefix?: string;
  configMapRef?: ConfigRef;
  secretRef?: ConfigRef;
}

interface FieldRef {
  fieldPath: string;
}

export interface ResourceFieldRef {
  containerName?: string;
  resource: string;
  divisor?: string;
}

export interface ConfigRef {
  name: string;
  optional?: boolean;
}

export interface KeyRef extends ConfigRef {
  key: string;
}

export interface VolumeMount {
  name: string;
  mountPath: string;
  subPath?: string;
}

export interface KeyToPath {
  key: string;
  path: string;
}

export interface DownwardFile {
  path: string;
  fieldRef?: FieldRef;
  resourceFieldRef?: ResourceFieldRef;
}

/** One source of a projected volume. A plain volume of these kinds is treated as a projection with one source. */
export interface VolumeSource {
  configMap?: ConfigRef & { items?: KeyToPath[] };
  secret?: ConfigRef & { items?: KeyToPath[] };
  downwardAPI?: { items?: DownwardFile[] };
  serviceAccountToken?: { path: string; audience?: string; expirationSeconds?: number };
}

export interface Volume {
  name: string;
  emptyDir?: object;
  hostPath?: { path: string; type?: string };
  configMap?: { name: string; optional?: boolean; items?: KeyToPath[] };
  secret?: { secretName: string; optional?: boolean; items?: KeyToPath[] };
  downwardAPI?: { items?: DownwardFile[] };
  projected?: { sources?: VolumeSource[] };
}

export type Phase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';

export interface PodStatus {
  observedGeneration?: number;
  phase?: Phase;
  reason?: string;
  message?: string;
  conditions?: PodCondition[];
  hostIP?: string;
  hostIPs?: { ip: string }[];
  podIP?: string;
  podIPs?: { ip: string }[];
  startTime?: string;
  initContainerStatuses?: AgentContainerStatus[];
  containerStatuses?: AgentContainerStatus[];
}

export interface PodCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  observedGeneration?: number;
  lastTransitionTime?: string;
}

export interface AgentContainerStatus {
  name: string;
  state: AgentContainerState;
  lastState: AgentContainerState;
  ready: boolean;
  started?: boolean;
  restartCount: number;
  image: string;
  imageID: string;
  containerID?: string;
}

export interface AgentContainerState {
  waiting?: Waiting;
  running?: { startedAt: string };
  terminated?: Terminated;
}

export interface Waiting {
  reason: string;
  message?: string;
}

export interface Terminated {
  exitCode: number;
  reason: string;
  message?: string;
  startedAt?: string;
  finishedAt?: string;
  containerID?: string;
}

/** A sidecar is a restartable init container, which runs beside the regular containers. */
export function isSidecar(container: AgentContainer): boolean {
  return container.restartPolicy === 'Always';
}

/** Every container of the pod: the init containers in order, then the regular containers. */
export function allContainers(pod: AgentPod): AgentContainer[] {
  return [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
}

/** A pod's name for messages, in the kubelet's form `name_namespace(uid)`. */
export function formatPod(pod: AgentPod): string {
  return `${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`;
}
