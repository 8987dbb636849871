import type { JobDecided } from '../../../workflows/job/events.ts';
import type { DecisionRow } from '../tables/decisions.ts';
import type { JobRow } from '../tables/jobs.ts';
import { timestampOf, instantAt } from './instants.ts';
import { decisionOf, type JobRows } from './job-rows.ts';

/**
 * The rows that a decision adds or changes. Of several decisions with the same number, which a crash can cause, the one
 * that a later decision names counts; until then the last one.
 */
export function foldDecision(jobRows: JobRows, before: JobRow | undefined, event: JobDecided): DecisionRow[] {
  const row = {
    ...decisionRow(jobRows.job, event),
    superseded: event.data.number < (before?.last_number ?? 0),
  };
  const last = decisionOf(jobRows, before?.last_decision ?? null);
  const named = decisionOf(jobRows, event.data.predecessor);
  const isRepeated = last?.number === row.number && last.id !== row.id;
  const isPassedOver = last?.number === named?.number && last?.id !== named?.id;
  return [
    row,
    ...(last !== undefined && (isRepeated || isPassedOver) ? [{ ...last, superseded: true }] : []),
    ...(named?.superseded === true ? [{ ...named, superseded: false }] : []),
  ];
}

function decisionRow(
  { namespace, name }: JobRow,
  { id, time, data }: JobDecided,
): Omit<DecisionRow, 'superseded'> {
  return {
    cluster: data.cluster,
    job_uid: data.jobUid,
    id,
    namespace,
    job_name: name,
    number: data.number,
    predecessor: data.predecessor,
    chain: data.chain,
    now: instantAt(data.now) ?? '',
    recorded_at: timestampOf(time) ?? time,
    core: data.core,
    commands: data.commands.length,
    look_again_at: instantAt(data.lookAgainAt),
    waiting_rule: data.waiting?.rule ?? null,
    waiting_words: data.waiting?.words ?? null,
  };
}
