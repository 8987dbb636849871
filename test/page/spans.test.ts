import { describe, expect, it } from '@jest/globals';
import type { ListedCondition, ListedDecision } from '../../page/api/rows.ts';
import { jobDeadline, suspensionSpans, waitSpans } from '../../page/job/life/spans.ts';
import { gapSpans } from '../../page/components/gap-spans.ts';
import { stepFrom } from '../../page/job/time/axis/use-play.ts';

const START = Date.parse('2026-11-21T03:00:00Z');
const after = (seconds: number): string => new Date(START + seconds * 1000).toISOString();

function aDecision(number: number, fields: Partial<ListedDecision>): ListedDecision {
  const row = {
    id: `d${number}`,
    number,
    superseded: false,
    commands: [],
    recorded_at: after(number),
    next_decision_at: null,
    waiting_rule: null,
    waiting_message: null,
  };
  return { ...row, ...fields } as unknown as ListedDecision;
}

const BACK_OFF = { waiting_message: 'back-off', waiting_rule: 'J-5.40', next_decision_at: after(30) };

describe('a wait on the time axis', () => {
  it('ends at the planned time of the next decision while no decision follows', () => {
    expect(waitSpans([aDecision(1, BACK_OFF)])).toEqual([
      { kind: 'wait', from: START + 1000, to: START + 30_000, message: 'back-off' },
    ]);
  });

  it('ends at the next decision that is not superseded', () => {
    const found = waitSpans([aDecision(3, {}), aDecision(2, { superseded: true }), aDecision(1, BACK_OFF)]);
    expect(found.map(({ to }) => to)).toEqual([START + 3000]);
  });

  it('has an open end when no time of the next decision is planned', () => {
    expect(waitSpans([aDecision(1, { waiting_message: 'pods run' })])).toMatchObject([
      { to: null, message: 'pods run' },
    ]);
  });
});

describe('a suspension on the time axis', () => {
  const condition = (status: string | null, seconds: number, type = 'Suspended'): ListedCondition => ({
    type,
    status,
    reason: null,
    message: null,
    last_transition_time: after(seconds),
    seen_at: after(seconds + 1),
  });

  it('lasts from the status True of the condition Suspended to another status, or has an open end', () => {
    const changes = [
      condition('True', 1),
      condition('True', 2, 'Complete'),
      condition('False', 5),
      condition('True', 8),
    ];
    expect(suspensionSpans(changes).map(({ from, to }) => [from - START, to && to - START])).toEqual([
      [1000, 5000],
      [8000, null],
    ]);
  });
});

describe('a gap on the time axis', () => {
  it('names the resources whose changes may be missing, and the reason', () => {
    const gap = {
      id: 'g',
      cluster: 'east',
      namespace: null,
      resource: 'pods',
      since: after(1),
      until: after(2),
      reason: '410 Gone',
      recorded_at: after(3),
    };
    expect(gapSpans([gap])).toEqual([
      {
        kind: 'gap',
        from: START + 1000,
        to: START + 2000,
        message: 'events may be missing: changes of pods, 410 Gone',
      },
    ]);
  });
});

describe('the deadline on the time axis', () => {
  it('is counted from the start of the Job, and exists only with a start and activeDeadlineSeconds', () => {
    expect(jobDeadline({ started_at: after(2), active_deadline_seconds: 60 })).toBe(START + 62_000);
    expect(jobDeadline({ started_at: null, active_deadline_seconds: 60 })).toBeNull();
    expect(jobDeadline({ started_at: after(2), active_deadline_seconds: null })).toBeNull();
  });
});

describe('a step of the slider for decisions', () => {
  it.each([
    ['previous', null, 9],
    ['next', null, null],
    ['previous', 9, 5],
    ['previous', 6, 5],
    ['next', 5, 9],
    ['next', 9, null],
    ['previous', 1, null],
  ] as const)(
    'leads to the nearest decision: to the %s decision from %s is %s',
    (direction, at, expected) => {
      expect(stepFrom([5, 1, 9], at, direction)).toBe(expected);
    },
  );
});
