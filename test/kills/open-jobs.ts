import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { KubernetesApiError, errorMessage } from '../../services/adapters/errors.ts';
import { isFinished } from '../../workflows/batch/conditions.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import type { TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { checkStory, timerInstants, type JobStory } from './job-stories.ts';
import type { Load } from './load.ts';

/** A Job of a story. */
export interface StoryJob {
  name: string;
  story: JobStory;
  createdAt: number;
  /** The value is set once the Job has ended. */
  uid?: string;
  /** The deadline of the Job and the ends of its delays, in milliseconds; set once the Job has ended. */
  timers: readonly number[];
}

/** A change that was due for a Job, and the time when it happened, in milliseconds. */
export interface Due {
  job: string;
  due: number;
  happened: number | undefined;
}

/** The Jobs of all rounds. Each is compared with its story as soon as it has ended, and then deleted. */
export interface OpenJobs {
  begin(round: Load): Promise<void>;
  open(): number;
  /** Resolves when at most this many are open. */
  atMost(count: number): Promise<void>;
  stop(): Promise<void>;
  /** All Jobs that were created. */
  jobs: readonly StoryJob[];
  dues: readonly Due[];
}

interface Dependencies {
  cluster: TestCluster;
  /** A folder for the counts of attempts. */
  scratch: string;
  /** The callback when a Job did not end as its story says. */
  onWrong: (job: string, why: string) => Promise<void>;
}

const LOOK_EVERY_MS = 1000;
/** A Job that has not ended by then is wrong. */
const LONGEST_SECONDS = 200;

export function openJobs({ cluster, scratch, onWrong }: Dependencies): OpenJobs {
  const jobs: StoryJob[] = [];
  const dues: Due[] = [];
  const open = new Map<string, StoryJob>();
  const stopped = new AbortController();

  const create = async (round: Load, story: JobStory): Promise<void> => {
    const name = `${story.kind}-${round.number}`;
    const command = story.command(mkdtempSync(join(scratch, `${name}-`)));
    await eventually(`the Job ${name} is created`, 45, () =>
      cluster.createJob(name, story.spec, { command }).catch((error: unknown) => {
        // A first attempt may have had an effect, although it was not answered.
        if (error instanceof KubernetesApiError && error.status === 409) return cluster.job(name);
        throw error;
      }),
    );
    const job: StoryJob = { name, story, createdAt: Date.now(), timers: [] };
    jobs.push(job);
    open.set(name, job);
  };
  const conclude = async (played: StoryJob, job: Job): Promise<void> => {
    const { name, story } = played;
    const pods = await cluster.listPods(name);
    open.delete(name);
    played.uid = job.metadata.uid;
    played.timers = timerInstants(job, pods);
    try {
      checkStory(story, job, pods, (due, happened) => void dues.push({ job: name, due, happened }));
    } catch (error) {
      return onWrong(name, errorMessage(error));
    }
    // When the API server does not answer, the Job stays; that disturbs nothing.
    await cluster.deleteJob(name, 'Background').catch(() => undefined);
  };
  const look = async (): Promise<void> => {
    const path = `/apis/batch/v1/namespaces/${cluster.namespace}/jobs?resourceVersion=0`;
    const { items } = await cluster.client.request<{ items: Job[] }>({ method: 'GET', path });
    for (const job of items) {
      const played = open.get(job.metadata.name);
      if (played !== undefined && isFinished(job.status ?? {})) await conclude(played, job);
    }
    for (const { name, createdAt } of open.values()) {
      if (Date.now() - createdAt < LONGEST_SECONDS * 1000) continue;
      open.delete(name);
      await onWrong(name, `it has not ended ${LONGEST_SECONDS} s after its creation`);
    }
  };
  const running = (async () => {
    while (!stopped.signal.aborted) {
      // The API server may be down.
      await look().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  })();
  return {
    begin: async (round) =>
      void (await Promise.all(round.stories.map(async (story) => create(round, story)))),
    open: () => open.size,
    atMost: async (count) =>
      void (await eventually(`at most ${count} Jobs are open`, LONGEST_SECONDS + 60, async () =>
        open.size <= count ? true : undefined,
      )),
    async stop() {
      stopped.abort();
      await running;
    },
    jobs,
    dues,
  };
}
