import { describe, expect, it } from '@jest/globals';
import type { CronJobDetails, CronJobStart, SkippedStart } from '../../page/api/rows.ts';
import { startRemark, startsStrip } from '../../page/cron-jobs/strip-places.ts';
import { waitSentence } from '../../page/cron-jobs/wait-sentence.ts';
import { localMinute } from '../../page/components/instants.ts';
import { after } from './a-job.ts';

function aStart(seconds: number, fields: Partial<CronJobStart> = {}): CronJobStart {
  return {
    scheduled_at: after(seconds),
    message: `the start of ${after(seconds)}`,
    result: 'created',
    error: null,
    job_name: `nightly-${seconds}`,
    status: 'Succeeded',
    started_at: after(seconds),
    finished_at: after(seconds + 5),
    deleted_at: null,
    ...fields,
  };
}

function aSkipped(seconds: number, rule: string, message: string): SkippedStart {
  return { scheduled_at: after(seconds), rule, message: `the start of ${after(seconds)} ${message}` };
}

function aCronJob(fields: Partial<CronJobDetails> = {}): CronJobDetails {
  return { time_zone: null, coming_starts: [after(600)], ...fields } as unknown as CronJobDetails;
}
const CRON_JOB = aCronJob();
const fates = (starts: CronJobStart[], cronJob = CRON_JOB): string[] =>
  startsStrip(cronJob, starts, []).map(({ fate }) => fate);
const shown = (seconds: number): string => localMinute(after(seconds));

describe('the strip of starts of a CronJob', () => {
  it('shows the past starts, each with its outcome, from the oldest on, and then the coming start', () => {
    const starts = [
      aStart(300, { status: 'Running', finished_at: null }),
      aStart(240, { status: null, error: 'forbidden' }),
      aStart(180, { status: 'Running', finished_at: null, deleted_at: after(240) }),
      aStart(120, { status: 'Failed' }),
      aStart(60, { deleted_at: after(500) }),
    ];
    expect(fates(starts)).toEqual(['succeeded', 'failed', 'deleted', 'not-started', 'running', 'coming']);
  });

  it('shows the missed times before a start, and marks late starts', () => {
    const late = aStart(300, {
      message: `the start of ${after(300)}, 90 s late; about 2 before it were missed`,
    });
    const places = startsStrip(CRON_JOB, [late, aStart(60)], []);
    expect(places.map(({ fate }) => fate)).toEqual(['succeeded', 'missed', 'missed', 'succeeded', 'coming']);
    expect(places.map(({ isLate }) => isLate)).toEqual([false, false, false, true, false]);
    expect(new Set(places.map(({ key }) => key)).size).toBe(places.length);
  });

  it('shows the coming starts in the time zone of the reader and in that of the CronJob', () => {
    const coming_starts = ['2026-11-27T01:00:00Z', '2026-11-28T01:00:00Z'];
    const places = startsStrip(aCronJob({ coming_starts, time_zone: 'Europe/Berlin' }), [aStart(60)], []);
    expect(places.map(({ fate }) => fate)).toEqual(['succeeded', 'coming', 'coming']);
    const local = localMinute('2026-11-27T01:00:00Z');
    expect(places[1]?.message).toBe(`coming: ${local} (02:00 Europe/Berlin)`);
    const unknown = startsStrip(aCronJob({ coming_starts, time_zone: 'Moon/Base' }), [], []);
    expect(unknown[0]?.message).toBe(`coming: ${local}`);
  });

  it('shows no coming start while no start is due', () => {
    expect(fates([aStart(60)], aCronJob({ coming_starts: [] }))).toEqual(['succeeded']);
  });

  it('shows once, with its reason, each time of the schedule that has no Job', () => {
    const skipped = [
      aSkipped(480, 'J-9.34', 'is skipped: more than 30 s late; next start at x'),
      aSkipped(240, 'J-9.38', 'is left out: another Job has the name tick-1; next start at x'),
      aSkipped(180, 'J-9.36', 'waits for the running Job (Forbid)'),
    ];
    const late = aStart(300, { message: `the start of ${after(300)}; about 3 before it were missed` });
    const refused = aStart(420, { status: null, error: 'exceeded quota' });
    const places = startsStrip(CRON_JOB, [refused, late, aStart(60)], skipped);
    expect(places.map(({ fate, why }) => [fate, why?.message ?? null, why?.rule ?? null])).toEqual([
      ['succeeded', null, null],
      ['missed', expect.stringMatching(/^No decision was made at that time: /), null],
      [
        'skipped',
        `The start of ${shown(180)} was skipped: the previous Job was still running, and Jobs of this CronJob may not overlap.`,
        'J-9.36',
      ],
      ['skipped', `The start of ${shown(240)} was skipped: another Job already has its name.`, 'J-9.38'],
      ['succeeded', null, null],
      ['not-started', 'The Job nightly-420 was not created: exceeded quota.', null],
      [
        'skipped',
        `The start of ${shown(480)} was skipped: the Job could not begin within 30 s, which is the deadline of the CronJob.`,
        'J-9.34',
      ],
      ['coming', null, null],
    ]);
    expect(new Set(places.map(({ key }) => key)).size).toBe(places.length);
  });

  it('shows at most 60 past starts before the coming starts', () => {
    const starts = Array.from({ length: 60 }, (_, at) => aStart(6000 - at * 60));
    const skipped = [aSkipped(6060, 'J-9.36', 'waits for the running Job (Forbid)')];
    const all = startsStrip(CRON_JOB, starts, skipped).map(({ fate }) => fate);
    expect([all.length, ...all.slice(-2)]).toEqual([61, 'skipped', 'coming']);
  });
});

