import type { Command } from 'commander';
import { z } from 'zod';
import type { ApiCalls } from '../../../services/adapters/http/api-calls.ts';
import { fullName } from '../../../services/read-model/views/full-name.ts';
import type { UserRequest } from '../../../services/requests/user-requests.ts';
import {
  JOB_ARGUMENT,
  jobOptions,
  requireOneForUid,
  wantedJob,
  type JobOptions,
} from '../../job-argument.ts';
import { InputError } from '../../../services/adapters/errors.ts';
import type { JobView } from '../../../services/read-model/views/jobs.ts';
import { eachFound } from '../../each-found.ts';
import { write } from '../../output.ts';
import { connectionOptions, type ConnectionOptions } from '../../server/connection-options.ts';
import { thisUser } from '../../this-user.ts';
import { withApiOr, withRows } from '../../sources/with-rows.ts';

interface RequestOptions extends JobOptions, ConnectionOptions {
  readonly by?: string;
}

/** Registers a verb that requests a change of Jobs. */
export function registerUserRequest(program: Command, verb: UserRequest, description: string): void {
  const command = program
    .command(verb)
    .description(description)
    .argument('<jobs...>', JOB_ARGUMENT)
    .option(
      '--by <who>',
      'user name to record in the ledger (default: the signed-in user; without an API, the user of this machine)',
    );
  connectionOptions(jobOptions(command)).action((given: readonly string[], options: RequestOptions) =>
    requestChanges(verb, given, options),
  );
}

async function requestChanges(
  verb: UserRequest,
  given: readonly string[],
  options: RequestOptions,
): Promise<void> {
  requireOneForUid(given, options);
  await withApiOr(options, {
    api: async (api) => {
      const request = (argument: string, isDryRun: boolean): Promise<Requested> =>
        requestByApi(api, verb, argument, { ...options, isDryRun });
      if (given.length > 1) await requireEach(given, (argument) => request(argument, true));
      for (const argument of given) report(verb, await request(argument, false));
    },
    tables: async () => {
      const jobs = await requireEach(given, (argument) => requestable(verb, argument, options));
      await requestInLedger(verb, jobs, options);
    },
  });
}

/** @throws InputError when one is refused, before a request is made for any other. */
async function requireEach<T>(
  given: readonly string[],
  check: (argument: string) => Promise<T>,
): Promise<T[]> {
  const { found, error } = await eachFound(given, check);
  if (error === null) return found;
  throw given.length === 1 ? error : new InputError(`${error.message}; nothing was requested for any Job`);
}

function report(verb: UserRequest, { job, by }: Requested): void {
  write(`${job}: ${verb} requested by ${by}; "jobledger history" shows the outcome`);
}

/** The full name of the Job, and the name to record. */
interface Requested {
  job: string;
  by: string;
}

const asked = z.object({ by: z.string(), cluster: z.string(), namespace: z.string(), name: z.string() });

async function requestByApi(
  api: ApiCalls,
  verb: UserRequest,
  argument: string,
  options: RequestOptions & { isDryRun: boolean },
): Promise<Requested> {
  const { name, cluster, namespace, uid } = wantedJob(argument, options);
  const query = {
    cluster,
    namespace,
    uid,
    by: options.by,
    ...(options.isDryRun && { dry_run: 'true' }),
  };
  const answer = await api.post(`/v1/jobs/${encodeURIComponent(name)}/${verb}`, query, undefined, asked);
  return { job: fullName(answer), by: answer.by };
}

/** The Job, for which the request can be made. @throws InputError. */
async function requestable(verb: UserRequest, argument: string, options: RequestOptions): Promise<JobView> {
  const { requireRequestable } = await import('../../../services/requests/user-requests.ts');
  const { job, home } = await withRows(options, async (rows) => {
    const found = await rows.job(wantedJob(argument, options));
    return { job: found, home: found.member ? await rows.home(found) : null };
  });
  requireRequestable(job, verb, home);
  return job;
}

/** Appends the requests to the ledger, as the API does. */
async function requestInLedger(
  verb: UserRequest,
  jobs: readonly JobView[],
  options: RequestOptions,
): Promise<void> {
  const [{ appendUserRequest }, { createAppender }, { openLedger }] = await Promise.all([
    import('../../../services/requests/user-requests.ts'),
    import('../../../services/adapters/kafka/append.ts'),
    import('../../ledger/read-ledger.ts'),
  ]);
  const by = thisUser(options.by);
  const appender = await createAppender(await openLedger(options));
  try {
    for (const job of jobs) {
      await appendUserRequest(appender, job, verb, by);
      report(verb, { job: fullName(job), by });
    }
  } finally {
    await appender.close();
  }
}

export function registerResume(program: Command): void {
  registerUserRequest(program, 'resume', 'let suspended Jobs run again');
}

export function registerSuspend(program: Command): void {
  registerUserRequest(program, 'suspend', 'stop the pods of Jobs until they are resumed');
}
