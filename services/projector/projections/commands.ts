import type { OutcomeRecorded, JobDecided } from '../../../workflows/job/events.ts';
import type { CommandRow } from '../../read-model/tables/decisions.ts';
import type { JobRow } from '../../read-model/tables/jobs.ts';
import { apiErrorIn } from './answers.ts';
import { instantAt } from './instants.ts';

/** The rows of the commands of a decision, before their outcomes. */
export function pendingCommands(job: JobRow, { id, data }: JobDecided): CommandRow[] {
  return data.commands.map((command, index) => ({
    cluster: data.cluster,
    job_uid: data.jobUid,
    decision: id,
    command: index,
    namespace: job.namespace,
    job_name: job.name,
    decision_number: data.number,
    kind: command.kind,
    rule: command.why.rule,
    message: command.why.message,
    pod_count: 'pods' in command ? command.pods.length : null,
    decided_at: instantAt(data.now) ?? '',
    last_attempt: 0,
    outcome_at: null,
    result: null,
    error: null,
  }));
}

/** The row of a command with its outcome; empty when the row already has the outcome of a later attempt. */
export function answeredCommand(before: CommandRow | undefined, { data }: OutcomeRecorded): CommandRow[] {
  if (before === undefined || data.attempt < before.last_attempt) return [];
  const { outcome, attempt } = data;
  return [
    {
      ...before,
      last_attempt: attempt,
      outcome_at: instantAt(outcome.at),
      result: outcome.kind === 'skipped' ? 'skipped' : 'result' in outcome ? outcome.result : null,
      error: apiErrorIn(outcome),
    },
  ];
}
