import type { JobSpec } from '../../../workflows/kubernetes/objects.ts';

/** How one pod ends, and how many seconds after it began to run. */
export interface PodEnd {
  after: number;
  exit: number;
  /** Of the container (OOMKilled), or of the pod (Evicted, with the condition DisruptionTarget). */
  reason?: 'OOMKilled' | 'Evicted';
}

/** A kind of Job: its spec, and what happens to it. */
export interface Story {
  name: string;
  /** How often it occurs, relative to the others. */
  weight: number;
  spec: JobSpec;
  /** The end of the pod number `creation`, from 0; `chance` gives numbers in [0, 1). */
  end: (creation: number, chance: () => number) => PodEnd;
  /** Seconds after the creation until the user request. */
  asks?: { after: number; action: 'suspend' | 'resume' }[];
  /** The worker dies in its first task: the decision is recorded, and made again with another clock. */
  crashes?: true;
  /** The Job is deleted while nothing watches, this many seconds after its creation. */
  vanishes?: number;
}

const DAY = 86_400;
const lasting = (from: number, to: number, chance: () => number): number => from + (to - from) * chance();
const succeeding =
  (from: number, to: number): Story['end'] =>
  (_creation, chance) => ({ after: lasting(from, to, chance), exit: 0 });

/** The Jobs of a platform's clusters: mostly short ones that succeed, and every way to fail. */
export const STORIES: readonly Story[] = [
  {
    name: 'thumbnails',
    weight: 30,
    spec: { ttlSecondsAfterFinished: 3600 },
    end: succeeding(2, 30),
  },
  {
    name: 'invoice-export',
    weight: 15,
    spec: { completions: 3, parallelism: 3, ttlSecondsAfterFinished: DAY },
    end: succeeding(10, 90),
  },
  {
    name: 'nightly-report',
    weight: 12,
    spec: { backoffLimit: 4 },
    end: (creation, chance) =>
      creation === 0 && chance() < 0.4
        ? { after: lasting(3, 20, chance), exit: chance() < 0.5 ? 1 : 3 }
        : { after: lasting(60, 900, chance), exit: 0 },
  },
  {
    name: 'render',
    weight: 10,
    spec: { completions: 8, parallelism: 4, completionMode: 'Indexed', backoffLimit: 6 },
    end: (_creation, chance) =>
      chance() < 0.2
        ? { after: lasting(5, 60, chance), exit: 137, reason: 'OOMKilled' }
        : { after: lasting(30, 300, chance), exit: 0 },
  },
  {
    name: 'shards',
    weight: 5,
    spec: {
      completions: 12,
      parallelism: 6,
      completionMode: 'Indexed',
      backoffLimit: 12,
      backoffLimitPerIndex: 1,
      maxFailedIndexes: 4,
    },
    end: (_creation, chance) => ({ after: lasting(20, 120, chance), exit: chance() < 0.15 ? 2 : 0 }),
  },
  {
    name: 'migrate-accounts',
    weight: 5,
    spec: {
      backoffLimit: 3,
      podFailurePolicy: {
        rules: [
          { action: 'FailJob', onExitCodes: { containerName: 'main', operator: 'In', values: [42] } },
          { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
        ],
      },
    },
    end: (creation, chance) => {
      if (creation === 0 && chance() < 0.5) return { after: 40, exit: 143, reason: 'Evicted' };
      return { after: lasting(20, 200, chance), exit: chance() < 0.5 ? 42 : 0 };
    },
  },
  {
    name: 'train',
    weight: 6,
    spec: { completions: 2, parallelism: 2, backoffLimit: 6, podReplacementPolicy: 'Failed' },
    end: (creation, chance) =>
      creation < 2 && chance() < 0.5
        ? { after: lasting(100, 900, chance), exit: 143, reason: 'Evicted' }
        : { after: lasting(600, 3600, chance), exit: 0 },
  },
  {
    name: 'crawler',
    weight: 5,
    spec: { backoffLimit: 3, ttlSecondsAfterFinished: 3 * DAY },
    end: (_creation, chance) => ({ after: lasting(2, 30, chance), exit: chance() < 0.7 ? 1 : 127 }),
  },
  {
    name: 'settlement',
    weight: 4,
    spec: { activeDeadlineSeconds: 120, completions: 3, parallelism: 2 },
    end: succeeding(70, 100),
  },
  {
    name: 'search',
    weight: 2,
    spec: {
      completions: 6,
      parallelism: 6,
      completionMode: 'Indexed',
      successPolicy: { rules: [{ succeededCount: 1 }] },
    },
    end: succeeding(30, 400),
  },
  {
    name: 'reindex',
    weight: 3,
    spec: { completions: 4, parallelism: 2 },
    end: succeeding(60, 240),
    asks: [
      { after: 45, action: 'suspend' },
      { after: 400, action: 'resume' },
    ],
  },
  {
    name: 'cache-warmer',
    weight: 2,
    spec: { completions: 2, parallelism: 1 },
    end: succeeding(5, 50),
    crashes: true,
  },
  {
    name: 'preview',
    weight: 1,
    spec: {},
    end: succeeding(600, 1800),
    vanishes: 300,
  },
];

/** Jobs that stay open: suspended by a user, or from their creation, and never resumed. */
export const SUSPENDED_STORIES: readonly Story[] = [
  {
    name: 'backfill',
    weight: 0,
    spec: { completions: 4, parallelism: 2 },
    end: succeeding(60, 240),
    asks: [{ after: 45, action: 'suspend' }],
  },
  {
    name: 'cutover',
    weight: 0,
    spec: { suspend: true },
    end: succeeding(60, 240),
  },
];
