import { describe, expect, it } from '@jest/globals';
import type { ListedDecision } from '../../page/api/rows.ts';
import { isFolded, decisionSteps, waitText } from '../../page/job/decisions/decision-text.ts';
import { nextSteps } from '../../page/job/time/next-steps.ts';
import { after, aListedJob, START } from './a-job.ts';

type Command = ListedDecision['commands'][number];

/** A rule by its number: these tests are about its words, not about what it demands. */
const rule = (number: string): string => `J-${number}`;

function aCommand(kind: string, of: string, message: string, fields: Partial<Command> = {}): Command {
  return {
    kind,
    rule: of,
    message,
    pod_count: null,
    last_attempt: 1,
    outcome_at: null,
    result: null,
    error: null,
    ...fields,
  };
}

function aDecision(commands: Command[], fields: Partial<ListedDecision> = {}): ListedDecision {
  const decision: Partial<ListedDecision> = {
    id: 'd',
    number: 1,
    recorded_at: after(10),
    waiting_message: null,
    waiting_rule: null,
    next_decision_at: null,
    commands,
    ...fields,
  };
  return decision as ListedDecision;
}

const NUMBERS = aCommand('WriteStatus', rule('3.50'), 'active, ready, terminating or a condition changed');
const SUCCESS = aCommand('ReleasePods', rule('4.11'), 'counted now: 1 succeeded, 0 failed', { pod_count: 1 });
const FAILURE = aCommand('ReleasePods', rule('4.11'), 'counted now: 0 succeeded, 2 failed', { pod_count: 2 });

describe('the displayed steps of a decision', () => {
  it.each([
    [aCommand('CreatePods', rule('5.13'), '2 missing', { pod_count: 2 }), 'Created 2 pods: 2 missing'],
    [
      aCommand('DeletePods', rule('6.1'), '4 failed pods, the limit is 3', { pod_count: 1 }),
      'Stopped 1 pod: 4 failed pods, the limit is 3',
    ],
    [
      aCommand('WriteStatus', rule('6.1'), '4 failed pods, the limit is 3'),
      'Decided the end of the Job: 4 failed pods, the limit is 3',
    ],
    [aCommand('WriteStatus', rule('3.52'), 'FailureTarget stands: deadline'), 'Ended as failed: deadline'],
    [
      aCommand('SetSuspend', rule('6.41'), 'suspend asked for by ann'),
      'Suspended the Job: suspend asked for by ann',
    ],
    [
      aCommand('SetSuspend', rule('6.42'), 'resume asked for by ann'),
      'Resumed the Job: resume asked for by ann',
    ],
    [
      aCommand('DeleteJob', rule('10.3'), '3600 s after the Job finished'),
      'Deleted the Job: 3600 s after the Job finished',
    ],
    [FAILURE, 'Counted 2 failed pods'],
  ])('describe the commands in words: %j is shown as %s', (command, message) => {
    expect(decisionSteps(aDecision([command]))[0]?.message).toBe(message);
  });

  it('never name a kind of command or a rule', () => {
    const kinds = [
      'CreatePods',
      'DeletePods',
      'ReleasePods',
      'DeleteJob',
      'SetSuspend',
      'EmitEvents',
      'WriteStatus',
    ];
    const messages = kinds
      .flatMap((kind) => decisionSteps(aDecision([aCommand(kind, rule('4.11'), 'why')])))
      .map((step) => step.message);
    expect(messages.join()).not.toMatch(/J-\d|Pods|Set|Emit|Write[A-Z]/);
  });
});

describe('the displayed line of a decision', () => {
  it.each([
    ['that only updated counts', [NUMBERS, SUCCESS], {}, true],
    ['that counted a failure', [FAILURE], {}, false],
    ['that waits', [NUMBERS], { waiting_message: 'the Job ends when its terminating pods are gone' }, false],
    ['whose command failed', [{ ...NUMBERS, error: 'forbidden' }], {}, false],
    ['that created pods', [aCommand('CreatePods', rule('5.13'), 'one missing')], {}, false],
  ] as const)(
    'has the collapsed form only for a decision without news: a decision %s',
    (_which, commands, fields, folded) => {
      expect(isFolded(aDecision([...commands], fields))).toBe(folded);
    },
  );
});

describe('the displayed reason to wait of a Job', () => {
  it('gives an instant as local time, and begins with a capital letter', () => {
    const message = waitText(`no pod before ${after(60)}: back-off after 1 failure in a row`);
    expect(message).toMatch(
      /^Waits until \d\d:\d\d:\d\d for the next attempt: back-off after 1 failure in a row$/,
    );
    expect(waitText('its pods run')).toBe('Its pods run');
  });
});

describe('the line about the next step of a Job', () => {
  const backOff = aDecision([], {
    waiting_message: `no pod before ${after(40)}: back-off after 2 failures in a row`,
    next_decision_at: after(40),
  });
  const next = (...[job, at, failed]: [Parameters<typeof aListedJob>[0], number, number]): string[] =>
    nextSteps(aListedJob(job), [backOff], { at: START + at * 1000, failed }).map(({ message }) => message);

  it('shows the next attempt, the deadline, and how many more failed pods end the Job', () => {
    expect(next({ active_deadline_seconds: 600, backoff_limit: 3 }, 20, 2)).toEqual([
      expect.stringMatching(/^Waits until [\d:]+ for the next attempt/),
      'The deadline ends the Job',
      '2 more failed pods end the Job',
    ]);
  });

  it('shows no wait that was decided after the chosen instant', () => {
    expect(next({ backoff_limit: 3 }, 5, 0)).toEqual(['4 more failed pods end the Job']);
    expect(next({ backoff_limit: 0 }, 5, 0)).toEqual(['1 more failed pod ends the Job']);
  });

  it('is empty for a deleted Job, and has neither deadline nor remaining failures for an ended Job', () => {
    expect(next({ deleted_at: after(15) }, 20, 0)).toEqual([]);
    expect(next({ finished_at: after(15) }, 20, 0)).toHaveLength(1);
  });
});
