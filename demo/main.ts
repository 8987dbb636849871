import path from 'node:path';
import { Command } from 'commander';
import { publishedAddresses, type Addresses } from '../infra/local/addresses.ts';
import { PACKAGE_DIR } from '../services/adapters/process/package-dir.ts';
import type { Job, JobStatus } from '../workflows/kubernetes/objects.ts';
import { JobledgerError } from '../services/adapters/errors.ts';
import { silentLog } from '../services/adapters/process/log.ts';
import { openDatabase } from '../services/adapters/postgres/database.ts';
import { runVerb, startUp, type UpChild } from './cli-child.ts';
import { connectLocalCluster, type ClusterJobs } from './cluster-jobs.ts';
import { piDigits } from './pi-digits.ts';
import { answer, QUESTIONS, recorded } from './rows.ts';
import { exitCodeFor } from '../cli/failure.ts';
import { stateDirOption, type StateDirOption } from '../cli/options.ts';
import { write } from '../cli/output.ts';
import { indented } from '../cli/print/table.ts';
import { aborted, endSoon, stopRequest } from '../cli/stop-request.ts';

const EXAMPLES = ['pi', 'flaky'] as const;
const DIGITS = 2000;
/** Both examples take less than a minute, including 30 s of back-offs. */
const LIMIT_MS = 300_000;
/** The exit status of a program that SIGINT ended. */
const INTERRUPTED = 130;

const program = new Command('npm run demo --').description(
  'Starts everything on this machine, runs two Jobs from manifest to SQL row, and stops everything again; ignores configured addresses',
);
try {
  await stateDirOption(program.exitOverride().allowExcessArguments(false)).action(demo).parseAsync();
} catch (error) {
  process.exitCode = exitCodeFor(error);
}

async function demo({ stateDir }: StateDirOption): Promise<void> {
  const stop = stopRequest();
  const started = Date.now();
  heading('Starting Postgres, Kafka, Temporal, a Kubernetes cluster and the services');
  const up = startUp(stateDir);
  try {
    await Promise.race([run(up, { stateDir, stop, started }), up.ended, interrupted(stop)]);
    heading('Stopping');
    await up.stop();
    write('everything is stopped; the recorded data is kept, and "npm start" starts everything again');
  } catch (error) {
    await up.stop().catch(() => undefined);
    if (!stop.aborted) throw error;
    write('interrupted; everything is stopped');
    process.exitCode = INTERRUPTED;
  } finally {
    endSoon();
  }
}

async function interrupted(stop: AbortSignal): Promise<never> {
  await aborted(stop);
  throw new JobledgerError('the demo was interrupted');
}

interface Demo {
  readonly stateDir: string;
  readonly stop: AbortSignal;
  readonly started: number;
}

async function run(up: UpChild, { stateDir, stop, started }: Demo): Promise<void> {
  write(await up.ready);
  write(`ready after ${seconds(started)}`);
  const late = AbortSignal.timeout(LIMIT_MS);
  const signal = AbortSignal.any([stop, late]);
  await Promise.race([showJobs(stateDir, signal), timedOut(late)]);
}

async function timedOut(late: AbortSignal): Promise<never> {
  await aborted(late);
  throw new JobledgerError(`the demo's Jobs did not finish within ${LIMIT_MS / 60_000} minutes`);
}

async function showJobs(stateDir: string, signal: AbortSignal): Promise<void> {
  const addresses = publishedAddresses(stateDir) ?? {};
  const cluster = connectLocalCluster(addresses, signal);
  const jobs = await runExamples(cluster);
  checkDigits(await cluster.log(jobs[0]));
  await showLedger(jobs, { addresses, stateDir, signal });
}

async function runExamples(cluster: ClusterJobs): Promise<[pi: Job, flaky: Job]> {
  heading(`Running ${EXAMPLES.map((name) => `examples/${name}.yaml`).join(' and ')}`);
  const removed = await Promise.all(EXAMPLES.map((name) => cluster.remove(name)));
  if (removed.includes(true)) write('deleted the Jobs of an earlier demo');
  const [pi, flaky] = EXAMPLES.map((name) => runExample(cluster, name));
  if (pi === undefined || flaky === undefined) throw new JobledgerError('an example is missing');
  return Promise.all([pi, flaky]);
}

async function runExample(cluster: ClusterJobs, name: string): Promise<Job> {
  const job = await cluster.apply(path.join(PACKAGE_DIR, 'examples', `${name}.yaml`));
  const applied = Date.now();
  await cluster.complete(job, (status) =>
    write(`${seconds(applied).padStart(8)}  ${name}: ${words(status)}`),
  );
  return job;
}

function words({ active = 0, succeeded = 0, failed = 0, conditions = [] }: JobStatus): string {
  const types = conditions.filter(({ status }) => status === 'True').map(({ type }) => type);
  return [`${active} active, ${succeeded} succeeded, ${failed} failed`, ...types].join(', ');
}

/** @throws JobledgerError when the log does not contain the digits of π. */
function checkDigits(log: string): void {
  heading(`The first ${DIGITS} digits of π, from the pod's log`);
  const digits = log.trim();
  write(digits);
  if (digits !== piDigits(DIGITS)) throw new JobledgerError('the log does not contain the digits of π');
  write('\nThe digits are right: a second computation with another formula gives the same.');
}

async function showLedger(
  jobs: readonly Job[],
  { addresses, stateDir, signal }: { addresses: Addresses; stateDir: string; signal: AbortSignal },
): Promise<void> {
  const database = openDatabase({ DATABASE_URL: addresses.databaseUrl ?? '' }, silentLog(), {
    connections: 1,
  });
  const uids = jobs.map(({ metadata }) => metadata.uid);
  try {
    await recorded(database, uids, signal);
    for (const { metadata } of jobs) {
      heading(`What happened to ${metadata.name}: jobledger history ${metadata.name}`);
      await runVerb(['history', metadata.name, '--uid', metadata.uid, '--state-dir', stateDir], signal);
    }
    heading('Every decision recomputed from the ledger alone: jobledger verify');
    for (const { metadata } of jobs) {
      await runVerb(['verify', metadata.name, '--uid', metadata.uid, '--state-dir', stateDir], signal);
    }
    for (const [title, statement] of QUESTIONS) {
      heading(title);
      write(`${indented(statement)}\n\n${await answer(database, statement, uids)}`);
    }
  } finally {
    await database.close();
  }
}

function heading(text: string): void {
  write(`\n== ${text} ==`);
}

function seconds(since: number): string {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}
