import type { JobEvent } from '../../workflows/job/events.ts';
import type { Settings } from '../../workflows/job/settings.ts';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import type { JobFields } from '../support/builders.ts';
import { createModelCluster, settleDown, type ModelCluster } from '../support/model-cluster.ts';
import type { Fate } from '../support/model-cluster-kubelet.ts';

/** The stream of a Job that ran to its end on the model of a cluster, its pods ending as they were fated. */
export function aRunJob(
  job: JobFields,
  fate: Fate = () => 'Succeeded',
  settings: Partial<Settings> = {},
): JobEvent[] {
  const cluster = createModelCluster(job, fate, { ...DEFAULT_SETTINGS, ...settings });
  settleDown(cluster);
  return streamOf(cluster);
}

/** The stream as it is by now. */
export function streamOf({ ledger }: ModelCluster): JobEvent[] {
  return ledger.events;
}

/** The first so many creations fail, the others succeed. */
export function failingFirst(count: number): Fate {
  return (creation) => (creation < count ? 'Failed' : 'Succeeded');
}
