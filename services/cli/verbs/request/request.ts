import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { findJob, fullName } from '../../../read-model/find-job.ts';
import {
  createUserRequests,
  requireRequestable,
  type UserRequest,
} from '../../../contracts/user-requests.ts';
import { JOB_ARGUMENT, jobOptions, wantedJob, type JobOptions } from '../../job-argument.ts';
import { kafkaOf } from '../../ledger/read-ledger.ts';
import { stateDirOption, type StateDirOption } from '../../options.ts';
import { write } from '../../output.ts';
import { withDatabase } from '../../with-database.ts';

interface RequestOptions extends JobOptions, StateDirOption {
  readonly by: string;
}

/** Registers a verb that requests a change of a Job. */
export function registerUserRequest(program: Command, verb: UserRequest, description: string): void {
  const command = program
    .command(verb)
    .description(description)
    .argument('<job>', JOB_ARGUMENT)
    .option('--by <who>', 'user name to record in the ledger', whoAmI());
  stateDirOption(jobOptions(command)).action((argument: string, options: RequestOptions) =>
    requestChange(verb, argument, options),
  );
}

async function requestChange(verb: UserRequest, argument: string, options: RequestOptions): Promise<void> {
  const job = await withDatabase(options, (run) => findJob(run, wantedJob(argument, options)));
  requireRequestable(job, verb);
  const requests = createUserRequests(kafkaOf(options));
  try {
    await requests.ask(job, verb, options.by);
  } finally {
    await requests.close();
  }
  write(`${fullName(job)}: ${verb} requested; "jobledger history" shows the outcome`);
}

function whoAmI(): string {
  return process.env['USER'] ?? userInfo().username;
}
