import { whatIfStarts } from '../../../workflows/history/what-if-starts/what-if-starts.ts';
import { zoneRules } from '../../../services/adapters/time-zones.ts';
import { startChange } from '../../../services/contracts/start-change.ts';
import type { WantedJob } from '../../../services/read-model/find-job.ts';
import { requireAnswer } from '../../answered.ts';
import { cronJobStream } from '../../cron-job-stream.ts';
import { write, type OutputOption } from '../../output.ts';
import { writeJson } from '../../write-json.ts';
import type { ConnectionOptions } from '../../server/connection-options.ts';
import { startsText } from './starts-text.ts';

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
