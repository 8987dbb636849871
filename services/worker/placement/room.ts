import { isTerminal } from '../../../workflows/job/definitions/pod-phase.ts';
import { JOB_NAME_LABEL } from '../../../workflows/kubernetes/names.ts';
import type { ApiObject } from '../../adapters/kubernetes/watch.ts';
import { amountOf } from '../../adapters/kubernetes/quantity.ts';

/** Amounts by resource: `cpu` in cores, `memory` in bytes, and others, such as `nvidia.com/gpu`. */
export type Amounts = Readonly<Record<string, number>>;

/** What a pod needs of a node. */
export interface PodRequirements {
  requests: Amounts;
  nodeSelector: Readonly<Record<string, string>>;
  tolerations: readonly Toleration[];
}

interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
}

interface Taint {
  key: string;
  value?: string;
  effect: string;
}

/** The parts of nodes, pods and quotas that room depends on. */
export interface NodeOfRoom extends ApiObject {
  metadata: ApiObject['metadata'] & { labels?: Record<string, string> };
  spec?: { unschedulable?: boolean; taints?: Taint[] };
  status?: { allocatable?: Record<string, string>; conditions?: { type: string; status: string }[] };
}

export interface PodOfRoom extends ApiObject {
  metadata: ApiObject['metadata'] & { namespace: string; labels?: Record<string, string> };
  spec: PodSpecOfRoom;
  status?: { phase?: string };
}

interface ContainerOfRoom {
  restartPolicy?: string;
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
}

interface PodSpecOfRoom {
  nodeName?: string;
  nodeSelector?: Record<string, string>;
  tolerations?: Toleration[];
  containers: ContainerOfRoom[];
  initContainers?: ContainerOfRoom[];
  overhead?: Record<string, string>;
}

/** The parts of a node that room depends on. */
export interface SeenNode {
  name: string;
  labels: Readonly<Record<string, string>>;
  taints: readonly Taint[];
  allocatable: Amounts;
}

/** The parts of a pod that room depends on: its needs until it has ended, and the Job that it belongs to. */
export interface SeenPod {
  needs: Amounts | null;
  node: string | null;
  /** `<namespace>/<name>`. */
  job: string | null;
}

/** A cluster's nodes with what is free on each, and what waits for a node. */
export interface Capacity {
  nodes: { labels: Readonly<Record<string, string>>; taints: readonly Taint[]; free: Amounts }[];
  /** The needs of pods without a node. */
  waiting: Amounts[];
  /** `<namespace>/<Job>` of all pods: what was created for these Jobs is counted. */
  jobs: ReadonlySet<string>;
}

/** Null for a node on which no pod is scheduled now. */
export function nodeIn({ metadata, spec, status }: NodeOfRoom): SeenNode | null {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (spec?.unschedulable === true || ready?.status !== 'True') return null;
  return {
    name: metadata.name,
    labels: metadata.labels ?? {},
    taints: (spec?.taints ?? []).filter(({ effect }) => effect !== 'PreferNoSchedule'),
    allocatable: amountsOf(status?.allocatable ?? {}),
  };
}

/** Null for a pod that has ended and belongs to no Job. */
export function podIn({ metadata: { namespace, labels }, spec, status }: PodOfRoom): SeenPod | null {
  const name = labels?.[JOB_NAME_LABEL];
  const hasEnded = isTerminal(status?.phase ?? 'Pending');
  if (hasEnded && name === undefined) return null;
  return {
    needs: hasEnded ? null : needsOf(spec).requests,
    node: spec.nodeName ?? null,
    job: name === undefined ? null : `${namespace}/${name}`,
  };
}

export function capacityOf(nodes: readonly SeenNode[], pods: readonly SeenPod[]): Capacity {
  const used = new Map<string, Record<string, number>>();
  const waiting: Amounts[] = [];
  for (const { needs, node } of pods) {
    if (needs === null) continue;
    if (node === null) waiting.push(needs);
    else used.set(node, added(used.get(node) ?? {}, needs));
  }
  return {
    nodes: nodes.map(({ name, labels, taints, allocatable }) => ({
      labels,
      taints,
      free: plus(allocatable, negative(used.get(name) ?? {})),
    })),
    waiting,
    jobs: new Set(pods.flatMap(({ job }) => job ?? [])),
  };
}

/** What a pod of this template needs: its containers together, or its largest init container, and one of the pods of a node. */
export function needsOf(spec: PodSpecOfRoom): PodRequirements {
  const { containers, initContainers = [], overhead = {}, nodeSelector = {}, tolerations = [] } = spec;
  const sidecars = initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always');
  const running = [...containers, ...sidecars].map(requestsOf).reduce(plus, {});
  const starting = initContainers.map(requestsOf).reduce(most, {});
  const requests = plus(plus(most(running, starting), amountsOf(overhead)), { pods: 1 });
  return { requests, nodeSelector, tolerations };
}

function requestsOf({ resources = {} }: ContainerOfRoom): Amounts {
  return { ...amountsOf(resources.limits ?? {}), ...amountsOf(resources.requests ?? {}) };
}

/** How many pods with these needs fit beside what runs, what waits, and what is kept for others; at most `wanted`. */
export function roomFor(
  capacity: Capacity,
  needs: PodRequirements,
  kept: readonly Amounts[],
  wanted: number,
): number {
  const fitting = capacity.nodes.filter((node) => suits(node, needs));
  const free = fitting.map((node) => node.free);
  for (const amounts of [...capacity.waiting, ...kept]) takeFrom(free, amounts);
  let room = 0;
  while (room < wanted && takeFrom(free, needs.requests)) room += 1;
  return room;
}

function suits(
  { labels, taints }: Capacity['nodes'][number],
  { nodeSelector, tolerations }: PodRequirements,
): boolean {
  return (
    Object.entries(nodeSelector).every(([key, value]) => labels[key] === value) &&
    taints.every((taint) => tolerations.some((toleration) => tolerates(toleration, taint)))
  );
}

function tolerates({ key, operator = 'Equal', value = '', effect }: Toleration, taint: Taint): boolean {
  if (effect !== undefined && effect !== '' && effect !== taint.effect) return false;
  if (key === undefined || key === '') return operator === 'Exists';
  return key === taint.key && (operator === 'Exists' || value === (taint.value ?? ''));
}

/** Takes the amounts from the first node that has them; false when none has. */
function takeFrom(free: Amounts[], amounts: Amounts): boolean {
  const at = free.findIndex((node) =>
    Object.entries(amounts).every(([name, amount]) => (node[name] ?? 0) >= amount),
  );
  const node = free[at];
  if (node === undefined) return false;
  free[at] = plus(node, negative(amounts));
  return true;
}

function amountsOf(quantities: Readonly<Record<string, string>>): Amounts {
  return Object.fromEntries(Object.entries(quantities).map(([name, text]) => [name, amountOf(text)]));
}

function plus(a: Amounts, b: Amounts): Amounts {
  return combined(a, b, (x, y) => x + y);
}

function most(a: Amounts, b: Amounts): Amounts {
  return combined(a, b, Math.max);
}

function combined(a: Amounts, b: Amounts, of: (x: number, y: number) => number): Amounts {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...names].map((name) => [name, of(a[name] ?? 0, b[name] ?? 0)]));
}

/** Adds to `sum` itself: there may be many pods. */
function added(sum: Record<string, number>, amounts: Amounts): Record<string, number> {
  for (const [name, amount] of Object.entries(amounts)) sum[name] = (sum[name] ?? 0) + amount;
  return sum;
}

function negative(amounts: Amounts): Amounts {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, -amount]));
}
