import { pause } from '../../services/adapters/waiting/pause.ts';
import { eventually } from './eventually.ts';
import type { TestCluster } from './cluster.ts';

/** Seconds from one Job to the next. */
const EVERY = 2;

/** The highest number of seconds that a Job may take before the measurement fails. */
const LIMIT = 60;

/** Jobs of one pod in a namespace of their own, one after the other, while something else keeps the system busy. */
export interface JobsBeside {
  /** Creates no more of them. Seconds from the creation of each Job to its pod, in order. */
  stop(): Promise<number[]>;
}

export function createJobsBeside(cluster: TestCluster, nodeName: string): JobsBeside {
  const stopped = new AbortController();
  const delays: number[] = [];
  const running = (async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      delays.push(await secondsToPod(cluster, `beside-${delays.length}`, nodeName));
      await pause(EVERY * 1000, stopped.signal);
    }
  })();
  return {
    async stop() {
      stopped.abort();
      await running;
      return delays;
    },
  };
}

async function secondsToPod(cluster: TestCluster, name: string, nodeName: string): Promise<number> {
  const begin = performance.now();
  await cluster.createJob(name, {}, { nodeName });
  await eventually(`Job ${name} has a pod`, LIMIT, async () => (await cluster.listPods(name))[0]);
  return (performance.now() - begin) / 1000;
}
