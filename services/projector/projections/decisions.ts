import type { JobDecided } from '../../../workflows/job/events.ts';
import { isBefore } from '../../../workflows/decision/folding.ts';
import type { DecisionRow } from '../../read-model/tables/decisions.ts';
import type { JobRow } from '../../read-model/tables/jobs.ts';
import { lastDecided } from './decided-columns.ts';
import { toTimestamp, instantAt } from './instants.ts';
import { findDecision, type JobRows } from './job-rows.ts';

/**
 * The rows that a decision adds or changes. The latest decision, its predecessor, and all earlier predecessors are
 * effective. A crash can cause other decisions, which are superseded (`effectiveDecisions` finds the effective decisions
 * of a whole stream).
 */
export function foldDecision(jobRows: JobRows, before: JobRow | undefined, event: JobDecided): DecisionRow[] {
  const row = decisionRow(jobRows.job, event);
  const last = findDecision(jobRows, before?.last_decision ?? null);
  if (before !== undefined && last !== undefined && isBefore(event.data, lastDecided(before)))
    return [{ ...row, superseded: true }];
  const revived = predecessorsFrom(jobRows, row.predecessor, ({ superseded }) => superseded);
  const shared = row.number - 1 - revived.length;
  const passedOver = predecessorsFrom(jobRows, last?.id ?? null, ({ number }) => number > shared);
  return [
    { ...row, superseded: false },
    ...revived.map((each) => ({ ...each, superseded: false })),
    ...passedOver.filter(({ id }) => id !== row.id).map((each) => ({ ...each, superseded: true })),
  ];
}

/** A decision and its predecessors, up to the first decision for which `belongs` is false. */
function predecessorsFrom(
  jobRows: JobRows,
  id: string | null,
  belongs: (row: DecisionRow) => boolean,
): DecisionRow[] {
  const chain: DecisionRow[] = [];
  for (let row = findDecision(jobRows, id); row !== undefined && belongs(row);) {
    chain.push(row);
    row = findDecision(jobRows, row.predecessor);
  }
  return chain;
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
    first_run_id: data.firstRunId,
    now: instantAt(data.now) ?? '',
    recorded_at: toTimestamp(time) ?? time,
    core: data.core,
    command_count: data.commands.length,
    next_decision_at: instantAt(data.nextDecisionAt),
    waiting_rule: data.waiting?.rule ?? null,
    waiting_message: data.waiting?.message ?? null,
    broken: data.broken?.map(({ invariant }) => invariant).join(', ') ?? null,
  };
}
