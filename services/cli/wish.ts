import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { readConfig, temporalEnvironment } from '../adapters/config.ts';
import { findJob, fullName } from '../adapters/postgres/queries/find-job.ts';
import { connectTemporal } from '../adapters/temporal/connection.ts';
import { askFor, requireAskable, type Wish } from '../adapters/temporal/wish.ts';
import { resolveAddresses } from './addresses.ts';
import { JOB_ARGUMENT, jobOptions, wantedJob, type JobOptions } from './job-argument.ts';
import { stateDirOption, type StateDirOption } from './options.ts';
import { write } from './output.ts';
import { withDatabase } from './with-database.ts';

interface WishOptions extends JobOptions, StateDirOption {
  readonly by: string;
}

/** A verb by which a person tells a Job's workflow something. */
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
  const { temporalAddress, temporalNamespace } = resolveAddresses(options);
  const config = readConfig(temporalEnvironment, {
    ...process.env,
    TEMPORAL_ADDRESS: temporalAddress,
    TEMPORAL_NAMESPACE: temporalNamespace,
  });
  const client = await connectTemporal(config);
  try {
    await askFor(client, job, verb, options.by);
  } finally {
    await client.connection.close();
  }
  write(`${fullName(job)}: ${verb} asked for; "jobledger history" shows what comes of it`);
}

function whoAmI(): string {
  return process.env['USER'] ?? userInfo().username;
}
