import { jobFacts, podFacts } from '../../../workflows/job/compact.ts';
import type { CommandOf } from '../../../workflows/job/commands.ts';
import type { AnswerTo } from './answer-to.ts';
import { forEachOf, readPod, type Site } from './site.ts';

/** Reads the Job; null when it is gone, or another one has its name. */
export async function lookUpJob(site: Site): Promise<AnswerTo<'LookUpJob'>> {
  const job = await site.readJob();
  return { kind: 'LookUpJob', job: job === null ? null : jobFacts(job) };
}

/** Reads pods, each null when it is gone or another one has its name. */
export async function lookUpPods(
  site: Site,
  { pods }: CommandOf<'LookUpPods'>,
): Promise<AnswerTo<'LookUpPods'>> {
  const found = await forEachOf(pods, async ({ uid, name }) => {
    const pod = await readPod(site, name);
    return { uid, name, pod: pod?.metadata.uid === uid ? podFacts(pod) : null };
  });
  return { kind: 'LookUpPods', pods: found };
}
