import { expect } from 'expect';
import type { JobStory } from '../kills/job-stories.ts';

const POD_SECONDS = 35;

/** A Job that is open before a standby begins to lag and after it is promoted, with another pod each time. */
export const lastingStory: JobStory = {
  kind: 'lasting',
  spec: { activeDeadlineSeconds: 300, completions: 3, parallelism: 1 },
  command: () => ['sleep', String(POD_SECONDS)],
  pods: 3,
  check(job) {
    expect(job.status).toMatchObject({ succeeded: 3 });
    expect(job.status?.failed).toBeUndefined();
  },
};
