import { isTerminal } from '../../../../workflows/job/definitions/pod-phase.ts';
import { JOB_NAME_LABEL } from '../../../../workflows/kubernetes/names.ts';
import type { ApiObject } from '../../../adapters/kubernetes/watch.ts';
import {
  toAmounts,
  sumAmounts,
  podResources,
  type Amounts,
  type SpecWithResources,
} from '../../../adapters/kubernetes/pod-resources.ts';
import {
  toNodeChoice,
  type ChosenNode,
  type NodeChoice,
  type NodeChoiceSpec,
  type Taint,
} from './node-choice.ts';

/** The requirements of a pod on a node. */
export interface PodRequirements {
  requests: Amounts;
  limits: Amounts;
  /** The choice of nodes; null for a choice with too many parts, for which no node counts as suitable. */
  choice: NodeChoice | null;
}

/** The parts of a node object that room depends on. */
export interface NodeOfRoom extends ApiObject {
  metadata: ApiObject['metadata'] & { labels?: Record<string, string> };
  spec?: { unschedulable?: boolean; taints?: Taint[] };
  status?: { allocatable?: Record<string, string>; conditions?: { type: string; status: string }[] };
}

export interface PodOfRoom extends ApiObject {
  metadata: ApiObject['metadata'] & {
    namespace: string;
    labels?: Record<string, string>;
    creationTimestamp?: string;
  };
  spec: PodSpecOfRoom;
  status?: { phase?: string };
}

/** The parts of a pod's spec that room depends on. */
export interface PodSpecOfRoom extends NodeChoiceSpec, SpecWithResources {
  nodeName?: string;
  schedulingGates?: unknown[];
}

/** The known facts about a node. */
export interface SeenNode extends ChosenNode {
  allocatable: Amounts;
}

/** The known facts about a pod: its needs until it has ended, and the Job that the pod belongs to. */
export interface SeenPod {
  namespace: string;
  needs: Amounts | null;
  node: string | null;
  /** The choice of nodes of a pod without a node; null for a pod that takes no room, and for a pod with a node. */
  choice: NodeChoice | null;
  /** In milliseconds. */
  createdAt: number;
  /** `<namespace>/<name>`. */
  job: string | null;
}

/**
 * The number of pods of one namespace with the same needs. The pods are counted because a Job may have any number of
 * pods.
 */
export interface CountedPods {
  namespace: string;
  needs: Amounts;
  choice: NodeChoice | null;
  pods: number;
  /** The time since which pods of this kind wait, in milliseconds; absent for pods that do not exist yet. */
  since?: number;
}

/** The nodes of a cluster, and the suitable nodes for each choice. */
export interface NodesOfRoom {
  all(): readonly SeenNode[];
  /**
   * A list for each choice, with true for each node that may run its pods. A list is computed once until the nodes
   * change. A call computes the list of the first choice, and as many other lists as its limit of comparisons allows.
   * The result is null for the remaining choices, whose lists later calls compute.
   */
  suiting(choices: readonly NodeChoice[]): (readonly boolean[] | null)[];
}

/** The resources that the pods of a cluster take, and the waiting pods. */
export interface PodsOfRoom {
  /** The resources that the pods of a node take. */
  used(node: string): Amounts;
  /**
   * The kinds of pods without a node, at most `most`. The kinds are taken from the namespaces in turns, and within a
   * namespace in the order of their wait.
   */
  waiting(most: number): CountedPods[];
}

/** The nodes of a cluster, with the free resources of each, and the pods that wait for a node. */
export interface Capacity {
  nodes: Pick<NodesOfRoom, 'suiting'>;
  free: Free;
  waiting: readonly CountedPods[];
}

/** The free amount on each node, by resource. */
type Free = ReadonlyMap<string, Float64Array>;

/** The facts about a node; null for a node to which no pod can be scheduled at present. */
export function toSeenNode({ metadata, spec, status }: NodeOfRoom): SeenNode | null {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (spec?.unschedulable === true || ready?.status !== 'True') return null;
  return {
    name: metadata.name,
    labels: metadata.labels ?? {},
    taints: (spec?.taints ?? []).filter(({ effect }) => effect !== 'PreferNoSchedule'),
    allocatable: toAmounts(status?.allocatable ?? {}),
  };
}

/** The facts about a pod; null for a pod that has ended and belongs to no Job. */
export function toSeenPod({
  metadata: { namespace, labels, creationTimestamp },
  spec,
  status,
}: PodOfRoom): SeenPod | null {
  const name = labels?.[JOB_NAME_LABEL];
  const hasEnded = isTerminal(status?.phase ?? 'Pending');
  if (hasEnded && name === undefined) return null;
  const { nodeName: node = null, schedulingGates: gates = [] } = spec;
  // A gated pod takes no room before its gates are removed.
  const needsRoom = !hasEnded && (node !== null || gates.length === 0);
  const choice = needsRoom && node === null ? toNodeChoice(spec) : null;
  const isLong = choice !== null && choice.text.length > LONGEST_KEPT;
  return {
    namespace,
    needs: needsRoom ? podRequirements(spec).requests : null,
    node,
    choice: isLong ? null : choice,
    createdAt: Date.parse(creationTimestamp ?? '') || 0,
    job: name === undefined ? null : `${namespace}/${name}`,
  };
}

/** The longest text of a choice of nodes that is kept for a waiting pod, because many pods may wait. */
const LONGEST_KEPT = 2048;

