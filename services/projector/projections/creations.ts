import type { OutcomeRecorded, JobDecided } from '../../../workflows/job/events.ts';
import type { CreationRow } from '../../read-model/tables/pods.ts';
import { instantAt } from './instants.ts';
import { findCreation, type JobRows } from './job-rows.ts';

/** The rows of the creations that a decision requests. The row of a successful creation keeps its earlier decision. */
export function pendingCreations(jobRows: JobRows, { id, data }: JobDecided): CreationRow[] {
  return data.commands
    .filter((command) => command.kind === 'CreatePods')
    .flatMap(({ pods, why }) =>
      pods.flatMap((pod) => {
        if (findCreation(jobRows, pod.name)?.result === 'created') return [];
        return [
          {
            cluster: data.cluster,
            job_uid: data.jobUid,
            name: pod.name,
            ordinal: pod.ordinal,
            completion_index: pod.index ?? null,
            decision: id,
            rule: why.rule,
            message: why.message,
            decided_at: instantAt(data.now) ?? '',
            result: null,
            pod_uid: null,
            error: null,
            outcome_at: null,
          },
        ];
      }),
    );
}

/** The rows of the creations with their outcomes. */
export function answeredCreations(jobRows: JobRows, { data }: OutcomeRecorded): CreationRow[] {
  const { outcome } = data;
  if (outcome.kind !== 'CreatePods') return [];
  return outcome.pods.flatMap((pod) => {
    const row = findCreation(jobRows, pod.name);
    if (row === undefined || row.result === 'created') return [];
    return [
      {
        ...row,
        decision: data.decision,
        result: pod.result,
        pod_uid: pod.result === 'created' ? pod.uid : null,
        error: pod.result === 'failed' ? pod.error.message : null,
        outcome_at: instantAt(outcome.at),
      },
    ];
  });
}
