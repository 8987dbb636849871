import { beforeAll, describe, expect, it } from '@jest/globals';
import { jobReplayText, stepText } from '../../cli/verbs/replay/replay-text.ts';
import { whyText } from '../../cli/verbs/why/why-text.ts';
import { withDigest } from '../../services/adapters/events/event-codec.ts';
import { isRefused, type Refused } from '../../workflows/history/refused.ts';
import { replaySteps } from '../../workflows/history/replay/replay-steps.ts';
import { replayTo } from '../../workflows/history/replay/replay-to.ts';
import type { Question } from '../../workflows/history/why/types.ts';
import { why } from '../../workflows/history/why/why.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { at, START } from '../support/builders.ts';
import { aPlacementRecording } from './a-placement-recording.ts';
import { SITUATIONS } from './why-index-situations.ts';

const SUBMISSION = withDigest<JobEvent>({
  id: 'east/home-uid/submitted',
  type: 'job.submitted',
  source: 'test',
  subject: 'default/pi',
  time: at(0),
  data: { cluster: 'east', jobUid: 'home-uid', submission: 's1', name: 'pi', priority: 0, manifest: {} },
} as unknown as JobEvent);

/** A submitted Job that is placed in west, the cheaper cluster, which is drained then, so that it moves to north. */
function aDrainedJob(): JobEvent[] {
  const home = aPlacementRecording({ completionMode: 'Indexed', completions: 4, parallelism: 2 }, {});
  const clusters = { west: { room: 4, price: 0.1 }, north: { room: 4, price: 0.2 } };
  home.under(clusters);
  home.job(0);
  home.decides(1);
  home.member(5, 'west', { active: 2, ready: 2, succeeded: 1, completedIndexes: '0' });
  home.decides(6);
  home.under(clusters, { west: { cordoned: { by: 'kim', at: START + 8000, drain: true } } });
  home.decides(8);
  const suspended = {
    type: 'Suspended',
    status: 'True' as const,
    reason: 'JobSuspended',
    message: '',
    lastProbeTime: at(9),
    lastTransitionTime: at(9),
  };
  home.member(9, 'west', { succeeded: 1, completedIndexes: '0', conditions: [suspended] });
  for (const after of [10, 20, 60]) home.decides(after);
  home.member(70, 'north', { active: 2, ready: 2, succeeded: 1, completedIndexes: '0' });
  home.decides(71);
  return [SUBMISSION, ...(home.events as unknown as JobEvent[])];
}

function found<T extends object>(answer: T | Refused): T {
  if (isRefused(answer)) throw new Error(answer.message);
  return answer;
}