describe('the remark of the page about a CronJob', () => {
  it.each([
    [`the start of ${after(60)}`, null, ''],
    [
      `the start of ${after(60)}, 90 s late; about 2 before it were missed`,
      null,
      '1 min 30 s late; about 2 before it were missed',
    ],
    [`the start of ${after(60)}`, 'forbidden', 'forbidden'],
  ])(
    'is empty for a punctual start without error: the start %j with the error %j has the remark %j',
    (message, error, remark) => {
      expect(startRemark(aStart(60, { message, error }))).toBe(remark);
    },
  );

  it.each([
    [null, null],
    [`next start at ${after(60)}`, null],
    ['the CronJob is suspended', null],
    [`the start of ${after(60)} has its Job already`, null],
    [
      `the start of ${after(60)} waits for the running Job (Forbid)`,
      `The start of ${shown(60)} waits until the previous Job has ended.`,
    ],
    [
      `the start of ${after(60)} is skipped: more than 30 s late; next start at ${after(120)}`,
      `The start of ${shown(60)} was skipped because it was more than 30 s late.`,
    ],
    [
      `whether the start of ${after(60)} has created the Job tick-1 is not known: a request got no answer; waits for the watch of Jobs to pass version 7`,
      `The start of ${shown(60)} may have created its Job: the API server has not answered the request.`,
    ],
    [
      `the schedule has changed, next start at ${after(60)}`,
      'The schedule has changed, and the next start follows the new schedule.',
    ],
    [
      `no CreateJob before ${after(60)}: errors of the API: 3, the last: exceeded quota`,
      `3 requests to the API server have failed, the last one with: exceeded quota. The next attempt is at ${shown(60)}.`,
    ],
    ['unparseable schedule: "x" : bad $1', 'The schedule cannot be read: "x" : bad $1.'],
    [`waits until ${after(60)} after an error`, `Waits until ${shown(60)} after an error.`],
  ])('is empty for a wait that needs no explanation: the wait %j has the remark %j', (message, sentence) => {
    expect(waitSentence({ waiting_message: message })).toBe(sentence);
  });
});
