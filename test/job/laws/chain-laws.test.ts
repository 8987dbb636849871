import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { decide } from '../../../workflows/job/decide/decide.ts';
import { fold } from '../../../workflows/job/evolve/evolve.ts';
import type { Fact } from '../../../workflows/job/facts.ts';
import { DEFAULT_SETTINGS } from '../../../workflows/job/settings.ts';
import { INITIAL_STATE, type JobState } from '../../../workflows/job/state.ts';
import { aJob, anAwaitedJob, START } from '../../support/builders.ts';

interface Member {
  name: string;
  wanted: 'Succeeded' | 'Failed' | 'Finished';
  /** What happens to the Job of this name, in order. */
  life: ('appears' | 'completes' | 'fails' | 'goes')[];
}

const members: fc.Arbitrary<Member[]> = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    wanted: fc.constantFrom('Succeeded', 'Failed', 'Finished'),
    life: fc.array(fc.constantFrom('appears', 'completes', 'fails', 'goes'), { maxLength: 5 }),
  }) as fc.Arbitrary<Member>,
  { minLength: 1, maxLength: 5, selector: ({ name }) => name },
);

/** The plain model: how the newest Job of a name has ended. What cannot happen does not. */
interface Model {
  uid: number;
  exists: boolean;
  end: 'Complete' | 'Failed' | null;
}

function lived({ name, life }: Member): { model: Model; facts: Fact[] } {
  const model: Model = { uid: 0, exists: false, end: null };
  const facts: Fact[] = [];
  for (const what of life) {
    if (what === 'appears' ? model.exists : !model.exists) continue;
    if ((what === 'completes' || what === 'fails') && model.end !== null) continue;
    if (what === 'appears') Object.assign(model, { uid: model.uid + 1, exists: true, end: null });
    if (what === 'goes') model.exists = false;
    if (what === 'completes') model.end = 'Complete';
    if (what === 'fails') model.end = 'Failed';
    const { end } = model;
    facts.push(
      anAwaitedJob({ name, uid: `${name}-${model.uid}`, ...(end && { end }), gone: what === 'goes' }),
    );
  }
  return { model, facts };
}

function isMet({ wanted }: Member, { end }: Model): boolean {
  if (end === null) return false;
  return wanted === 'Finished' || (wanted === 'Succeeded') === (end === 'Complete');
}

/** Facts of different Jobs in any order, those of one Job in theirs; `picks` says whose is next. */
function merged(lives: Fact[][], picks: readonly number[]): Fact[] {
  const left = lives.map((each) => [...each]);
  const facts: Fact[] = [];
  for (let at = 0; left.some(({ length }) => length > 0); at += 1) {
    const open = left.filter(({ length }) => length > 0);
    const next = open[(picks[at] ?? 0) % open.length]?.shift();
    if (next !== undefined) facts.push(next);
  }
  return facts;
}

function waitingJob(all: readonly Member[]): JobState {
  const after = all.map(({ name, wanted }) => `${name}=${wanted}`).join(',');
  return fold(INITIAL_STATE, [aJob({ suspend: true, annotations: { 'jobledger.dev/after': after } })]);
}

const isResumed = (state: JobState): boolean =>
  decide(state, START + 60_000, DEFAULT_SETTINGS).commands.some(({ kind }) => kind === 'SetSuspend');

const OPTIONS = { numRuns: 1500, seed: 20_261_124 };

describe('a chain of Jobs', () => {
  it('resumes its waiting Job exactly when every awaited Job has reached the required end, in whatever order (J-12.6)', () => {
    let resumed = 0;
    fc.assert(
      fc.property(members, fc.array(fc.nat()), fc.array(fc.nat()), (all, picks, others) => {
        const lives = all.map(lived);
        const expected = all.every((each, at) =>
          isMet(each, lives[at]?.model ?? { uid: 0, exists: false, end: null }),
        );
        const facts = lives.map(({ facts: each }) => each);
        const [one, other] = [merged(facts, picks), merged(facts, others)];
        const start = waitingJob(all);
        if (expected) resumed += 1;
        expect(isResumed(fold(start, one))).toBe(expected);
        expect(fold(start, one).chain).toEqual(fold(start, other).chain);
      }),
      OPTIONS,
    );
    expect(resumed).toBeGreaterThan(40);
  });

  it('has the same state when facts about the awaited Jobs are repeated, or folded in batches', () => {
    fc.assert(
      fc.property(members, fc.array(fc.nat()), fc.nat(), (all, picks, cut) => {
        const facts = merged(
          all.map((each) => lived(each).facts),
          picks,
        );
        const start = waitingJob(all);
        const once = fold(start, facts);
        expect(fold(once, facts)).toEqual(once);
        const at = facts.length === 0 ? 0 : cut % facts.length;
        expect(fold(fold(start, facts.slice(0, at)), facts.slice(at))).toEqual(once);
        expect(JSON.parse(JSON.stringify(once))).toEqual(once);
      }),
      OPTIONS,
    );
  });
});
