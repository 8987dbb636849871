import type { CronJobDecided } from '../../cron-job/events.ts';
import { apiTime } from '../../ledger/instants.ts';
import type { StartRecord } from './start-record.ts';

/** A command to create the Job of a start, and its outcome. */
export interface StartAttempt {
  decision: CronJobDecided;
  /** The number of the command, from 0. */
  command: number;
  /**
   * `existed` means that an earlier attempt had created the Job (J-9.38); `unknown`, that the request got no answer,
   * and the Job was not observed; `pending`, that no outcome is recorded.
   */
  result: 'created' | 'existed' | 'taken' | 'failed' | 'unknown' | 'pending';
}

/** The attempts to create the Job of a start, in order. */
export function attemptsFor({ events, effective }: StartRecord, scheduledAt: number): StartAttempt[] {
  const wanted = apiTime(scheduledAt);
  return effective.flatMap((decision): StartAttempt[] => {
    const command = decision.data.commands.findIndex(
      (each) => each.kind === 'CreateJob' && each.scheduledAt === wanted,
    );
    return command < 0 ? [] : [{ decision, command, result: attemptResult(events, decision.id, command) }];
  });
}

/** The result of an attempt to create a Job, from its outcome. */
function attemptResult(
  events: StartRecord['events'],
  decision: string,
  command: number,
): StartAttempt['result'] {
  const outcome = events.findLast(
    (event) =>
      event.type === 'outcome.recorded' && event.data.decision === decision && event.data.command === command,
  );
  if (outcome?.type !== 'outcome.recorded') return 'pending';
  const { outcome: answer } = outcome.data;
  if (answer.kind !== 'CreateJob' || answer.result === 'failed' || answer.result === 'gone') return 'failed';
  if (answer.result === 'taken' || answer.result === 'unknown') return answer.result;
  return answer.existing === true ? 'existed' : 'created';
}

/** The first decision to create the Job of a later start; null without such a decision. */
export function startAfter({ effective }: StartRecord, scheduledAt: number): CronJobDecided | null {
  /** True for a decision to create the Job of a later start. */
  const isLater = ({ data }: CronJobDecided): boolean =>
    data.commands.some((each) => each.kind === 'CreateJob' && Date.parse(each.scheduledAt) > scheduledAt);
  return effective.find(isLater) ?? null;
}