/**
 * The most kinds of other pods that count, both for waiting pods and for pods that do not exist yet, because users may
 * create pods of any number of kinds.
 */
export const MOST_KINDS = 16;

/** Computes the free resources of the nodes from their allocatable and used resources. */
export function computeCapacity(nodes: NodesOfRoom, { used, waiting }: PodsOfRoom): Capacity {
  const free = new Map<string, Float64Array>();
  const all = nodes.all();
  for (const [at, { name, allocatable }] of all.entries()) {
    const taken = used(name);
    for (const [resource, amount] of Object.entries(allocatable)) {
      const column = free.get(resource) ?? new Float64Array(all.length);
      column[at] = amount - (taken[resource] ?? 0);
      free.set(resource, column);
    }
  }
  return { nodes, free, waiting: waiting(MOST_KINDS) };
}

/** The requirements of a pod of this template: the requests of the pod, and one of the pods that a node allows. */
export function podRequirements(spec: PodSpecOfRoom): PodRequirements {
  const { requests, limits } = podResources(spec);
  return { requests: sumAmounts([requests, { pods: 1 }]), limits, choice: toNodeChoice(spec) };
}

/**
 * The number of pods with these requests that fit in addition to running and waiting pods, and in addition to the pods
 * for which room is kept; at most `wanted`.
 */
export function countFittingPods(
  { nodes, free, waiting }: Capacity,
  needs: PodRequirements,
  { kept, wanted, now }: { kept: readonly CountedPods[]; wanted: number; now: number },
): number {
  if (needs.choice === null) return 0;
  const others = [...waiting, ...kept].flatMap(({ choice, ...each }) =>
    choice === null ? [] : [{ ...each, choice }],
  );
  const [own = null, ...suiting] = nodes.suiting([needs.choice, ...others.map(({ choice }) => choice)]);
  const places = [...(own ?? []).keys()].filter((at) => own?.[at] === true);
  const left: Free = new Map([...free].map(([resource, amounts]) => [resource, amounts.slice()]));
  const shares = new Map<string, number>();
  const common = new Map<readonly boolean[], readonly number[]>();
  for (const [at, each] of others.entries()) {
    const suitable = suiting[at] ?? null;
    const parts = resourceParts(left, each.needs);
    if (suitable === null || parts === null) continue;
    const theirs = common.get(suitable) ?? places.filter((node) => suitable[node] === true);
    common.set(suitable, theirs);
    if (each.since === undefined || now - each.since < FRESH_MS) takeRoom(theirs, parts, each.pods);
    else takeSharedRoom(theirs, parts, { ...each, shares });
  }
  const parts = resourceParts(left, needs.requests);
  return parts === null ? 0 : takeRoom(places, parts, wanted);
}

/** The time after which a wait of pods has another cause than the scheduler, in milliseconds. */
const FRESH_MS = 60_000;
/**
 * The largest part of the room that pods of one namespace take after a long wait. The part is limited because such pods
 * may never run.
 */
const LARGEST_SHARE = 0.5;

/** The resources that a pod takes: the free amount on each node, and the requested amount. */
type Parts = readonly { left: Float64Array; amount: number }[];

/** The resources that a pod needs; null when no node has one of these resources. */
function resourceParts(left: Free, needs: Amounts): Parts | null {
  const parts = [];
  for (const [resource, amount] of Object.entries(needs)) {
    if (amount <= 0) continue;
    const column = left.get(resource);
    if (column === undefined) return null;
    parts.push({ left: column, amount });
  }
  return parts;
}

/** Takes the room for pods that have waited long, within the share of their namespace. */
function takeSharedRoom(
  nodes: readonly number[],
  parts: Parts,
  { namespace, pods, shares }: { namespace: string; pods: number; shares: Map<string, number> },
): void {
  let fitting = 0;
  for (const node of nodes) fitting += countPodsOn(node, parts);
  const share = shares.get(namespace) ?? 0;
  const taken = takeRoom(nodes, parts, Math.min(pods, Math.ceil(fitting * (LARGEST_SHARE - share))));
  if (taken > 0) shares.set(namespace, Math.min(LARGEST_SHARE, share + taken / fitting));
}

/** Takes the room for pods on the first nodes with enough room. Returns the number of pods for which room was found. */
function takeRoom(nodes: readonly number[], parts: Parts, pods: number): number {
  let taken = 0;
  for (const node of nodes) {
    if (taken >= pods) break;
    const here = Math.min(pods - taken, countPodsOn(node, parts));
    for (const { left, amount } of parts) left[node] = (left[node] ?? 0) - amount * here;
    taken += here;
  }
  return taken;
}

/** The tolerance for sums of fractions of a core, which are not exact. */
const ROUNDING = 1e-9;

/** The number of pods that fit on a node. */
function countPodsOn(node: number, parts: Parts): number {
  let pods = Infinity;
  for (const { left, amount } of parts) {
    const fitting = Math.floor(((left[node] ?? 0) + ROUNDING) / amount);
    if (fitting <= 0) return 0;
    if (fitting < pods) pods = fitting;
  }
  return pods;
}

/** Adds the amounts of `pods` pods to `sum`, which is changed. */
export function addAmounts(sum: Record<string, number>, amounts: Amounts, pods: number): void {
  for (const [name, amount] of Object.entries(amounts)) sum[name] = (sum[name] ?? 0) + amount * pods;
}
