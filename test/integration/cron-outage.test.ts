import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CronJobSpec, Job } from '../../workflows/kubernetes/objects.ts';
import { SCHEDULED_TIMESTAMP } from '../../workflows/kubernetes/names.ts';
import { connectCronJobs, MINUTE } from '../support/cron-jobs.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { jobledger } from '../support/rebuild.ts';
import { lastTransition, scheduleAt } from '../support/transitions.ts';

// Two clusters have the same CronJobs, which change while no controller runs. Then Jobledger starts in one, the built-in in the other.
const BUILT_IN = 'theirs-kube-controller-manager';
const DAY = 1440 * MINUTE;

let installation: Installation;

const ours = connectCronJobs(() => installation);
const theirs = connectCronJobs(() => ({ ...installation, cluster: findCluster('theirs') }));

function findCluster(name: string): Installation['cluster'] {
  const cluster = installation.clusters[name];
  if (cluster === undefined) throw new Error(`no cluster ${name}`);
  return cluster;
}

/** A CronJob started last at `last`, is changed by `change` during the outage, and must start at `starts` afterwards. */
interface Outage {
  name: string;
  what: string;
  spec: Pick<CronJobSpec, 'schedule' | 'timeZone'>;
  change?: Partial<CronJobSpec>;
  last: number;
  starts: number | null;
}

const [berlin, lordHowe] = ['Europe/Berlin', 'Australia/Lord_Howe'];
/** At these instants the clocks are set forward, so that the time a quarter of an hour later does not exist. */
const springs = [berlin, lordHowe].map((zone) => lastTransition(zone, 'forward'));
/** At these instants the clocks are set back, so that the time a quarter of an hour later exists twice. */
const autumns = [berlin, lordHowe].map((zone) => lastTransition(zone, 'back'));
/** This instant is a whole minute three days ago. */
const past = Math.floor(Date.now() / MINUTE - 3 * 1440) * MINUTE;

const OUTAGES: Outage[] = [
  ...springs.map(({ zone, at, before }, number) => ({
    name: `skipped-${number}`,
    what: `a time that ${zone} skipped is not started`,
    spec: { schedule: scheduleAt(at + 15 * MINUTE, before), timeZone: zone },
    last: at - DAY,
    starts: null,
  })),
  ...springs.map(({ zone, at, after }, number) => ({
    name: `summer-${number}`,
    what: `the day after ${zone} set its clocks forward has the new offset`,
    spec: { schedule: scheduleAt(at + DAY, after), timeZone: zone },
    last: at - DAY,
    starts: at + DAY,
  })),
  ...autumns.map(({ zone, at, after, shift }, number) => ({
    name: `twice-${number}`,
    what: `a time that ${zone} has twice is started a second time`,
    spec: { schedule: scheduleAt(at + 15 * MINUTE, after), timeZone: zone },
    last: at + 15 * MINUTE - shift,
    starts: at + 15 * MINUTE,
  })),
  ...autumns.map(({ zone, at, after }, number) => ({
    name: `both-${number}`,
    what: `when both of these times in ${zone} were missed, the estimate of J-9.40 finds none`,
    spec: { schedule: scheduleAt(at + 15 * MINUTE, after), timeZone: zone },
    last: at - DAY,
    starts: null,
  })),
  {
    name: 'rescheduled',
    what: 'a schedule that was changed applies to the time before its change too',
    spec: { schedule: scheduleAt(past + 90 * DAY, 0), timeZone: 'UTC' },
    change: { schedule: scheduleAt(past, 0) },
    last: past - DAY,
    starts: past,
  },
  {
    name: 'moved',
    what: 'a time zone that was changed applies to the time before its change too',
    spec: { schedule: scheduleAt(past, 0), timeZone: 'UTC' },
    change: { timeZone: 'Asia/Kolkata' },
    last: past - DAY,
    starts: past - 330 * MINUTE,
  },
];

beforeAll(async () => {
  installation = await install({
    claim: 'all',
    clusters: [
      { name: 'ours', controllers: false, builtInCronJobController: false },
      { name: 'theirs', node: false, builtInJobController: false },
    ],
    environment: { JOBLEDGER_CONTROLLERS: 'cronjob', JOBLEDGER_CONTEXTS: 'ours' },
  });
  await installation.servers.halt(BUILT_IN);
  for (const side of [ours, theirs]) for (const outage of OUTAGES) await write(side, outage);
  await Promise.all([installation.startServices(), installation.servers.start(BUILT_IN)]);
}, 240_000);

afterAll(() => installation?.stop(), 60_000);

async function write({ create, patch }: typeof ours, { name, spec, change, last }: Outage): Promise<void> {
  await create(name, spec, ['true']);
  const lastScheduleTime = `${new Date(last).toISOString().slice(0, 19)}Z`;
  await patch(`${name}/status`, { status: { lastScheduleTime } });
  if (change !== undefined) await patch(name, { spec: change });
}

/** Returns the Jobs that a CronJob has started, and its status. */
async function shown(side: typeof ours, name: string): Promise<unknown> {
  const cronJob = await side.read(name);
  const jobs = await side.listJobs(cronJob);
  return { jobs: jobs.map(briefly), last: cronJob.status?.lastScheduleTime };
}

function briefly({ metadata }: Job): object {
  return { name: metadata.name, at: metadata.annotations?.[SCHEDULED_TIMESTAMP] };
}

describe('a CronJob whose schedule or zone offset changed while no controller ran (J-9.4, J-9.40)', () => {
  /** Waits until every CronJob with an expected start has started, so that the others have also been decided about. */
  const allHaveStarted = (side: typeof ours): Promise<true> =>
    eventually('each CronJob that has to start has started', 60, async () => {
      for (const { name, starts } of OUTAGES) {
        const { status } = await side.read(name);
        if (starts !== null && Date.parse(status?.lastScheduleTime ?? '') !== starts) return undefined;
      }
      return true;
    });

  it.each(OUTAGES)(
    'has exactly the expected starts afterwards ($name: $what)',
    async ({ name, last, starts }) => {
      await allHaveStarted(ours);
      const { jobs } = (await shown(ours, name)) as { jobs: { name: string; at: string }[] };
      expect(jobs.map((job) => job.name)).toEqual(starts === null ? [] : [`${name}-${starts / MINUTE}`]);
      expect(jobs.map(({ at }) => Date.parse(at))).toEqual(starts === null ? [] : [starts]);
      const { status } = await ours.read(name);
      expect(Date.parse(status?.lastScheduleTime ?? '')).toBe(starts ?? last);
    },
    90_000,
  );

  it.each(OUTAGES)(
    'has the same starts under Jobledger as under the built-in controller ($name)',
    async ({ name }) => {
      await Promise.all([ours, theirs].map(allHaveStarted));
      expect(await shown(ours, name)).toEqual(await shown(theirs, name));
    },
    90_000,
  );

  it('has only decisions that are the same when they are made again from the ledger', async () => {
    const { exitCode, stdout } = await jobledger(installation.environment, 'admin', 'verify', '--all');
    expect(stdout).toMatch(new RegExp(` ${OUTAGES.length} CronJobs repeated: no difference`));
    expect(exitCode).toBe(0);
  }, 60_000);
});
