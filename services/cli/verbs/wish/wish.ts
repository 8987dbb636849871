import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { findJob, fullName } from '../../../read-model/find-job.ts';
import { createWishes, requireAskable, type Wish } from '../../../contracts/wishes.ts';
import { JOB_ARGUMENT, jobOptions, wantedJob, type JobOptions } from '../../job-argument.ts';
import { kafkaOf } from '../../ledger/read-ledger.ts';
import { stateDirOption, type StateDirOption } from '../../options.ts';
import { write } from '../../output.ts';
import { withDatabase } from '../../with-database.ts';

interface WishOptions extends JobOptions, StateDirOption {
  readonly by: string;
}

/** A verb by which a person asks something of a Job. */
export function registerWish(program: Command, verb: Wish, description: string): void {
  const command = program
    .command(verb)
    .description(description)
    .argument('<job>', JOB_ARGUMENT)
    .option('--by <who>', 'who wants it, for the ledger', whoAmI());
  stateDirOption(jobOptions(command)).action((argument: string, options: WishOptions) =>
    wish(verb, argument, options),
  );
}

async function wish(verb: Wish, argument: string, options: WishOptions): Promise<void> {
  const job = await withDatabase(options, (run) => findJob(run, wantedJob(argument, options)));
  requireAskable(job, verb);
  const wishes = createWishes(kafkaOf(options));
  try {
    await wishes.ask(job, verb, options.by);
  } finally {
    await wishes.close();
  }
  write(`${fullName(job)}: ${verb} asked for; "jobledger history" shows what comes of it`);
}

function whoAmI(): string {
  return process.env['USER'] ?? userInfo().username;
}
