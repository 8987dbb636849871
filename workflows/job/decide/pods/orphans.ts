import type { JobPlan } from '../hold-back.ts';
import type { Reason } from '../../../decision/reason.ts';
import type { Situation } from '../situation.ts';
import { sendOnly } from '../../../decision/verdict.ts';
import { unchangedPlan, type SyncPlan } from '../plan.ts';
import type { Tally } from '../tally.ts';

/**
 * Looks up the orphans of a Job with a `manualSelector` before its first pod is created. Orphans older than the Job
 * are not recorded, and only a `manualSelector` can match such pods (J-1.10); Kubernetes lists pods in each sync
 * (J-3.30).
 */
export function findOrphans({ state, job }: Situation): JobPlan | null {
  if (job.spec.manualSelector !== true || job.deleting || state.orphansFound) return null;
  const why: Reason = {
    rule: 'J-3.30',
    message: 'the selector is the author’s own: pods may be older than the Job',
  };
  return sendOnly({ kind: 'LookUpOrphans', selector: job.spec.selector, why });
}

/**
 * The plan, preceded by a list of pods after a restore of the API server: its pods are not the known pods, and they
 * are observed after the Job, so they are listed before a pod is created.
 */
export function withPodListFirst(tally: Tally, plan: SyncPlan): SyncPlan {
  const { listedTo: after } = tally.state;
  if (after === undefined || !plan.commands.some(({ kind }) => kind === 'CreatePods')) return plan;
  const why: Reason = {
    rule: 'J-3.30',
    message: 'the API server was restored from an older copy: which pods does the Job have there?',
  };
  return {
    ...unchangedPlan(tally),
    action: 'reconciling',
    isManaged: plan.isManaged,
    commands: [{ kind: 'LookUpOrphans', selector: tally.job.spec.selector, own: { after }, why }],
  };
}