describe('a placed Job that has moved from a drained cluster', () => {
  let events: JobEvent[] = [];
  const answer = (question: Question) => found(why(events, question));

  beforeAll(() => {
    events = aDrainedJob();
  });

  it('is explained by its members: why each cluster received a member, and what each member does', () => {
    const { about, answers, causes } = answer({ about: 'job' });
    expect(about).toBe('Job pi');
    expect(answers).toEqual([
      { question: 'what it waits for', message: 'its members: north/pi-m2', because: [expect.any(String)] },
      {
        question: 'why north has it',
        message: expect.stringMatching(/; its member pi-m2: 2 active, 2 ready, 1 succeeded, 0 failed$/),
        because: [expect.stringMatching(/#\d+$/)],
      },
    ]);
    const messages = causes.map(({ message }) => message).join('\n');
    expect(messages).toMatch(/^CreateMember north\/pi-m2, suspended, with the counters so far: /m);
    expect(messages).toContain('EndGrant of west (stopped)');
    expect(messages).toContain('ChangeMember west/pi (suspend: true)');
    expect(messages).toContain('first seen');
  });

  it('is explained with all causes of its answers, each cause before the causes of that cause', () => {
    const { answers, causes, waits } = answer({ about: 'job' });
    const place = new Map(causes.map(({ id }, index) => [id, index]));
    for (const id of [...answers, ...waits].flatMap(({ because }) => because))
      expect(place.has(id)).toBe(true);
    for (const { id, because } of causes)
      for (const other of because) expect(place.get(other)).toBeGreaterThan(place.get(id) ?? Infinity);
  });

  it('is explained for each command of a decision, with the rule and the causes of the command', () => {
    const drain = events
      .map((event) => event as unknown as LedgerEvent)
      .find(
        (event) =>
          event.type === 'placement.decided' && event.data.commands.some(({ kind }) => kind === 'EndGrant'),
      );
    const number = drain?.type === 'placement.decided' ? drain.data.number : 0;
    const given = answer({ about: 'decision', number });
    expect(given.answers.map(({ question }) => question)).toContain('why EndGrant');
    expect(whyText(given)).toContain('[J-16.10]');
    expect(given.causes.find(({ message }) => message.startsWith('EndGrant'))?.because).not.toEqual([]);
    expect(why(events, { about: 'decision', number: 99 })).toMatchObject({ refused: 'unknown' });
  });

  it('has the state of its own core, with its clusters, when it is replayed to the end', () => {
    const replay = found(replayTo(events, 'end'));
    expect(replay).toMatchObject({
      followed: null,
      different: [],
      state: {
        retries: {},
        grants: [
          { cluster: 'west', ended: { reason: 'stopped' } },
          { cluster: 'north', name: 'pi-m2' },
        ],
      },
    });
    const text = jobReplayText(replay);
    expect(text).toMatch(/^ +west +pi +\S+ +0 +1 +0 +to be stopped: drain, ended at \S+: stopped$/m);
    expect(text).toMatch(/^ +north +pi-m2 +\S+ +2 +1 +0 *$/m);
  });

  it('shows the next decision with its commands to the members when it is replayed to an earlier point', () => {
    const text = jobReplayText(found(replayTo(events, { until: '2' })));
    expect(text).toMatch(/^Then:\n/m);
    expect(text).toContain('ChangeMember west/pi');
    expect(found(replayTo(events, { until: SUBMISSION.id }))).toMatchObject({ state: { grants: [] } });
  });

  it('can be replayed step by step, with its submission', () => {
    const steps = found(replaySteps(events, 'end'));
    expect(steps).toHaveLength(events.length);
    expect(steps.find(({ event }) => event === SUBMISSION.id)).toMatchObject({ changes: [] });
    const text = steps.map(stepText).join('\n');
    expect(text).toContain('grants: ');
    expect(text).toContain('first seen');
    expect(found(replaySteps(events, { until: SUBMISSION.id }))).toHaveLength(1);
  });
});

describe('a placed Job in any situation', () => {
  it.each(
    SITUATIONS.filter(({ name }) => !name.includes('ordinary')).map((each) => [each.name, each] as const),
  )('is explained, decision by decision, and replayed without a difference: %s', (_name, { events }) => {
    const whole = found(why(events, { about: 'job' }));
    expect(whole.answers.length).toBeGreaterThan(0);
    const replay = found(replayTo(events, 'end'));
    expect(replay.different).toEqual([]);
    expect(jobReplayText(replay)).toContain('Clusters:');
    for (let number = 1; number <= replay.decisionCount; number += 1) {
      const { answers, causes } = found(why(events, { about: 'decision', number }));
      const ids = new Set(causes.map(({ id }) => id));
      for (const id of answers.flatMap(({ because }) => because)) expect(ids.has(id)).toBe(true);
    }
  });

  it('is explained by its end alone when it has ended', () => {
    const ended = SITUATIONS.find(({ name }) => name === 'index-of-a-failed-job');
    const { answers } = found(why(ended?.events ?? [], { about: 'job' }));
    expect(answers.map(({ question }) => question)).toContain('why it failed');
    expect(answers.map(({ question }) => question)).not.toContain('what it waits for');
  });

  it('has no pods of its own, so that a question about a pod is refused with a reference to the members', () => {
    expect(why(aDrainedJob(), { about: 'pod', pod: 'pi-0' })).toEqual({
      refused: 'unknown',
      message: 'the Job is placed: its pods are those of its members',
    });
  });
});
