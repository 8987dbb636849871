import { describe, expect, it } from '@jest/globals';
import { checkCronJob } from '../../workflows/cron-job/invariants.ts';
import type { CronCommand } from '../../workflows/cron-job/commands.ts';
import { withInvariants } from '../../workflows/cron-job/decide/checked.ts';
import type { CronJobFacts } from '../../workflows/cron-job/facts.ts';
import { INITIAL_STATE, type CronJobState } from '../../workflows/cron-job/state.ts';

const WHY = { rule: 'J-9.38', message: 'planted' } as const;
const PRECONDITIONS = { generation: 1, deadline: null };
const [AT, NEXT] = ['2026-03-01T12:00:00Z', '2026-03-01T12:01:00Z'];
const RUNNING = { kind: 'Job', name: 'tick-1', namespace: 'default', uid: 'one' };

function aState(
  concurrencyPolicy: CronJobFacts['spec']['concurrencyPolicy'],
  { status = {}, ...others }: Partial<CronJobState> & Pick<Partial<CronJobFacts>, 'status'> = {},
): CronJobState {
  const cronJob = {
    resourceVersion: '1',
    generation: 1,
    namespace: 'default',
    name: 'tick',
    createdAt: 0,
    status,
  };
  const spec = { schedule: '* * * * *', concurrencyPolicy };
  return { ...INITIAL_STATE, cronJob: { ...cronJob, spec } as unknown as CronJobFacts, ...others };
}

function creation(scheduledAt: string): CronCommand {
  return {
    kind: 'CreateJob',
    name: 'tick-2',
    scheduledAt,
    annotation: scheduledAt,
    preconditions: PRECONDITIONS,
    why: WHY,
  };
}

const replacing: CronCommand = {
  kind: 'ReplaceJobs',
  jobs: [{ uid: 'one', name: 'tick-1' }],
  preconditions: PRECONDITIONS,
  why: WHY,
};
const runs = { status: { active: [RUNNING], lastScheduleTime: AT } };

describe('an invariant about decisions on CronJobs', () => {
  it.each<[string, CronJobState, CronCommand[], string, string]>([
    [
      'a time is started twice',
      aState('Allow', { status: { lastScheduleTime: AT } }),
      [creation(AT)],
      'start-twice',
      `the start of ${AT} would be carried out, and that of ${AT} was`,
    ],
    [
      'two are started at once',
      aState('Allow'),
      [creation(AT), creation(AT)],
      'start-twice',
      `the start of ${AT} would be carried out, and that of ${AT} was`,
    ],
    [
      'a Job is started beside one that runs, and that is forbidden',
      aState('Forbid', runs),
      [creation(NEXT)],
      'start-beside-another',
      `the start of ${NEXT} would run beside tick-1 (Forbid)`,
    ],
    [
      'a Job is started beside one that it does not replace',
      aState('Replace', runs),
      [creation(NEXT)],
      'start-beside-another',
      `the start of ${NEXT} would run beside tick-1 (Replace)`,
    ],
    [
      'a Job is started while it is not known whether an earlier start was carried out',
      aState('Allow', { unknown: { name: 'tick-1', scheduledAt: AT, after: null } }),
      [creation(NEXT)],
      'start-after-an-unknown-one',
      `the start of ${NEXT} would be carried out, and whether that of ${AT} was is not known`,
    ],
    [
      'a Job is deleted that is not recorded',
      aState('Allow'),
      [{ kind: 'DeleteJobs', jobs: [{ uid: 'x', name: 'tick-x' }], why: WHY }],
      'unrecorded-uid',
      'DeleteJobs names the Job tick-x (x), which is not recorded',
    ],
    [
      'the last start goes back',
      aState('Allow'),
      [
        {
          kind: 'WriteStatus',
          resourceVersion: '1',
          from: { lastScheduleTime: NEXT },
          to: { lastScheduleTime: AT },
          why: WHY,
        },
      ],
      'falling-time',
      `lastScheduleTime would go back from ${NEXT} to ${AT}`,
    ],
  ])('is broken when %s', (_case, state, commands, invariant, message) => {
    expect(checkCronJob(state, commands)).toEqual([{ invariant, message }]);
  });

  it('is broken when a command names Jobs that are not recorded, and the message names ten of these Jobs', () => {
    const jobs = Array.from({ length: 12 }, (_none, at) => ({ uid: `u-${at}`, name: `j-${at}` }));
    const [found] = checkCronJob(aState('Allow'), [{ kind: 'DeleteJobs', jobs, why: WHY }]);
    expect(found?.message).toMatch(
      /^DeleteJobs names the Job j-0 \(u-0\), .*j-9 \(u-9\), and 2 others, which is not recorded$/,
    );
  });

  it('is not broken when a later start replaces the running Job, or when the Job of the start has ended', () => {
    expect(checkCronJob(aState('Replace', runs), [replacing, creation(NEXT)])).toEqual([]);
    expect(checkCronJob(aState('Allow', runs), [creation(NEXT)])).toEqual([]);
    const children = { one: { name: 'tick-1', finished: 'Complete' } } as unknown as CronJobState['children'];
    const deletion: CronCommand = { kind: 'DeleteJobs', jobs: [{ uid: 'one', name: 'tick-1' }], why: WHY };
    expect(checkCronJob(aState('Forbid', { ...runs, children }), [deletion, creation(NEXT)])).toEqual([]);
  });

  it('withholds a decision: no Job is started or replaced, and one Warning Event gives the reason (J-18.1)', () => {
    const state = aState('Replace', { ...runs, unknown: { name: 'tick-1', scheduledAt: AT, after: null } });
    const verdict = { nextDecisionAt: null, waiting: null, commands: [replacing, creation(NEXT)] };
    const message = `nothing is created: the start of ${NEXT} would be carried out, and whether that of ${AT} was is not known`;
    const withheld = withInvariants(state, verdict);
    expect(withheld).toMatchObject({
      waiting: { rule: 'J-18.1', message },
      commands: [{ kind: 'EmitEvents', events: [{ type: 'Warning', reason: 'DecisionWithheld', message }] }],
      broken: [{ invariant: 'start-after-an-unknown-one' }],
    });
    expect(withInvariants({ ...state, waiting: withheld.waiting }, verdict).commands).toEqual([]);
  });
});
