import { comingStarts, type ComingStarts } from '../../../workflows/cron-job/coming-starts.ts';
import { missingZones } from '../../../workflows/cron-job/decide/zones.ts';
import type { CronJobFacts } from '../../../workflows/cron-job/facts.ts';
import { DEFAULT_CRON_SETTINGS, type CronSettings } from '../../../workflows/cron-job/settings.ts';
import { INITIAL_STATE, type CronJobState } from '../../../workflows/cron-job/state.ts';
import { isoTime } from '../../../workflows/ledger/instants.ts';
import type { Run } from '../../adapters/postgres/database.ts';
import { sql } from '../../adapters/postgres/statement.ts';
import { zoneRules } from '../../adapters/time-zones.ts';
import type { CronJobView } from '../views/cron-jobs.ts';

/** The number of coming starts of a CronJob that are shown. */
const SHOWN = 5;

/**
 * The next times of the schedule after `now` (in milliseconds), in the time zone of the CronJob, according to this
 * machine's time-zone data.
 */
export function startsAfter(
  now: number,
  state: CronJobState,
  settings: CronSettings,
  count: number,
): ComingStarts {
  const zones = missingZones(state, now, { ...settings, zones: [] }).map(zoneRules);
  return comingStarts(state, now, { ...settings, zones }, count);
}

/**
 * The coming starts of a CronJob according to its row, in RFC 3339; empty for a CronJob that is suspended, deleted or being
 * deleted, or whose schedule or time zone cannot be read.
 */
export async function findComingStarts(run: Run, cronJob: CronJobView, now = Date.now()): Promise<string[]> {
  const facts = cronJobFacts(cronJob);
  if (facts === null) return [];
  const state = { ...INITIAL_STATE, cronJob: facts, gone: cronJob.deleted_at !== null };
  const { starts } = startsAfter(now, state, await readCronSettings(run, cronJob), SHOWN);
  return starts.map(isoTime);
}

/** The settings of the last decision on which a schedule depends: the time zone of a schedule that names none. */
async function readCronSettings(
  run: Run,
  { cluster, uid }: Pick<CronJobView, 'cluster' | 'uid'>,
): Promise<CronSettings> {
  const [last] = await run<{ zone: string | null }>(
    sql`select data #>> '{settings,localTimeZone}' as zone from jobledger.cron_job_events
      where cluster = ${cluster} and cron_job_uid = ${uid} and type = 'cronjob.decided'
      order by kafka_offset desc limit 1`,
  );
  return { ...DEFAULT_CRON_SETTINGS, ...(typeof last?.zone === 'string' && { localTimeZone: last.zone }) };
}

/** The parts of a CronJob on which its schedule depends; null for a CronJob that was never observed. */
function cronJobFacts(cronJob: CronJobView): CronJobFacts | null {
  const { schedule, time_zone: timeZone, last_schedule_time: lastScheduleTime, suspend } = cronJob;
  if (schedule === null) return null;
  return {
    uid: cronJob.uid,
    namespace: cronJob.namespace,
    name: cronJob.name,
    resourceVersion: '',
    generation: 0,
    createdAt: Date.parse(cronJob.created_at ?? cronJob.first_seen_at),
    deleting: cronJob.deletion_requested_at !== null,
    spec: { schedule, suspend, ...(timeZone !== null && { timeZone }) },
    status: lastScheduleTime === null ? {} : { lastScheduleTime },
  };
}
