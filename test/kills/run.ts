import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../services/adapters/errors.ts';
import { install, type Installation } from '../support/installation.ts';
import { witness } from '../support/witness.ts';
import { checkDues, checkInstants } from './check-timers.ts';
import { checkVersions, type Witnesses } from './check-versions.ts';
import { checkPods, checkRecord, type Finding } from './checks.ts';
import { createFaultyRequests, type FaultyRequests } from './faulty-requests.ts';
import { createFaultyWatches } from './faulty-watches.ts';
import { createOlderVersions } from './older-versions.ts';
import type { Figures } from './figures.ts';
import { BACKOFF_MS } from './job-stories.ts';
import { openJobs, type OpenJobs } from './open-jobs.ts';
import type { Outage } from './outages.ts';
import { PARTS, roundOf, type Part } from './rounds.ts';
import { runOf } from './run-of.ts';
import { strike } from './strike.ts';
import { startWatchProxy, type ProxyFaults } from './watch-proxy.ts';

export interface RunOptions {
  seed: number;
  /** The first round. */
  from: number;
  rounds: number;
  /** Receives a line for each round, and what is wrong. */
  say: (line: string) => void;
}

export interface RunResult {
  figures: Figures;
  findings: Finding[];
}

/** A lost last event of a Job delays it until the next list. */
const LIST_EVERY_MS = 3000;
/** So that a slow machine slows the rounds instead of making Jobs late. */
const MOST_OPEN = 36;

/**
 * Kills a part in each round, and goes on with the next one as soon as it answers again, while the Jobs of earlier rounds
 * are still open. Then waits for all Jobs and checks every guarantee.
 */
export async function runRounds(options: RunOptions): Promise<RunResult> {
  const scratch = mkdtempSync(join(tmpdir(), 'jobledger-kills-'));
  const faults = {
    watches: createFaultyWatches(),
    requests: createFaultyRequests(),
    versions: createOlderVersions(),
  };
  let stopProxy = async (): Promise<void> => undefined;
  const installation = await install({
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
  let result: RunResult | undefined;
  try {
    result = await runOn(installation, faults, scratch, options);
  } finally {
    await installation.stop().catch((error: unknown) => {
      refusals.push({ guarantee: 'refusals', text: messageOf(error) });
    });
    await stopProxy();
    rmSync(scratch, { recursive: true, force: true });
  }
  for (const { text } of refusals) options.say(text);
  const findings = [...result.findings, ...refusals];
  return { findings, figures: { ...result.figures, findings: findings.length } };
}

async function runOn(
  installation: Installation,
  faults: ProxyFaults,
  scratch: string,
  options: RunOptions,
): Promise<RunResult> {
  const { say } = options;
  const { watches: faulty, requests } = faults;
  const { client } = installation.cluster;
  const witnesses: Witnesses = {
    jobs: await witness(client, '/apis/batch/v1/namespaces/default/jobs'),
    pods: await witness(client, '/api/v1/namespaces/default/pods'),
  };
  await installation.startServices();
  const wrong: Finding[] = [];
  const jobs = openJobs({
    cluster: installation.cluster,
    scratch,
    async onWrong(job, why) {
      wrong.push({ guarantee: 'stories', text: `${job}: ${why}` });
      say(`${job} is not as its story: ${why}\n${await ledgerOf(installation, job)}`);
      const uid = (await installation.cluster.job(job))?.metadata.uid;
      if (uid !== undefined) say(await runOf(installation, uid));
    },
  });
  const begun = Date.now();
  try {
    const { kills, stops, outages } = await allRounds(installation, faults, jobs, options);
    faulty.disarm();
    requests.disarm();
    await jobs.atMost(0);
    const seconds = (Date.now() - begun) / 1000;
    const checks = {
      versions: await checkVersions(installation, witnesses, faulty.lost),
      pods: await checkPods(installation, jobs.jobs),
      dues: checkDues(jobs.dues, [...outages, ...faulty.outages, ...requests.outages]),
      instants: await checkInstants(installation, jobs.jobs),
      record: await checkRecord(installation),
    };
    const findings = Object.values(checks).flatMap((check): Finding[] => check.findings);
    for (const { guarantee, text } of findings) say(`${guarantee}: ${text}`);
    const broken = jobs.jobs.filter(({ name }) =>
      findings.some(({ text }) => text.includes(`default/${name}"`)),
    );
    for (const { name } of broken) say(`${name}:\n${await ledgerOf(installation, name)}`);
    return {
      findings: [...wrong, ...findings],
      figures: {
        rounds: options.rounds,
        seconds,
        kills,
        stops,
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

async function allRounds(
  installation: Installation,
  faults: ProxyFaults,
  jobs: OpenJobs,
  { seed, from, rounds, say }: RunOptions,
): Promise<{ kills: Record<Part, number>; stops: number; outages: Outage[] }> {
  const outages: Outage[] = [];
  let stops = 0;
  const kills = Object.fromEntries(PARTS.map((part) => [part, 0])) as Record<Part, number>;
  for (let number = from; number < from + rounds; number += 1) {
    const round = roundOf(seed, number);
    const begun = Date.now();
    await jobs.atMost(MOST_OPEN);
    faults.watches.arm(round.watchFaults);
    faults.requests.arm(round.requestFaults);
    await jobs.begin(round);
    const outage = await strike(installation, round);
    outages.push(outage);
    if (round.strike === 'kill') kills[round.part] += 1;
    else stops += 1;
    const [whole, away] = [Date.now() - begun, outage.to - outage.from].map((ms) => (ms / 1000).toFixed(1));
    const where = round.fault === undefined ? '' : ` ${round.fault}`;
    const { fault, percent } = round.requestFaults;
    say(
      `round ${number}: ${round.strike} ${round.part}${where}, ${fault} at ${percent} %, away ${away} s of ${whole} s, ${jobs.open()} Jobs open`,
    );
  }
  return { kills, stops, outages };
}

/** The events of a Job, for a person. */
async function ledgerOf({ sql }: Installation, job: string): Promise<string> {
  const rows = await sql<{ line: string }>(
    "select time || ' ' || type || ' ' || left(data::text, 1500) as line from jobledger.events where job_name = $1 order by kafka_partition, kafka_offset",
    [job],
  );
  return rows.map(({ line }) => line).join('\n');
}
