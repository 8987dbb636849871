import { describe, expect, it } from '@jest/globals';
import { decide } from '../../../workflows/job/decide/decide.ts';
import {
  decisionRecord,
  isNews,
  type DecisionRecord,
} from '../../../workflows/job/record/decision-record.ts';
import { computeDigest } from '../../../workflows/ledger/digest.ts';
import type { JobDecided, JobEvent } from '../../../workflows/job/events.ts';
import { fold } from '../../../workflows/job/evolve/evolve.ts';
import { foldedBy } from '../../../workflows/decision/folding.ts';
import { DEFAULT_SETTINGS } from '../../../workflows/job/settings.ts';
import { INITIAL_STATE, type JobState } from '../../../workflows/job/state.ts';
import { aJob, aRunningPod, DECIDER, START } from '../../support/builders.ts';

const many = { parallelism: 5000, completions: 5000 };

function seen(pods: number): JobState {
  return fold(INITIAL_STATE, [aJob(many), ...Array.from({ length: pods }, () => aRunningPod())]);
}

function createRecord(state: JobState, now = START): DecisionRecord {
  return decisionRecord(DECIDER, state, decide(state, now, DEFAULT_SETTINGS), now, DEFAULT_SETTINGS);
}

function stamped(event: Omit<JobEvent, 'time'>): JobEvent {
  return { ...event, time: new Date(START).toISOString() } as JobEvent;
}

describe('the record of a decision', () => {
  it('names every folded fact, in order, and the rule of each command', () => {
    const state = seen(2);
    const { decided, folded } = createRecord(state);
    expect(folded).toEqual([]);
    expect(decided.data.folded).toEqual(state.folded);
    expect(decided.data).toMatchObject({
      number: 1,
      predecessor: null,
      now: START,
      settings: DEFAULT_SETTINGS,
    });
    expect(decided.data.commands.map(({ kind }) => kind)).toEqual(['CreatePods', 'WriteStatus']);
    for (const { why } of decided.data.commands) {
      expect(why.rule).toMatch(/^J-\d+\.\d+$/);
      expect(why.message).not.toBe('');
    }
    expect(decided.digest).toBe(computeDigest(decided.data));
  });

  it('has the id of its predecessor and the next number', () => {
    const state = seen(0);
    const first = createRecord(state).decided;
    const { data } = createRecord(fold(state, [first])).decided;
    expect(data).toMatchObject({ number: 2, predecessor: first.id, folded: [] });
  });

  it('has another id when the same decision is made at another instant', () => {
    expect(createRecord(seen(0)).decided.id).not.toBe(createRecord(seen(0), START + 1).decided.id);
  });

  it.each([
    { pods: 499, parts: [], rest: 500 },
    { pods: 500, parts: [500], rest: 1 },
    { pods: 1200, parts: [500, 500], rest: 201 },
  ])(
    'is split into records of 500 folded facts when it names the facts of a Job and $pods pods',
    ({ pods, parts, rest }) => {
      const state = seen(pods);
      const { folded, decided } = createRecord(state);
      expect(folded.map(({ data }) => data.folded.length)).toEqual(parts);
      expect(decided.data.folded).toHaveLength(rest);
      const stream = [...folded, decided].map(stamped);
      expect(foldedBy(stamped(decided) as JobDecided, stream)).toEqual(state.folded);
    },
  );
});

describe('a verdict of the core', () => {
  it('is not recorded when it has no command and the same reason to wait as before', () => {
    const waiting = { rule: 'J-5.40', message: 'a while' } as const;
    const state = { ...seen(0), waiting };
    expect(isNews(state, { commands: [], nextDecisionAt: START, waiting })).toBe(false);
    expect(isNews(state, { commands: [], nextDecisionAt: null, waiting: null })).toBe(true);
    expect(isNews(state, decide(state, START, DEFAULT_SETTINGS))).toBe(true);
  });
});
