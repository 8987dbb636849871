import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { readConfig, temporalEnvironment } from '../adapters/config.ts';
import { InputError } from '../adapters/errors.ts';
import { connectTemporal } from '../adapters/temporal/connection.ts';
import { signalWish } from '../adapters/temporal/job-workflows.ts';
import { resolveAddresses } from './addresses.ts';
import { JOB_ARGUMENT, jobOptions, wantedJob, type JobOptions } from './job-argument.ts';
import { stateDirOption, type StateDirOption } from './options.ts';
import { write } from './output.ts';
import { findJob, fullName } from '../adapters/postgres/queries/find-job.ts';
import type { JobView } from '../adapters/postgres/queries/jobs.ts';
import { withDatabase } from './with-database.ts';

type Verb = 'suspend' | 'resume';

interface WishOptions extends JobOptions, StateDirOption {
  readonly by: string;
}

/** A verb by which a person tells a Job's workflow something. */
export function registerWish(program: Command, verb: Verb, description: string): void {
  const command = program
    .command(verb)
    .description(description)
    .argument('<job>', JOB_ARGUMENT)
    .option('--by <who>', 'who wants it, for the ledger', whoAmI());
  stateDirOption(jobOptions(command)).action((argument: string, options: WishOptions) =>
    wish(verb, argument, options),
  );
}

async function wish(verb: Verb, argument: string, options: WishOptions): Promise<void> {
  const job = await withDatabase(options, (run) => findJob(run, wantedJob(argument, options)));
  const refusal = refusalOf(job);
  if (refusal !== null) throw new InputError(`${fullName(job)} cannot be asked to ${verb}: ${refusal}`);
  const { temporalAddress, temporalNamespace } = resolveAddresses(options);
  const config = readConfig(temporalEnvironment, {
    ...process.env,
    TEMPORAL_ADDRESS: temporalAddress,
    TEMPORAL_NAMESPACE: temporalNamespace,
  });
  const client = await connectTemporal(config);
  try {
    await signalWish(client, job, verb, { by: options.by });
  } catch (cause) {
    throw notRunning(cause)
      ? new InputError(`no workflow of ${fullName(job)} runs; is its worker up?`)
      : cause;
  } finally {
    await client.connection.close();
  }
  write(`${fullName(job)}: ${verb} asked for; "jobledger history" shows what comes of it`);
}

/** The client library's name for a workflow that is not there. */
function notRunning(error: unknown): boolean {
  return error instanceof Error && error.name === 'WorkflowNotFoundError';
}

/** What the tables know may be a moment old: the workflow has the last word, and its refusal is in the ledger. */
function refusalOf(job: JobView): string | null {
  if (job.deleted_at !== null) return `it was deleted at ${job.deleted_at}`;
  if (job.finished_at !== null) return `it is ${job.status} since ${job.finished_at}`;
  if (!job.claimed) return `${job.managed_by ?? "the cluster's own Job controller"} drives it, not Jobledger`;
  return null;
}

function whoAmI(): string {
  return process.env['USER'] ?? userInfo().username;
}
