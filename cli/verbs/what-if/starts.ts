import { whatIfStarts } from '../../../workflows/history/what-if-starts/what-if-starts.ts';
import { zoneRules } from '../../../services/adapters/time-zones.ts';
import { startChange } from '../../../services/what-if-input/start-change.ts';
import type { WantedJob } from '../../../services/read-model/queries/find-job.ts';
import { requireAnswer } from '../../answered.ts';
import { cronJobStream } from '../../cron-job-stream.ts';
import { write, type OutputOption } from '../../output.ts';
import { writeJson } from '../../write-json.ts';
import type { ConnectionOptions } from '../../server/connection-options.ts';
import {
  START_RESULTS,
  type ComparedStart,
  type WhatIfStarts,
} from '../../../workflows/history/what-if-starts/types.ts';
import { countText } from '../../print/counted.ts';
import { table } from '../../print/table.ts';

interface StartOptions extends ConnectionOptions, OutputOption {
  readonly set: readonly string[];
  readonly setFile: readonly string[];
}

/** Prints which starts of a CronJob would have changed. @throws InputError, JobledgerError for a broken stream. */
export async function askAboutStarts(wanted: WantedJob, options: StartOptions): Promise<void> {
  const change = startChange(options.set, options.setFile);
  const { title, events } = await cronJobStream(wanted, options);
  const answer = requireAnswer(whatIfStarts(events, change, zoneRules), title);
  if (options.output === 'json') return writeJson({ change, ...answer });
  write(title);
  write(startsText(answer));
}

/** A line for each start, then the totals, and the time since which the result is unknown. */
function startsText({ starts, totals, unknown, core }: WhatIfStarts): string {
  const counts = START_RESULTS.filter((result) => totals[result] > 0).map(
    (result) => `${totals[result]} ${result}`,
  );
  const sums = [countText(starts.length, 'start'), ...counts].join(', ').replace(',', ':');
  return [
    ...(starts.length === 0
      ? []
      : [table(['SCHEDULED', 'STARTED', 'RESULT', 'WOULD HAVE STARTED', 'MESSAGE'], starts.map(toRow)), '']),
    ...(unknown === null ? [] : [`unknown from ${unknown.since} on: ${unknown.message}`]),
    `${sums}; decided by core ${core}`,
  ].join('\n');
}

/** The row about a start, as it was and as it would have been. */
function toRow({ scheduledAt, result, message, actual, counterfactual }: ComparedStart): string[] {
  const would = counterfactual === null ? '?' : (counterfactual.startedAt ?? '-');
  return [scheduledAt, actual.startedAt ?? '-', result, would, message];
}
