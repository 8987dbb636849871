import path from 'node:path';
import { Command } from 'commander';
import { publishedAddresses, type Addresses } from '../infra/local/state/addresses.ts';
import { PACKAGE_DIR } from '../services/adapters/process/package-dir.ts';
import type { Job, JobStatus } from '../workflows/kubernetes/objects.ts';
import { JobledgerError } from '../services/adapters/errors.ts';
import { silentLog } from '../services/adapters/process/log.ts';
import { openDatabase } from '../services/adapters/postgres/database.ts';
import { runVerb, startUp, type UpChild } from './cli-child.ts';
import { connectLocalCluster, type ClusterJobs } from './cluster-jobs.ts';
import { piDigits } from './pi-digits.ts';
import { resultText, QUESTIONS, untilRecorded } from './rows.ts';
import { exitCodeFor } from '../cli/failure.ts';
import { stateDirOption, type StateDirOption } from '../cli/options.ts';
import { write } from '../cli/output.ts';
import { indented } from '../cli/print/table.ts';
import { whenAborted, endSoon, INTERRUPTED, stopRequest } from '../cli/stop-request.ts';

const EXAMPLES = ['pi', 'flaky'] as const;
const DIGITS = 2000;
/** Both examples take less than a minute, including 30 s of back-offs. */
const LIMIT_MS = 300_000;

const GO_ON = `Everything is stopped, and the recorded data are kept. You can continue with these commands:
  npx jobledger up                         start everything again, with these Jobs; then, in another terminal:
  npx jobledger open                       the page in the browser
  npx jobledger why flaky                  the chain of causes, from the end back to the first pod
  npx jobledger history flaky              everything that happened and was decided, in order
  npm run demo -- --verbose                this demo with all of it
README.md describes how to use Jobledger for one Job of your own cluster.`;

const program = new Command('npm run demo --')
  .description(
    'Starts everything on this machine, runs two Jobs from manifest to SQL row, and stops everything again; ignores configured addresses',
  )
  .option('--verbose', 'also print the histories, all digits of π and every SQL row', false);
try {
  await stateDirOption(program.exitOverride().allowExcessArguments(false)).action(runDemo).parseAsync();
} catch (error) {
  process.exitCode = exitCodeFor(error);
}

type Options = StateDirOption & { readonly verbose: boolean };

async function runDemo({ stateDir, verbose }: Options): Promise<void> {
  const stop = stopRequest();
  const started = Date.now();
  writeHeading('Starting Postgres, Kafka, Temporal, a Kubernetes cluster and the services');
  const up = startUp(stateDir);
  try {
    await Promise.race([
      showWhenReady(up, { stateDir, verbose, stop, started }),
      up.ended,
      rejectWhenInterrupted(stop),
    ]);
    writeHeading('Stopping');
    await up.stop();
    write(GO_ON);
  } catch (error) {
    if (!stop.aborted) {
      await up.stop().catch(() => undefined);
      throw error;
    }
    await up.stop();
    write('interrupted; everything is stopped');
    process.exitCode = INTERRUPTED;
  } finally {
    endSoon(stop);
  }
}

async function rejectWhenInterrupted(stop: AbortSignal): Promise<never> {
  await whenAborted(stop);
  throw new JobledgerError('the demo was interrupted');
}

interface Demo {
  readonly stateDir: string;
  readonly verbose: boolean;
  readonly stop: AbortSignal;
  readonly started: number;
}

/**
 * Shows the Jobs once `up` is ready; fails when the Jobs take longer than LIMIT_MS.
 */ async function showWhenReady(up: UpChild, { stateDir, verbose, stop, started }: Demo): Promise<void> {
  const ready = await up.ready;
  write(verbose ? ready : 'the servers and the services run as processes of this machine');
  write(`ready after ${elapsedSeconds(started)}`);
  const late = AbortSignal.timeout(LIMIT_MS);
  const signal = AbortSignal.any([stop, late]);
  await Promise.race([showJobs({ stateDir, verbose, signal }), rejectWhenLate(late)]);
}

async function rejectWhenLate(late: AbortSignal): Promise<never> {
  await whenAborted(late);
  throw new JobledgerError(`the demo's Jobs did not finish within ${LIMIT_MS / 60_000} minutes`);
}

interface Shown {
  readonly stateDir: string;
  readonly verbose: boolean;
  readonly signal: AbortSignal;
}

async function showJobs(shown: Shown): Promise<void> {
  const addresses = publishedAddresses(shown.stateDir) ?? {};
  const cluster = connectLocalCluster(addresses, shown.signal);
  const jobs = await runExamples(cluster);
  checkDigits(await cluster.log(jobs[0]), shown);
  await showLedger(jobs, addresses, shown);
}

async function runExamples(cluster: ClusterJobs): Promise<[pi: Job, flaky: Job]> {
  writeHeading(
    `Running ${EXAMPLES.map((name) => `examples/${name}.yaml`).join(' and ')}: the second fails twice`,
  );
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
    write(`${elapsedSeconds(applied).padStart(8)}  ${name}: ${statusText(status)}`),
  );
  return job;
}

function statusText({ active = 0, succeeded = 0, failed = 0, conditions = [] }: JobStatus): string {
  const types = conditions.filter(({ status }) => status === 'True').map(({ type }) => type);
  return [`${active} active, ${succeeded} succeeded, ${failed} failed`, ...types].join(', ');
}

/** Compares the log with the digits of π, and writes it. @throws JobledgerError when they differ. */
function checkDigits(log: string, { verbose }: Pick<Shown, 'verbose'>): void {
  const digits = log.trim();
  if (digits !== piDigits(DIGITS)) throw new JobledgerError('the log does not contain the digits of π');
  const shown = verbose ? digits : `${digits.slice(0, 50)}…`;
  write(`the log of pi's pod: ${shown} (${DIGITS} digits, all correct)`);
}

async function showLedger(jobs: readonly Job[], addresses: Addresses, shown: Shown): Promise<void> {
  const { stateDir, verbose, signal } = shown;
  const database = openDatabase({ DATABASE_URL: addresses.databaseUrl ?? '' }, silentLog(), {
    connections: 1,
  });
  const uids = jobs.map(({ metadata }) => metadata.uid);
  const runWithStateDir = (...args: string[]): Promise<void> =>
    runVerb([...args, '--state-dir', stateDir], signal);
  try {
    await untilRecorded(database, uids, signal);
    if (verbose)
      for (const { metadata } of jobs) {
        writeHeading(`The history of ${metadata.name}: jobledger history ${metadata.name}`);
        await runWithStateDir('history', metadata.name, '--uid', metadata.uid);
      }
    for (const { title, statement, isDetail } of QUESTIONS) {
      if (isDetail && !verbose) continue;
      writeHeading(title);
      write(`${indented(statement)}\n\n${await resultText(database, statement, uids)}`);
    }
    writeHeading('Another policy on the same facts: jobledger what-if flaky --set spec.backoffLimit=1');
    await runWithStateDir('what-if', 'flaky', '--set', 'spec.backoffLimit=1');
    writeHeading(
      'The proof that makes every decision again from the ledger alone: jobledger admin verify --all',
    );
    await runWithStateDir('admin', 'verify', '--all');
  } finally {
    await database.close();
  }
}

function writeHeading(text: string): void {
  write(`\n== ${text} ==`);
}

function elapsedSeconds(since: number): string {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}
