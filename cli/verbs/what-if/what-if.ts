import { Option, type Command } from 'commander';
import type { JobEvent } from '../../../workflows/job/events.ts';
import { refusal, type Refused } from '../../../workflows/history/refused.ts';
import type { SpreadBy } from '../../../workflows/placement/facts.ts';
import type { PolicyChange, WhatIf } from '../../../workflows/history/what-if/types.ts';
import { whatIf } from '../../../workflows/history/what-if/what-if.ts';
import { SPREADS } from '../../../services/what-if-input/placement-change.ts';
import { policyChange } from '../../../services/what-if-input/policy-change.ts';
import { InputError, errorMessage } from '../../../services/adapters/errors.ts';
import { fullName } from '../../../services/read-model/views/full-name.ts';
import type { JobView } from '../../../services/read-model/views/jobs.ts';
import { requireAnswer } from '../../answered.ts';
import { showOptions, STREAM_ARGUMENT, wantedStream, type ShowOptions } from '../../job-argument.ts';
import { write } from '../../output.ts';
import { writeJson } from '../../write-json.ts';
import { askAboutPlacements } from './placements.ts';
import { askAboutStarts } from './starts.ts';
import { whatIfText, type ComparedJob } from './what-if-text.ts';
import { streamFrom } from '../../sources/streams.ts';
import { withRows } from '../../sources/with-rows.ts';

interface WhatIfOptions extends ShowOptions {
  readonly all: boolean;
  readonly set: readonly string[];
  readonly setFile: readonly string[];
  readonly withoutCluster: readonly string[];
  readonly price: readonly string[];
  readonly spread?: SpreadBy;
}

/** Adds the verb `what-if`. */
export function registerWhatIf(program: Command): void {
  const command = program
    .command('what-if')
    .description(
      'apply another policy to the recorded facts, and show which Jobs would have ended differently and when, which starts of a CronJob would have changed, or where a placed Job would have gone',
    )
    .argument('[job]', STREAM_ARGUMENT)
    .option('--all', 'ask about every Job with a recorded decision', false)
    .option(
      '--set <path=value>',
      'change a value in the spec, for example spec.backoffLimit=3 or, for a CronJob, schedule=@hourly; null removes it',
      collectValues,
      [],
    )
    .option(
      '--set-file <path=file>',
      'change a value in the spec to the content of a YAML or JSON file, for example podFailurePolicy=policy.yaml',
      collectValues,
      [],
    )
    .option(
      '--without-cluster <name>',
      'show where a placed Job would have gone if this cluster could not have taken it; may be repeated',
      collectValues,
      [],
    )
    .option(
      '--price <cluster=price>',
      'show where a placed Job would have gone if a cluster had this price per pod and hour, for example west=0.05; may be repeated',
      collectValues,
      [],
    )
    .addOption(
      new Option(
        '--spread <kind>',
        'show how a placed Job in several clusters would have been shared out with this value of the annotation jobledger.dev/spread',
      ).choices(SPREADS),
    );
  showOptions(command, 'print the result as JSON').action(printWhatIf);
}

/** Prints the effect of the given changes on Jobs, on the starts of a CronJob, or on placements. */
async function printWhatIf(argument: string | undefined, options: WhatIfOptions): Promise<void> {
  if (options.all && argument !== undefined)
    throw new InputError('--all asks about every Job: leave out the name, or leave out --all');
  if (!options.all && argument === undefined) throw new InputError('name the Job, or give --all');
  const wanted = argument === undefined ? null : wantedStream(argument, options);
  if (options.withoutCluster.length + options.price.length > 0 || options.spread !== undefined) {
    if (wanted === null || wanted.kind === 'cronjob' || options.set.length + options.setFile.length > 0)
      throw new InputError(
        '--without-cluster, --price and --spread need the name of one placed Job, and exclude --set and --set-file',
      );
    return askAboutPlacements(wanted, options);
  }
  if (wanted?.kind === 'cronjob') return askAboutStarts(wanted, options);
  const change = policyChange(options.set, options.setFile);
  const compared = await withRows(options, async (rows) => {
    const jobs = wanted === null ? await rows.decidedJobs(options) : [await rows.job(wanted)];
    const found: ComparedJob[] = [];
    for (const job of jobs) found.push(compare(job, await streamFrom(rows, job), change));
    return found;
  });
  const [only] = compared;
  if (wanted !== null && only !== undefined) requireAnswer(only.answer, `Job ${only.job}`);
  if (options.output === 'json') writeJson({ change, jobs: compared });
  else write(whatIfText(compared));
}

/** Applies another policy to a Job. */
function compare(job: JobView, stream: readonly JobEvent[], change: PolicyChange): ComparedJob {
  return { job: fullName(job), answer: refusedOnError(() => whatIf(stream, change)) };
}

/** The result for one Job; an exception of the core, which is a bug, becomes a refusal, so that the other Jobs still get their results. */
function refusedOnError(answer: () => WhatIf | Refused): WhatIf | Refused {
  try {
    return answer();
  } catch (error) {
    return refusal('broken', `this is a bug in Jobledger; please report it: ${errorMessage(error)}`);
  }
}

/** Adds a value to the earlier values of a repeated option. */
function collectValues(text: string, before: readonly string[]): readonly string[] {
  return [...before, text];
}
