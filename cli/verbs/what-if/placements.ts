import { whatIfPlacements } from '../../../workflows/history/what-if-placements/what-if-placements.ts';
import type { SpreadBy } from '../../../workflows/placement/facts.ts';
import { placementChange } from '../../../services/what-if-input/placement-change.ts';
import { fullName } from '../../../services/read-model/views/full-name.ts';
import type { WantedJob } from '../../../services/read-model/queries/find-job.ts';
import { requireAnswer } from '../../answered.ts';
import type { ShowOptions } from '../../job-argument.ts';
import { write } from '../../output.ts';
import { placementsText } from './placements-text.ts';
import { streamFrom } from '../../sources/streams.ts';
import { withRows } from '../../sources/with-rows.ts';
import { writeJson } from '../../write-json.ts';

interface PlacementOptions extends ShowOptions {
  readonly withoutCluster: readonly string[];
  readonly price: readonly string[];
  readonly spread?: SpreadBy;
}

/** Prints where a placed Job would have gone, or how it would have been shared out. @throws InputError, JobledgerError for a broken stream. */
export async function askAboutPlacements(wanted: WantedJob, options: PlacementOptions): Promise<void> {
  const { withoutCluster: without, price: prices, spread } = options;
  const change = placementChange({ without, prices, spread }, '--price');
  const { title, answer } = await withRows(options, async (rows) => {
    const job = await rows.job(wanted);
    return { title: `Job ${fullName(job)}`, answer: whatIfPlacements(await streamFrom(rows, job), change) };
  });
  const found = requireAnswer(answer, title);
  if (options.output === 'json') writeJson({ change, ...found });
  else write([title, placementsText(found)].join('\n'));
}
