import { describe, expect, it } from '@jest/globals';
import type { CronJobStart, ListedCronJob } from '../../page/api/rows.ts';
import { otherWait, remarkOf, stripOf } from '../../page/cron-jobs/starts-strip.ts';
import { after } from './a-job.ts';

function aStart(seconds: number, fields: Partial<CronJobStart> = {}): CronJobStart {
  return {
    scheduled_at: after(seconds),
    words: `the start of ${after(seconds)}`,
    result: 'created',
    error: null,
    job_name: `nightly-${seconds}`,
    status: 'Complete',
    started_at: after(seconds),
    finished_at: after(seconds + 5),
    deleted_at: null,
    ...fields,
  };
}

const CRON_JOB = { suspend: false, look_again_at: after(600), deleted_at: null } as unknown as ListedCronJob;
const fates = (starts: CronJobStart[], cronJob = CRON_JOB): string[] =>
  stripOf(cronJob, starts).map(({ fate }) => fate);

describe('the strip of a CronJob', () => {
  it('has its starts from the oldest to the next one', () => {
    const starts = [
      aStart(300, { status: 'Running', finished_at: null }),
      aStart(240, { status: null, error: 'forbidden' }),
      aStart(180, { status: 'Running', finished_at: null, deleted_at: after(240) }),
      aStart(120, { status: 'Failed' }),
      aStart(60, { deleted_at: after(500) }),
    ];
    expect(fates(starts)).toEqual(['succeeded', 'failed', 'replaced', 'not-started', 'running', 'coming']);
  });

  it('has what was missed before a start, and says which was late', () => {
    const late = aStart(300, {
      words: `the start of ${after(300)}, 90 s late; about 2 before it were missed`,
    });
    const places = stripOf(CRON_JOB, [late, aStart(60)]);
    expect(places.map(({ fate }) => fate)).toEqual(['succeeded', 'missed', 'missed', 'succeeded', 'coming']);
    expect(places.map(({ isLate }) => isLate)).toEqual([false, false, false, true, false]);
    expect(new Set(places.map(({ key }) => key)).size).toBe(places.length);
  });

  it('has no coming start while none is due', () => {
    expect(fates([aStart(60)], { ...CRON_JOB, suspend: true })).toEqual(['succeeded']);
    expect(fates([aStart(60)], { ...CRON_JOB, look_again_at: null })).toEqual(['succeeded']);
  });
});

describe('what is to say of a CronJob', () => {
  it.each([
    [`the start of ${after(60)}`, null, ''],
    [
      `the start of ${after(60)}, 90 s late; about 2 before it were missed`,
      null,
      '90 s late; about 2 before it were missed',
    ],
    [`the start of ${after(60)}`, 'forbidden', 'forbidden'],
  ])('a start with %j and the error %j: %j', (words, error, remark) => {
    expect(remarkOf(aStart(60, { words, error }))).toBe(remark);
  });

  it.each([
    [null, null],
    [`next start at ${after(60)}`, null],
    ['the Job before it runs', 'the Job before it runs'],
  ])('a wait with %j: %j', (words, shown) => {
    expect(otherWait({ waiting_words: words })).toBe(shown);
  });
});
