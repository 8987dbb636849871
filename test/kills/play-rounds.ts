import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorMessage } from '../../services/adapters/errors.ts';
import type { Installation, InstallOptions } from '../support/installation.ts';
import { witnessCollection } from '../support/witness.ts';
import { checkDues, checkInstants } from './check-timers.ts';
import { checkVersions, type Witnesses } from './check-versions.ts';
import { checkPods, checkRecord, type Finding } from './checks.ts';
import { createFaultyRequests, type FaultyRequests } from './faulty-requests.ts';
import { createFaultyWatches } from './faulty-watches.ts';
import { createOlderVersions } from './older-versions.ts';
import type { Counts } from './figures.ts';
import { BACKOFF_MS } from './job-stories.ts';
import { openJobs, type OpenJobs } from './open-jobs.ts';
import type { Load } from './load.ts';
import type { Outage } from './outages.ts';
import { readRunId } from './read-run-id.ts';
import { startWatchProxy, type ProxyFaults } from './watch-proxy.ts';

export interface RunOptions {
  seed: number;
  /** The first round. */
  from: number;
  rounds: number;
  /** Receives a line for each round, and the problems. */
  report: (line: string) => void;
}

/** The parts of rounds besides their load. */
export interface Suite<R extends Load> {
  install(options: InstallOptions): Promise<Installation>;
  createRound(seed: number, number: number): R;
  /** Before the Jobs of the round begin. */
  prepare?(installation: Installation, round: R, jobs: OpenJobs): Promise<void>;
  /** Disturbs the installation while Jobs are open, until it works again; returns when it did not. */
  strike(installation: Installation, round: R): Promise<Outage>;
  /** Additional checks for the time when all Jobs have ended. */
  check?(installation: Installation): Promise<Finding[]>;
  /** The source tree whose command line verifies the record. Default: this one. */
  root?: string;
  /** The strike, for a person. */
  roundName(round: R): string;
  /** So that a slow machine slows the rounds instead of making Jobs late: a round begins when at most this many are open. */
  mostOpen: number;
}

export interface Played<R extends Load> {
  counts: Counts;
  findings: Finding[];
  rounds: readonly R[];
}

/** A lost last event of a Job delays it until the next list. */
const LIST_EVERY_MS = 3000;

/**
 * Strikes in each round, and goes on with the next one as soon as everything answers again, while the Jobs of earlier rounds are still open. Then
 * waits for all Jobs and checks every guarantee, and the additional promises of the suite.
 */
export async function playRounds<R extends Load>(suite: Suite<R>, options: RunOptions): Promise<Played<R>> {
  const scratch = mkdtempSync(join(tmpdir(), 'jobledger-kills-'));
  const faults = {
    watches: createFaultyWatches(),
    requests: createFaultyRequests(),
    versions: createOlderVersions(),
  };
  let stopProxy = async (): Promise<void> => undefined;
  const installation = await suite.install({
    separate: true,
    ownServers: true,
    environment: {
      JOBLEDGER_POD_FAILURE_BACKOFF_MS: String(BACKOFF_MS),
      JOBLEDGER_AUDIT_INTERVAL_MS: String(LIST_EVERY_MS),
    },
    async proxied(kubeconfig) {
      const proxy = await startWatchProxy(kubeconfig, 'local', faults);
      stopProxy = () => proxy.stop();
      const file = join(scratch, 'kubeconfig');
      writeFileSync(file, proxy.kubeconfig);
      return file;
    },
  });
  const refusals: Finding[] = [];
  let result: Played<R> | undefined;
  try {
    result = await playOn(suite, installation, faults, scratch, options);
  } finally {
    await installation.stop().catch((error: unknown) => {
      refusals.push({ guarantee: 'refusals', text: errorMessage(error) });
    });
    await stopProxy();
    rmSync(scratch, { recursive: true, force: true });
  }
  for (const { text } of refusals) options.report(text);
  const findings = [...result.findings, ...refusals];
  return { ...result, findings, counts: { ...result.counts, findings: findings.length } };
}

