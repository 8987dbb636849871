import type { KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import type { Container, Pod } from '../../workflows/kubernetes/objects.ts';

/**
 * Plays a kubelet for the pods of a cluster without a node (`install({ node: false })`). Each call makes one change of
 * the pod's `status` subresource, and returns the pod after it.
 */
export interface PlayedKubelet {
  /**
   * Assigns the pod to a node that does not exist, by default one of its own: the pod garbage collector deletes the pods
   * of a node that it has missed for 40 s. Only an assigned pod waits for its kubelet when it is deleted: the API server
   * removes any other at once, unless finalizers keep it (J-15.6).
   */
  bind(name: string, node?: string): Promise<Pod>;
  /** Containers run, none is ready yet. */
  run(name: string): Promise<Pod>;
  /** Containers run and are ready. */
  ready(name: string): Promise<Pod>;
  succeed(name: string, how?: Pick<PlayedEnd, 'at'>): Promise<Pod>;
  fail(name: string, how?: PlayedEnd): Promise<Pod>;
  /** Any other status, merged into the present one. */
  report(name: string, status: PodStatus): Promise<Pod>;
  /** The last step for a pod that is being deleted: its object goes once its finalizers are removed. */
  finishDeletion(name: string): Promise<void>;
}

export interface PlayedEnd {
  /** Exit codes by container name, init containers too; others exit with 0. Default: all with 1. */
  exitCodes?: Record<string, number>;
  /** Conditions besides Ready, e.g. `DisruptionTarget`. */
  conditions?: { type: string; status: string; reason?: string; message?: string }[];
  /** The pod's reason, e.g. `Evicted`: then no container has ended, unless exit codes are given. */
  reason?: string;
  /** The time when the containers of the pod ended. Default now. */
  at?: Date;
}

type PodStatus = Record<string, unknown>;

export function playKubelet(client: KubernetesClient, namespace = 'default'): PlayedKubelet {
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const read = (name: string): Promise<Pod> =>
    client.request<Pod>({ method: 'GET', path: `${pods}/${name}` });
  const report: PlayedKubelet['report'] = (name, status) =>
    client.request<Pod>({
      method: 'PATCH',
      path: `${pods}/${name}/status`,
      body: { status },
      contentType: 'application/merge-patch+json',
    });
  const append = async (name: string, nextStatus: (pod: Pod) => PodStatus): Promise<Pod> =>
    report(name, nextStatus(await read(name)));
  return {
    report,
    async bind(name, node = `node-of-${name}`) {
      const target = { apiVersion: 'v1', kind: 'Node', name: node };
      const body = { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target };
      await client.request({ method: 'POST', path: `${pods}/${name}/binding`, body });
      return read(name);
    },
    run: (name) => append(name, (pod) => running(pod, false)),
    ready: (name) => append(name, (pod) => running(pod, true)),
    succeed: (name, { at = new Date() } = {}) =>
      append(name, (pod) => ended(pod, 'Succeeded', { exitCodes: {}, at })),
    fail: (name, how = {}) => append(name, (pod) => failed(pod, how)),
    async finishDeletion(name) {
      const body = { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0 };
      await client.request({ method: 'DELETE', path: `${pods}/${name}`, body });
    },
  };
}

function running(pod: Pod, ready: boolean): PodStatus {
  const { metadata, spec } = pod;
  const startedAt = metadata.creationTimestamp;
  return {
    phase: 'Running',
    startTime: startedAt,
    conditions: endConditions(pod, new Date(), [{ type: 'Ready', status: ready ? 'True' : 'False' }]),
    initContainerStatuses: (spec.initContainers ?? []).map((each) =>
      containerStatus(each, terminated(0, startedAt, startedAt), false),
    ),
    containerStatuses: spec.containers.map((each) =>
      containerStatus(each, { running: { startedAt } }, ready),
    ),
  };
}

function failed(pod: Pod, how: PlayedEnd): PodStatus {
  const { exitCodes, conditions = [], reason, at = new Date() } = how;
  const names = pod.spec.containers.map(({ name }) => name);
  const codes =
    exitCodes ?? (reason === undefined ? Object.fromEntries(names.map((name) => [name, 1])) : null);
  const status = ended(pod, 'Failed', { exitCodes: codes, at });
  return {
    ...status,
    conditions: endConditions(pod, at, [{ type: 'Ready', status: 'False' }, ...conditions]),
    ...(reason !== undefined && { reason }),
  };
}

/** Without exit codes no container has ended: the pod was stopped first. */
function ended(
  pod: Pod,
  phase: string,
  { exitCodes, at }: { exitCodes: Record<string, number> | null; at: Date },
): PodStatus {
  const { metadata, spec } = pod;
  const finishedAt = at.toISOString();
  const status = (each: Container): unknown =>
    containerStatus(
      each,
      terminated(exitCodes?.[each.name] ?? 0, metadata.creationTimestamp, finishedAt),
      false,
    );
  return {
    phase,
    startTime: metadata.creationTimestamp,
    conditions: endConditions(pod, at, [{ type: 'Ready', status: 'False' }]),
    ...(exitCodes !== null && {
      initContainerStatuses: (spec.initContainers ?? []).map(status),
      containerStatuses: spec.containers.map(status),
    }),
  };
}

/** Conditions set by others stay, such as that of an eviction. */
function endConditions({ status }: Pod, at: Date, set: NonNullable<PlayedEnd['conditions']>): unknown[] {
  const kept = (status?.conditions ?? []).filter(({ type }) => !set.some((each) => each.type === type));
  return [...kept, ...set.map((each) => ({ lastTransitionTime: at.toISOString(), ...each }))];
}

function containerStatus({ name }: Container, state: unknown, ready: boolean): unknown {
  return { name, image: 'none', imageID: '', ready, restartCount: 0, state };
}

function terminated(exitCode: number, startedAt: string, finishedAt: string): unknown {
  return { terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', startedAt, finishedAt } };
}
