import type { Installation } from '../support/installation.ts';
import type { Checked, Finding } from './checks.ts';
import type { Due, StoryJob } from './open-jobs.ts';
import { latestFor, type Outage } from './outages.ts';

/** Both instants are truncated to seconds. */
const EARLY_MS = 1000;
/** The bound that holds whatever was killed. */
const LONGEST_LATENESS_MS = 90_000;

export interface TimerFigures {
  /** Instants in decisions at which to look again. */
  instants: number;
  /** The number of instants that are neither the Job's deadline, nor the end of a delay that follows from the pods. */
  timersMoved: number;
  /** The number of due pods after a delay, and of due deadlines. */
  timersDue: number;
  timersEarly: number;
  /** The number of due pods and deadlines that were later than the outages explain. */
  timersLate: number;
  /** The worst lateness in milliseconds, with the outages in it. */
  worstLateness: number;
}

/** Due pods and deadlines were never early, and late only by outages. */
export function checkDues(
  dues: readonly Due[],
  outages: readonly Outage[],
): Checked<Omit<TimerFigures, 'instants' | 'timersMoved'>> {
  const findings: Finding[] = [];
  const figures = { timersDue: dues.length, timersEarly: 0, timersLate: 0, worstLateness: 0 };
  for (const { job, due, happened = Number.NaN } of dues) {
    const lateness = happened - due;
    const latest = Math.min(latestFor(job, due, outages), due + LONGEST_LATENESS_MS);
    const isEarly = !(lateness >= -EARLY_MS);
    const isLate = happened > latest;
    if (isEarly) figures.timersEarly += 1;
    if (isLate) figures.timersLate += 1;
    if (lateness > figures.worstLateness) figures.worstLateness = lateness;
    if (isEarly || isLate)
      findings.push({
        guarantee: 'timers',
        text: `${job}: due at ${due}, happened at ${happened}, ${isEarly ? 'too early' : `later than ${latest}`}`,
      });
  }
  return { findings, figures };
}

/** A created pod that was not observed is looked up after a minute. */
const UNSEEN_MS = 60_000;

/** After its decision, a command that was refused is tried again: a second, doubled with each error (J-3.2). */
const RETRY_MS = [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000];

/** Each instant in a decision is the one that follows from what the API server stores: no outage moves it. */
export async function checkInstants(
  { sql }: Installation,
  jobs: readonly StoryJob[],
): Promise<Checked<Pick<TimerFigures, 'instants' | 'timersMoved'>>> {
  // Before a status was written, nothing fixes the start time: a decision that was made again, whose status met a conflict, or whose outcome was
  // never recorded because the worker died, has another one. The pods of the Job are looked up a minute after the start time all the same.
  interface Row {
    uid: string;
    name: string;
    number: string;
    now: string;
    at: string | null;
    message: string | null;
    written: boolean;
  }
  const rows = await sql<Row>(
    `select job_uid as uid, job_name as name, number, (extract(epoch from now) * 1000)::bigint as now,
       (extract(epoch from next_decision_at) * 1000)::bigint as at,
       case when waiting_rule = 'J-3.2' then waiting_message end as message,
       not exists (
         select from jobledger.commands
         where cluster = decisions.cluster and job_uid = decisions.job_uid and decision = decisions.id
           and kind = 'WriteStatus' and result is distinct from 'written') as written
     from jobledger.decisions where not superseded`,
  );
  const known = new Map(
    jobs.flatMap(({ uid, timers }) => (uid === undefined ? [] : [[uid, new Set(timers)]])),
  );
  for (const { uid, now } of rows) {
    const instants = known.get(uid);
    instants?.add(Math.floor(Number(now) / 1000) * 1000 + UNSEEN_MS);
    // If two kinds of commands are held back, the reason to wait names one kind.
    for (const delay of RETRY_MS) instants?.add(Number(now) + delay);
  }
  const decided = rows.filter(({ uid, at, written }) => written && at !== null && known.has(uid));
  // A retry of a refused command is due when the reason says so.
  const moved = decided.filter(
    ({ uid, at, message }) =>
      known.get(uid)?.has(Number(at)) !== true &&
      message?.includes(new Date(Number(at)).toISOString()) !== true,
  );
  return {
    findings: moved.map(({ name, number, now, at, message }) => ({
      guarantee: 'timers',
      text: `${name}: decision ${number} of ${now} looks again at ${at}, which is none of its instants${message === null ? '' : ` (${message})`}`,
    })),
    figures: { instants: decided.length, timersMoved: moved.length },
  };
}
