import { isTerminal } from '../../../workflows/job/definitions/pod-phase.ts';
import { JOB_NAME_LABEL } from '../../../workflows/kubernetes/names.ts';
import type { ApiObject } from '../../adapters/kubernetes/watch.ts';
import { amountOf } from '../../adapters/kubernetes/quantity.ts';

/** Amounts by resource: `cpu` in cores, `memory` in bytes, and others, such as `nvidia.com/gpu`. */
export type Amounts = Readonly<Record<string, number>>;

/** What a pod needs of a node. */
export interface PodRequirements {
  requests: Amounts;
  limits: Amounts;
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
  resources?: Resources;
}

interface Resources {
  requests?: Record<string, string>;
  limits?: Record<string, string>;
}

/** The parts of a pod's spec that room depends on. */
export interface PodSpecOfRoom {
  nodeName?: string;
  nodeSelector?: Record<string, string>;
  tolerations?: Toleration[];
  containers: ContainerOfRoom[];
  initContainers?: ContainerOfRoom[];
  overhead?: Record<string, string>;
  /** Those of the whole pod, which replace the sums of its containers. */
  resources?: Resources;
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

/** Pods with the same needs, counted: a Job has any number of them. */
export interface CountedPods {
  needs: Amounts;
  pods: number;
}

/** A cluster's nodes with what is free on each, and what waits for a node. */
export interface Capacity {
  nodes: { labels: Readonly<Record<string, string>>; taints: readonly Taint[]; free: Amounts }[];
  /** The pods without a node. */
  waiting: readonly CountedPods[];
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

/** `used`: what the pods of a node take, by its name. */
export function capacityOf(
  nodes: Iterable<SeenNode>,
  { used, waiting }: { used: (node: string) => Amounts; waiting: Iterable<CountedPods> },
): Capacity {
  return {
    nodes: Array.from(nodes, ({ name, labels, taints, allocatable }) => ({
      labels,
      taints,
      free: difference(allocatable, used(name)),
    })),
    waiting: [...waiting],
  };
}

/**
 * What a pod of this template needs: what it asks for as a whole, or its containers together, or its largest init container, and one of
 * the pods of a node.
 */
export function needsOf(spec: PodSpecOfRoom): PodRequirements {
  const { overhead = {}, nodeSelector = {}, tolerations = [], resources = {} } = spec;
  const others = plus([amountsOf(overhead), { pods: 1 }]);
  const asked = sumOf(spec, ({ requests = {}, limits = {} }) => ({ ...limits, ...requests }));
  const own = { ...amountsOf(resources.limits ?? {}), ...asked, ...amountsOf(resources.requests ?? {}) };
  const limits = { ...sumOf(spec, (each) => each.limits ?? {}), ...amountsOf(resources.limits ?? {}) };
  return {
    requests: plus([own, others]),
    limits: plus([limits, amountsOf(overhead)]),
    nodeSelector,
    tolerations,
  };
}

/** Those of the containers together, or of the largest init container. */
function sumOf(
  { containers, initContainers = [] }: PodSpecOfRoom,
  of: (resources: Resources) => Record<string, string>,
): Amounts {
  const amounts = ({ resources = {} }: ContainerOfRoom): Amounts => amountsOf(of(resources));
  const sidecars = initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always');
  const running = plus([...containers, ...sidecars].map(amounts));
  return most([running, ...initContainers.map(amounts)]);
}

/** How many pods with these needs fit beside what runs, what waits, and what is kept for others; at most `wanted`. */
export function roomFor(
  capacity: Capacity,
  needs: PodRequirements,
  kept: readonly CountedPods[],
  wanted: number,
): number {
  const selected = Object.entries(needs.nodeSelector);
  const free = capacity.nodes
    .filter((node) => suits(node, selected, needs.tolerations))
    .map((node) => ({ ...node.free }));
  takeAll(free, [...capacity.waiting, ...kept]);
  return take(free, { needs: needs.requests, pods: wanted });
}

/** What is free on each node. */
type Free = Record<string, number>[];

/** The most kinds of pods that are taken node by node: anyone may create pods of any number of kinds. */
const MOST_KINDS = 16;

/**
 * Takes what other pods need: of the first kinds node by node, of the others in all, as if a pod could be divided between nodes. The
 * time grows with the nodes and with the kinds, not with their product.
 */
function takeAll(free: Free, others: readonly CountedPods[]): void {
  const largest = most(free);
  const fitting = others.filter(({ needs }) => fits(needs, largest));
  for (const each of fitting.slice(0, MOST_KINDS)) take(free, each);
  const rest: Record<string, number> = {};
  for (const { needs, pods } of fitting.slice(MOST_KINDS)) add(rest, needs, pods);
  for (const node of free)
    for (const [name, amount] of Object.entries(rest)) {
      const taken = Math.min(amount, Math.max(0, node[name] ?? 0));
      node[name] = (node[name] ?? 0) - taken;
      rest[name] = amount - taken;
    }
}

/** Whether a node with these amounts free has room for one pod. */
function fits(needs: Amounts, free: Amounts): boolean {
  return Object.entries(needs).every(([name, amount]) => (free[name] ?? 0) >= amount);
}

/** Puts pods on the first nodes with room for them. Returns how many have found room. */
function take(free: Free, { needs, pods }: CountedPods): number {
  let taken = 0;
  for (const node of free) {
    if (taken >= pods) break;
    const here = Math.min(pods - taken, podsOn(node, needs));
    if (here > 0) add(node, needs, -here);
    taken += here;
  }
  return taken;
}

/** Sums of fractions of a core are not exact. */
const ROUNDING = 1e-9;

function podsOn(free: Amounts, needs: Amounts): number {
  let pods = Infinity;
  for (const [name, amount] of Object.entries(needs)) {
    const left = (free[name] ?? 0) + ROUNDING;
    if (left < amount) return 0;
    if (amount > 0) pods = Math.min(pods, Math.floor(left / amount));
  }
  return pods;
}

function suits(
  { labels, taints }: Capacity['nodes'][number],
  selected: readonly (readonly [key: string, value: string])[],
  tolerations: readonly Toleration[],
): boolean {
  return (
    selected.every(([key, value]) => labels[key] === value) &&
    taints.every((taint) => tolerations.some((toleration) => tolerates(toleration, taint)))
  );
}

function tolerates({ key, operator = 'Equal', value = '', effect }: Toleration, taint: Taint): boolean {
  if (effect !== undefined && effect !== '' && effect !== taint.effect) return false;
  if (key === undefined || key === '') return operator === 'Exists';
  return key === taint.key && (operator === 'Exists' || value === (taint.value ?? ''));
}

function amountsOf(quantities: Readonly<Record<string, string>>): Amounts {
  return Object.fromEntries(Object.entries(quantities).map(([name, text]) => [name, amountOf(text)]));
}

function plus(all: readonly Amounts[]): Amounts {
  return combined(all, (x, y) => x + y);
}

function most(all: readonly Amounts[]): Amounts {
  return combined(all, Math.max);
}

/** The time grows with the number of all names together. A tenant writes as many as a pod may have. */
function combined(all: readonly Amounts[], of: (x: number, y: number) => number): Amounts {
  const result = new Map<string, number>();
  for (const each of all)
    for (const [name, amount] of Object.entries(each)) result.set(name, of(result.get(name) ?? 0, amount));
  return Object.fromEntries(result);
}

/** Adds the amounts of that many pods to `sum` itself. */
export function add(sum: Record<string, number>, amounts: Amounts, pods: number): void {
  for (const [name, amount] of Object.entries(amounts)) sum[name] = (sum[name] ?? 0) + amount * pods;
}

function difference(amounts: Amounts, less: Amounts): Amounts {
  const left = { ...amounts };
  add(left, less, -1);
  return left;
}
