import type {
  PlacementChoice,
  WhatIfPlacements,
} from '../../../workflows/history/what-if-placements/types.ts';
import { whatIfPlacements } from '../../../workflows/history/what-if-placements/what-if-placements.ts';
import { placementChange } from '../../../services/contracts/placement-change.ts';
import { fullName } from '../../../services/read-model/full-name.ts';
import type { WantedJob } from '../../../services/read-model/find-job.ts';
import { requireAnswer } from '../../answered.ts';
import type { ShowOptions } from '../../job-argument.ts';
import { write } from '../../output.ts';
import { counted } from '../../print/counted.ts';
import { table } from '../../print/table.ts';
import { streamFrom } from '../../sources/streams.ts';
import { withRows } from '../../sources/with-rows.ts';
import { writeJson } from '../../write-json.ts';

interface PlacementOptions extends ShowOptions {
  readonly withoutCluster: readonly string[];
  readonly price: readonly string[];
}

/** Prints where a placed Job would have gone. @throws InputError, JobledgerError for a broken stream. */
export async function askAboutPlacements(wanted: WantedJob, options: PlacementOptions): Promise<void> {
  const change = placementChange(options.withoutCluster, options.price, '--price');
  const { title, answer } = await withRows(options, async (rows) => {
    const job = await rows.job(wanted);
    return { title: `Job ${fullName(job)}`, answer: whatIfPlacements(await streamFrom(rows, job), change) };
  });
  const found = requireAnswer(answer, title);
  if (options.output === 'json') writeJson({ change, ...found });
  else write([title, placementsText(found)].join('\n'));
}

/** A line for each choice, then the totals, and the time since which the result is unknown. */
function placementsText({ choices, unknown, cores }: WhatIfPlacements): string {
  const rows = choices.map(({ at, result, actual, counterfactual }) => [
    at,
    choiceText(actual),
    result,
    counterfactual === null ? '?' : choiceText(counterfactual),
    (result === 'different' ? counterfactual : actual)?.words ?? '',
  ]);
  const same = choices.filter(({ result }) => result === 'same').length;
  return [
    table(['CHOSEN', 'WAS', 'RESULT', 'WOULD HAVE BEEN', 'WORDS'], rows),
    '',
    ...(unknown === null ? [] : [`unknown after ${unknown.since}: ${unknown.words}`]),
    `${counted(choices.length, 'choice')}: ${same} the same; decided by core ${cores.join(', ')}`,
  ].join('\n');
}

function choiceText({ kind, cluster }: PlacementChoice): string {
  if (kind === 'given') return cluster ?? '';
  return kind === 'left' ? `leaves ${cluster}` : 'waits';
}
