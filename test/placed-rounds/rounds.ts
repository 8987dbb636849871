import { seededRandom } from '../support/random.ts';
import type { ClusterName } from '../support/placed-jobs.ts';
import { inTurns } from '../kills/load.ts';

export const FAULTS = [
  /** The services do not reach a cluster: for less than its silence takes, */
  'cut-briefly',
  /** longer, */
  'cut',
  /** longer than the lease of guards, */
  'cut-past-lease',
  /** until guarded Jobs have moved. */
  'cut-until-moved',
  /** The services do not reach the home. */
  'cut-home',
  'drain',
  /** A cluster is drained while it does not answer. */
  'drain-while-cut',
  /** An API server is killed. */
  'kill-api-server',
  /** From before the Jobs are created, a cluster creates Jobs without an answer, and refuses repeated requests. */
  'answers-lost',
  /** A cluster is restored from a copy of its etcd. */
  'restore',
  /** The Jobs are changed, suspended and resumed at home. */
  'edit-home',
] as const;
export type Fault = (typeof FAULTS)[number];

const SERVICES = ['ingester', 'dispatcher', 'worker', 'projector'] as const;

/** One round: its Jobs begin in the cluster, which then has the fault; meanwhile services are killed. */
export interface Round {
  number: number;
  fault: Fault;
  cluster: ClusterName;
  /** The clusters in the order that the Jobs prefer. */
  order: readonly ClusterName[];
  completions: number;
  /** The time that a pod runs, in seconds. */
  seconds: number;
  /** Milliseconds from the creation of the Jobs to the fault. */
  moment: number;
  /** The time that the fault lasts, in milliseconds. */
  lasts: number;
  kills: readonly Kill[];
  /** A service that SIGSTOP stops for a while, in some rounds. */
  stop?: Kill;
}

interface Kill {
  service: string;
  /** Milliseconds after the fault has begun. */
  after: number;
}

/** The shortest and the longest time in milliseconds; a fault with an end of its own lasts at least the shortest time. */
const LASTS: Readonly<Record<Fault, readonly [number, number]>> = {
  'cut-briefly': [2000, 8000],
  cut: [15_000, 25_000],
  'cut-past-lease': [35_000, 50_000],
  'cut-until-moved': [20_000, 30_000],
  'cut-home': [12_000, 20_000],
  drain: [0, 0],
  'drain-while-cut': [15_000, 20_000],
  'kill-api-server': [2000, 8000],
  'answers-lost': [4000, 10_000],
  restore: [1000, 6000],
  'edit-home': [1000, 6000],
};

/** With these, the home may be the cluster in which the placed Jobs begin, some with guards. */
const ALSO_AT_HOME: ReadonlySet<Fault> = new Set([
  'cut-briefly',
  'cut',
  'cut-past-lease',
  'drain',
  'kill-api-server',
  'answers-lost',
  'edit-home',
]);

/** All random choices of a round follow from the seed and the number of the round, so a run can be continued at any round. */
export function createRound(seed: number, number: number): Round {
  const random = seededRandom(seed * 1_000_003 + number);
  const between = (from: number, to: number): number => from + Math.floor(random() * (to - from + 1));
  const fault = inTurns(FAULTS, seed, number) ?? 'cut';
  const [first, second]: ClusterName[] = random() < 0.5 ? ['west', 'north'] : ['north', 'west'];
  const others = [first ?? 'west', second ?? 'north'] as const;
  const beginsAtHome = random() < 0.3 && ALSO_AT_HOME.has(fault);
  const order = beginsAtHome ? (['east', ...others] as const) : ([...others, 'east'] as const);
  const [least, most] = LASTS[fault];
  const struck = (): Kill => ({
    service: `${SERVICES[between(0, SERVICES.length - 1)] ?? 'worker'}${random() < 0.5 ? '' : '-2'}`,
    after: between(0, Math.max(5000, most)),
  });
  const round: Round = {
    number,
    fault,
    cluster: fault === 'cut-home' ? 'east' : order[0],
    order: random() < 0.7 ? order.slice(0, 2) : order,
    completions: between(4, 8),
    seconds: between(2, 4),
    moment: fault === 'answers-lost' ? 0 : between(500, 6000),
    lasts: between(least, most),
    kills: Array.from({ length: between(1, 3) }, struck),
  };
  return random() < 0.4 ? { ...round, stop: struck() } : round;
}