async function playOn<R extends Load>(
  suite: Suite<R>,
  installation: Installation,
  faults: ProxyFaults,
  scratch: string,
  options: RunOptions,
): Promise<Played<R>> {
  const { report } = options;
  const { watches: faulty, requests } = faults;
  const { client } = installation.cluster;
  const witnesses: Witnesses = {
    jobs: await witnessCollection(client, '/apis/batch/v1/namespaces/default/jobs'),
    pods: await witnessCollection(client, '/api/v1/namespaces/default/pods'),
  };
  await installation.startServices();
  const wrong: Finding[] = [];
  const jobs = openJobs({
    cluster: installation.cluster,
    scratch,
    async onWrong(job, why) {
      wrong.push({ guarantee: 'stories', text: `${job}: ${why}` });
      report(`${job} is not as its story: ${why}\n${await readLedger(installation, job)}`);
      const uid = (await installation.cluster.job(job))?.metadata.uid;
      if (uid !== undefined) report(await readRunId(installation, uid));
    },
  });
  const begun = Date.now();
  try {
    const { rounds, outages } = await allRounds(suite, installation, faults, jobs, options);
    faulty.disarm();
    requests.disarm();
    await jobs.atMost(0);
    const seconds = (Date.now() - begun) / 1000;
    const checks = {
      versions: await checkVersions(installation, witnesses, faulty.lost),
      pods: await checkPods(installation, jobs.jobs),
      dues: checkDues(jobs.dues, [...outages, ...faulty.outages, ...requests.outages]),
      instants: await checkInstants(installation, jobs.jobs),
      record: await checkRecord(installation, suite.root),
    };
    const findings = [
      ...Object.values(checks).flatMap((check): Finding[] => check.findings),
      ...((await suite.check?.(installation)) ?? []),
    ];
    for (const { guarantee, text } of findings) report(`${guarantee}: ${text}`);
    const broken = jobs.jobs.filter(({ name }) =>
      findings.some(({ text }) => text.includes(`default/${name}"`)),
    );
    for (const { name } of broken) report(`${name}:\n${await readLedger(installation, name)}`);
    return {
      findings: [...wrong, ...findings],
      rounds,
      counts: {
        rounds: options.rounds,
        seconds,
        jobs: jobs.jobs.length,
        jobsWrong: wrong.length,
        ...checks.versions.figures,
        ...checks.pods.figures,
        ...checks.dues.figures,
        ...checks.instants.figures,
        ...checks.record.figures,
        eventsLost: faulty.counts.lose,
        eventsRepeated: faulty.counts.repeat,
        eventsDelayed: faulty.counts.delay,
        streamsCut: faulty.counts.cut,
        requestsRefused: refusedIn(requests),
        requestsUnanswered: requests.counts.unanswered,
        versionsGoneBack: faults.versions.count,
        findings: wrong.length + findings.length,
      },
    };
  } finally {
    await jobs.stop();
    for (const each of Object.values(witnesses)) each.stop();
  }
}

function refusedIn({ counts }: FaultyRequests): number {
  return Object.values(counts).reduce((sum, count) => sum + count, -counts.unanswered);
}

async function allRounds<R extends Load>(
  suite: Suite<R>,
  installation: Installation,
  faults: ProxyFaults,
  jobs: OpenJobs,
  { seed, from, rounds: count, report }: RunOptions,
): Promise<{ rounds: R[]; outages: Outage[] }> {
  const outages: Outage[] = [];
  const rounds: R[] = [];
  for (let number = from; number < from + count; number += 1) {
    const round = suite.createRound(seed, number);
    const begun = Date.now();
    await jobs.atMost(suite.mostOpen);
    faults.watches.arm(round.watchFaults);
    faults.requests.arm(round.requestFaults);
    await suite.prepare?.(installation, round, jobs);
    await jobs.begin(round);
    await delay(round.moment);
    const outage = await suite.strike(installation, round);
    outages.push(outage);
    rounds.push(round);
    const [whole, away] = [Date.now() - begun, outage.to - outage.from].map((ms) => (ms / 1000).toFixed(1));
    const { fault, percent } = round.requestFaults;
    report(
      `round ${number}: ${suite.roundName(round)}, ${fault} at ${percent} %, away ${away} s of ${whole} s, ${jobs.open()} Jobs open`,
    );
  }
  return { rounds, outages };
}

/** The events of a Job, for a person. */
async function readLedger({ sql }: Installation, job: string): Promise<string> {
  const rows = await sql<{ line: string }>(
    "select time || ' ' || type || ' ' || left(data::text, 1500) as line from jobledger.events where job_name = $1 order by kafka_partition, kafka_offset",
    [job],
  );
  return rows.map(({ line }) => line).join('\n');
}
