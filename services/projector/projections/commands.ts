import type { CommandAnswered, JobDecided } from '../../../workflows/job/events.ts';
import type { CommandRow } from '../../read-model/tables/decisions.ts';
import type { JobRow } from '../../read-model/tables/jobs.ts';
import { apiErrorIn } from './answers.ts';
import { instantAt } from './instants.ts';

/** One row for each command of a decision. */
export function pendingCommands(job: JobRow, { id, data }: JobDecided): CommandRow[] {
  return data.commands.map((command, index) => ({
    cluster: data.cluster,
    job_uid: data.jobUid,
    decision: id,
    command: index,
    namespace: job.namespace,
    job_name: job.name,
    number: data.number,
    kind: command.kind,
    rule: command.why.rule,
    words: command.why.words,
    pods: 'pods' in command ? command.pods.length : null,
    decided_at: instantAt(data.now) ?? '',
    attempts: 0,
    answered_at: null,
    result: null,
    error: null,
  }));
}

/** The command's row with its outcome, unless it already has the outcome of a later attempt. */
export function answeredCommand(before: CommandRow | undefined, { data }: CommandAnswered): CommandRow[] {
  if (before === undefined || data.attempt < before.attempts) return [];
  const { answer, attempt } = data;
  return [
    {
      ...before,
      attempts: attempt,
      answered_at: instantAt(answer.at),
      result: answer.kind === 'skipped' ? 'skipped' : 'result' in answer ? answer.result : null,
      error: apiErrorIn(answer),
    },
  ];
}
