import { toAmount } from './quantity.ts';

/** Amounts by resource: `cpu` in cores, `memory` in bytes, and other resources, such as `nvidia.com/gpu`. */
export type Amounts = Readonly<Record<string, number>>;

interface Resources {
  requests?: Record<string, string>;
  limits?: Record<string, string>;
}

interface ContainerWithResources {
  restartPolicy?: string;
  resources?: Resources;
}

/** The parts of a pod's spec that determine its resources. */
export interface SpecWithResources {
  containers: ContainerWithResources[];
  initContainers?: ContainerWithResources[];
  overhead?: Record<string, string>;
  /** The resources of the whole pod, which replace the sums of its containers. */
  resources?: Resources;
}

/**
 * The requests and limits of a pod, as the scheduler counts them. They are the sum of its containers and sidecars, or
 * the larger sum of an init container and the sidecars that were started before it. The resources of the whole pod
 * replace these sums. The overhead of its RuntimeClass is added. A container that has a limit and no request requests
 * its limit.
 */
export function podResources(spec: SpecWithResources): { requests: Amounts; limits: Amounts } {
  const { overhead = {}, resources: { requests = {}, limits = {} } = {} } = spec;
  const asked = containerAmounts(spec, (each) => ({ ...each.limits, ...each.requests }));
  const limited = containerAmounts(spec, (each) => each.limits ?? {});
  const others = toAmounts(overhead);
  return {
    requests: sumAmounts([{ ...toAmounts(limits), ...asked, ...toAmounts(requests) }, others]),
    limits: sumAmounts([{ ...limited, ...toAmounts(limits) }, others]),
  };
}

/**
 * The sum of the containers of a pod, by resource. The run time grows linearly with the number of all resource names,
 * because a tenant may write very many names.
 */
function containerAmounts(
  { containers, initContainers = [] }: SpecWithResources,
  quantitiesOf: (resources: Resources) => Record<string, string>,
): Amounts {
  const amounts = ({ resources = {} }: ContainerWithResources): [string, number][] =>
    Object.entries(toAmounts(quantitiesOf(resources)));
  const running = new Map<string, number>();
  const started = new Map<string, number>();
  for (const each of initContainers)
    for (const [name, amount] of amounts(each)) {
      const needed = (running.get(name) ?? 0) + amount;
      started.set(name, Math.max(started.get(name) ?? 0, needed));
      if (each.restartPolicy === 'Always') running.set(name, needed);
    }
  for (const [name, amount] of containers.flatMap(amounts))
    running.set(name, (running.get(name) ?? 0) + amount);
  for (const [name, amount] of started) running.set(name, Math.max(running.get(name) ?? 0, amount));
  return Object.fromEntries(running);
}

export function toAmounts(quantities: Readonly<Record<string, string>>): Amounts {
  return Object.fromEntries(Object.entries(quantities).map(([name, text]) => [name, toAmount(text)]));
}

/** The sum of several amounts, by resource. */
export function sumAmounts(all: readonly Amounts[]): Amounts {
  const sum = new Map<string, number>();
  for (const [name, amount] of all.flatMap((each) => Object.entries(each)))
    sum.set(name, (sum.get(name) ?? 0) + amount);
  return Object.fromEntries(sum);
}
