import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { TestCluster } from './cluster.ts';

/** Indexed Jobs with two pods, one after the other; each pod ends when the test lets it. */
export interface SteppedJobs {
  /** Resolves when the first pod is ready. */
  create(name: string): Promise<void>;
  proceed(name: string, index: 0 | 1): void;
  secondPodRuns(name: string): Promise<void>;
  /** The Job ends well, with a pod for each index and no other. */
  endsWell(name: string): Promise<void>;
  remove(): void;
}

export function steppedJobs(cluster: () => TestCluster): SteppedJobs {
  const folder = mkdtempSync(join(tmpdir(), 'jobledger-steps-'));
  return {
    async create(name) {
      const spec = { completionMode: 'Indexed', completions: 2, parallelism: 1 } as const;
      const wait = `until [ -e ${folder}/${name}-$JOB_COMPLETION_INDEX ]; do sleep 0.1; done`;
      await cluster().createJob(name, spec, { command: ['sh', '-c', wait] });
      await cluster().jobWhere(name, 'has a ready pod', ({ status }) => status?.ready === 1);
    },
    proceed: (name, index) => writeFileSync(join(folder, `${name}-${index}`), ''),
    async secondPodRuns(name) {
      await cluster().jobWhere(
        name,
        'has succeeded once and runs its second pod',
        ({ status }) => status?.succeeded === 1 && status.ready === 1,
      );
    },
    async endsWell(name) {
      const job = await cluster().finished(name, 40);
      expect(job.status).toMatchObject({ succeeded: 2, completedIndexes: '0,1' });
      expect(job.status?.failed).toBeUndefined();
      expect(await cluster().listPods(name)).toHaveLength(2);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
