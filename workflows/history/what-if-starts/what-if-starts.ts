import { CRON_JOB_CORES } from '../../cores/cores.ts';
import type { CronJobEvent } from '../../cron-job/events.ts';
import { isoTime } from '../../ledger/instants.ts';
import { effectiveDecisions } from '../../decision/folding.ts';
import { refusal, type Refused } from '../refused.ts';
import { findBreak } from '../verify/break-in.ts';
import { compareStarts } from './compare-starts.ts';
import { runCounterfactualStarts } from './counterfactual-starts.ts';
import {
  START_RESULTS,
  type ComparedStart,
  type RulesOfZone,
  type StartChange,
  type StartResult,
  type WhatIfStarts,
} from './types.ts';
import { unfitFor } from './unfit.ts';

/**
 * Finds the starts of a CronJob that would have been skipped, added, made earlier or made later with other values in
 * its spec. A Job that was started runs as long as the record shows; results that depend on the duration of other
 * Jobs are unknown (docs/decisions/0067). `events` is the stream of the CronJob in ledger order.
 */
export function whatIfStarts(
  events: readonly CronJobEvent[],
  change: StartChange,
  rulesOfZone: RulesOfZone,
): WhatIfStarts | Refused {
  const broken = findBreak(events);
  if (broken !== null) return broken;
  const effective = effectiveDecisions(events);
  const [first] = effective;
  if (first === undefined)
    return refusal('unknown', 'nothing was decided about the CronJob: it is not controlled by Jobledger');
  const unfit = unfitFor(events, change, rulesOfZone);
  if (unfit !== null) return refusal('invalid', unfit);
  const record = { events, effective };
  const run = runCounterfactualStarts(record, change, rulesOfZone);
  const starts = compareStarts(record, run);
  return {
    cronJob: `${first.data.cluster}/${first.subject}`,
    uid: first.data.cronJobUid,
    core: CRON_JOB_CORES.ofLast(effective).CORE_VERSION,
    starts,
    totals: countResults(starts),
    unknown:
      run.unknown === null ? null : { since: isoTime(run.unknown.since), message: run.unknown.message },
  };
}

/** The number of starts with each result. */
function countResults(starts: readonly ComparedStart[]): Record<StartResult, number> {
  /** The number of starts with this result. */
  const count = (result: StartResult): number => starts.filter((start) => start.result === result).length;
  return Object.fromEntries(START_RESULTS.map((result) => [result, count(result)])) as Record<
    StartResult,
    number
  >;
}
