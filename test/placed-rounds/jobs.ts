import { setTimeout as delay } from 'node:timers/promises';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { OWN_MANAGER } from '../../workflows/kubernetes/names.ts';
import {
  createPlaced,
  isComplete,
  type aWitness,
  type ClusterName,
  type ThreeClusters,
} from '../support/placed-jobs.ts';
import { eventually } from '../support/eventually.ts';
import type { Round } from './rounds.ts';

/** The policy that a Job's author accepts when its cluster is lost; null when the Job is not placed. */
type Policy = (typeof POLICIES)[number] | null;

const POLICIES = ['Wait', 'MoveWhenStopped', 'MoveAfter'] as const;
const SPREADS = ['even', 'room', 'price'] as const;

export interface RoundJob {
  name: string;
  policy: Policy;
  /** The number of its round. */
  round: number;
  completions: number;
  /** The cluster in which the Job was created. */
  cluster: ClusterName;
}

export interface RoundJobs {
  jobs: readonly RoundJob[];
  /** The names of the Jobs that are not known to be complete. */
  open(): string[];
  begin(round: Round): Promise<void>;
  /** Changes the open placed Jobs of a round at home. */
  edit(round: Round, patch: object): Promise<void>;
  /** Resolves when at most so many are open. @throws when that takes too long. */
  atMost(count: number): Promise<void>;
}

const LEASE = '10s';
/** Pods that run longer are ended by their kubelet. */
const POD_DEADLINE_SECONDS = 30;
/** An open Job of a cut cluster waits for the heal at least. */
const LONGEST_SECONDS = 400;

/** The Jobs of all rounds: in each a placed Job of every policy, one in several clusters, and one that is not placed. */
export function roundJobs({ clusters }: ThreeClusters, witness: ReturnType<typeof aWitness>): RoundJobs {
  const jobs: RoundJob[] = [];
  const open = new Map<string, RoundJob>();
  const begin = async (round: Round, policy: Policy, spread?: (typeof SPREADS)[number]): Promise<void> => {
    const kind = (policy ?? 'plain').toLowerCase();
    const name = `r${round.number}-${spread === undefined ? '' : `${spread}-`}${kind}`;
    const completions = spread === undefined ? round.completions : 3 * round.completions;
    const cluster = policy === null ? round.cluster : 'east';
    const job = { name, policy, round: round.number, completions, cluster };
    // Pods that end with their member are no failures of the Job; pods that a deadline ends are failures.
    const parallelism = spread === undefined ? 2 : 6;
    const spec = { completions, parallelism, completionMode: 'Indexed', backoffLimit: 100 };
    await eventually(`${name} is created`, 60, () =>
      createPlaced(clusters[cluster], {
        name,
        annotations:
          policy === null
            ? {}
            : { ...policyAnnotations(round, policy), ...(spread !== undefined && { spread }) },
        spec: policy === null ? { ...spec, managedBy: OWN_MANAGER } : spec,
        pod: { activeDeadlineSeconds: POD_DEADLINE_SECONDS },
        command: witness.living(`${name}/$JOB_COMPLETION_INDEX`, round.seconds),
      }).catch(unlessExists),
    );
    jobs.push(job);
    open.set(name, job);
  };
  const isOpen = async ({ name, cluster }: RoundJob): Promise<boolean> => {
    const found = await clusters[cluster].job(name);
    if (found === undefined) throw new Error(`${name} is gone`);
    return !isComplete(found);
  };
  return {
    jobs,
    open: () => [...open.keys()],
    async begin(round) {
      const { number } = round;
      const inSeveral = POLICIES[number % POLICIES.length] ?? 'Wait';
      await Promise.all([
        ...[...POLICIES, null].map((policy) => begin(round, policy)),
        begin(round, inSeveral, SPREADS[Math.floor(number / POLICIES.length) % SPREADS.length]),
      ]);
    },
    async edit({ number }, patch) {
      const placed = [...open.values()].filter(({ round, policy }) => round === number && policy !== null);
      await Promise.all(placed.map(({ name, cluster }) => clusters[cluster].patchJob(name, patch)));
    },
    async atMost(count) {
      const limit = Date.now() + LONGEST_SECONDS * 1000;
      for (;;) {
        // An API server may be starting.
        const looked = await Promise.allSettled(
          [...open.values()].map(async (job) => ({ job, isOpen: await isOpen(job) })),
        );
        for (const each of looked)
          if (each.status === 'fulfilled' && !each.value.isOpen) open.delete(each.value.job.name);
        if (open.size <= count) return;
        if (Date.now() > limit)
          throw new Error(`not complete in ${LONGEST_SECONDS} s: ${[...open.keys()].join(', ')}`);
        await delay(500);
      }
    },
  };
}

function policyAnnotations({ order }: Round, policy: Exclude<Policy, null>): Record<string, string> {
  const lost = { Wait: 'Wait', MoveWhenStopped: `MoveWhenStopped=${LEASE}`, MoveAfter: 'MoveAfter=5s' };
  return { clusters: order.join(', '), 'if-cluster-is-lost': lost[policy] };
}

/** The answer of an attempt before was lost. */
function unlessExists(error: unknown): Job | true {
  if (error instanceof Error && error.message.includes('already exists')) return true;
  throw error;
}
