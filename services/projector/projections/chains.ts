import { foldChain } from '../../../workflows/job/decide/policies/chain.ts';
import { chainAfterAwaited, chainAfterJob } from '../../../workflows/job/evolve/evolve-chain.ts';
import { compact, jobFacts } from '../../../workflows/job/observe/compact.ts';
import type { AwaitedJobObserved, JobDeleted, JobObserved } from '../../../workflows/job/events.ts';
import type { AfterCondition, JobFacts } from '../../../workflows/batch/facts.ts';
import type { ChainState } from '../../../workflows/job/state.ts';
import { AFTER } from '../../../workflows/kubernetes/names.ts';
import type { ChainRow } from '../../read-model/tables/chains.ts';
import type { JobRow } from '../../read-model/tables/jobs.ts';
import { instantAt, toTimestamp } from './instants.ts';
import type { JobRows } from './job-rows.ts';
import { findStored } from './rows.ts';

/** The row for the chain of a Job after an event; empty when the Job has no chain, or the row does not change. */
export function chainChanges(
  { job, rows }: JobRows,
  before: JobRow | undefined,
  event: JobObserved | JobDeleted | AwaitedJobObserved,
): ChainRow[] {
  const readChain = (): ChainRow | undefined => findStored(rows.chains, job.cluster, job.uid);
  switch (event.type) {
    case 'awaited-job.observed':
      return rowsAfterAwaited(readChain(), event);
    case 'job.deleted': {
      const row = before?.suspend === true ? readChain() : undefined;
      return row?.status === 'waiting' ? [{ ...row, status: 'deleted', cycle: null }] : [];
    }
    case 'job.observed': {
      const isAsked = event.data.object.metadata.annotations?.[AFTER] !== undefined;
      // An older version of the Job that was seen late is ignored. So is a Job without the annotation that was not
      // suspended, because such a Job cannot wait.
      if (job === before || (!isAsked && before?.suspend !== true)) return [];
      return rowsAfterJob(readChain(), job, event);
    }
  }
}

function rowsAfterJob(row: ChainRow | undefined, job: JobRow, { time, data }: JobObserved): ChainRow[] {
  const facts = jobFacts(data.object);
  const asked = facts.annotations?.after;
  const isWaiting = facts.spec.suspend === true;
  if (row === undefined) {
    // A Job that has had pods was resumed before it got the annotation.
    if (asked === undefined || !isWaiting || job.attempt_count > 0) return [];
    return [rowAfterFacts(newChainRow(job), facts, OPEN)];
  }
  if (row.status !== 'waiting') return [];
  if (!isWaiting)
    return [{ ...row, status: 'resumed', resumed_at: toTimestamp(time) ?? time, cycle: null, awaited: {} }];
  const chain = chainAfterJob({ ...OPEN, awaited: row.awaited }, facts, facts);
  return [rowAfterFacts(row, facts, chain)];
}

function rowsAfterAwaited(row: ChainRow | undefined, event: AwaitedJobObserved): ChainRow[] {
  const fact = compact(event);
  if (row?.status !== 'waiting' || fact?.type !== 'awaited-job.observed') return [];
  const after = row.conditions.map(({ job, end }) => ({ job, end }) as AfterCondition);
  const facts = { name: row.job_name, annotations: { after } };
  const chain = chainAfterAwaited({ ...OPEN, awaited: row.awaited }, facts, fact.awaited);
  return chain === null ? [] : [rowAfterFacts(row, facts, chain)];
}

const OPEN: ChainState = { phase: 'open', awaited: {}, reported: [] };

function newChainRow({ cluster, uid, namespace, name }: JobRow): ChainRow {
  return {
    cluster,
    job_uid: uid,
    namespace,
    job_name: name,
    status: 'waiting',
    resumed_at: null,
    conditions: [],
    cycle: null,
    awaited: {},
  };
}

/** The row of a chain after new facts about the Job or about the Jobs that it awaits. */
function rowAfterFacts(
  row: ChainRow,
  facts: Pick<JobFacts, 'name' | 'annotations'>,
  chain: ChainState,
): ChainRow {
  const { conditions, cycle } = foldChain({ chain }, facts, facts.annotations?.after ?? []);
  return {
    ...row,
    conditions: conditions.map(({ job, end, status }) => {
      const awaited = chain.awaited[job];
      const since = awaited?.end?.at ?? awaited?.since;
      return {
        job,
        uid: awaited?.uid ?? null,
        end,
        status,
        since: since === undefined ? null : instantAt(since),
      };
    }),
    cycle: cycle?.join(' → ') ?? null,
    awaited: chain.awaited,
  };
}
