import { describe, expect, it } from '@jest/globals';
import type { Outcome } from '../../workflows/job/outcomes.ts';
import type { PlacementOutcome } from '../../workflows/placement/outcomes.ts';
import { jobLife } from './job-life.ts';
import type { Plant } from './life.ts';
import { badLives, LIVES } from './lives.ts';
import { placedLife } from './placed-life.ts';
import { extent } from '../support/extent.ts';

/** `npm run test:lives` plays more. */
const PLAYED = { from: 1, lives: extent(100, 300) };
const LONG = 120_000;

describe('the random simulation', () => {
  it.each(Object.entries(LIVES))(
    'finds no error in a %s: every Job ends, no index runs twice, and no decision is repeated without a delay',
    async (_kind, live) => {
      const bad = await badLives(live, PLAYED);
      expect(bad.map(({ seed, problems }) => `seed ${seed}: ${problems[0]}`)).toEqual([]);
    },
    LONG,
  );
});

/** Seeds with moments that are rare. */
const OF_INTEREST = [
  1431, 1585, 1647, 1823, 2872, 3697, 3850, 4128, 4220, 4858, 5715, 5929, 6141, 7440, 7813, 8429, 9316,
  11_635,
];
/** The same, where a restore is noticed late, also of the home. */
const COPIES = [502_565, 512_426, 520_001, 520_700];
/** The same, where the outcomes of one decision come apart. */
const APART = [2488, 2592, 2808, 3111];

describe('a simulated placed Job with a restore, a late request or an unreachable cluster at a rare moment', () => {
  it.each(OF_INTEREST)(
    'ends, runs no index in two clusters or again after its success, and repeats no decision without a delay (seed %d)',
    async (seed) => {
      expect(
        (await placedLife(seed, { apart: false, lists: false, unseen: false, slow: false, copies: false }))
          .problems,
      ).toEqual([]);
    },
  );

  it.each(COPIES)(
    'ends, and runs no index in two clusters or again after its success, also when the workers notice the restore late (seed %d)',
    async (seed) => {
      expect((await placedLife(seed)).problems).toEqual([]);
    },
  );

  it.each(APART)(
    'ends, and runs no index in two clusters or again after its success, also when the outcomes of a decision arrive separately (seed %d)',
    async (seed) => {
      expect(
        (await placedLife(seed, { apart: true, lists: false, unseen: false, slow: false, copies: false }))
          .problems,
      ).toEqual([]);
    },
  );
});

const FORBIDDEN = { status: 403, reason: 'Forbidden', message: 'a policy' };

/** What a wrong worker, or a wrong fold of its outcomes, would make of them. */
const OF_PLACED_JOBS: Record<string, { plant: Plant<PlacementOutcome>; finds: RegExp }> = {
  'a creation without an answer counts as refused': {
    plant: (outcome) =>
      outcome.kind === 'CreateMember' && outcome.result === 'unanswered'
        ? { kind: 'CreateMember', result: 'failed', error: FORBIDDEN, at: outcome.at }
        : outcome,
    finds: /overlap|repeated|still runs|does not end/,
  },
  'a list shows no pod of a member that stops': {
    plant: (outcome) =>
      outcome.kind === 'LookUpMember' && outcome.result === 'done'
        ? { ...outcome, pods: { open: 0 } }
        : outcome,
    finds: /overlap|repeated/,
  },
  'a status that was not written is not tried later': {
    plant: (outcome) =>
      outcome.kind === 'WriteStatus' && outcome.result === 'unanswered'
        ? { kind: 'skipped', at: outcome.at }
        : outcome,
    finds: /twice in a row|at one instant/,
  },
};

const OF_JOBS: Record<string, { plant: Plant<Outcome>; finds: RegExp }> = {
  'a created pod counts as not created': {
    plant: (outcome) =>
      outcome.kind === 'CreatePods'
        ? {
            ...outcome,
            pods: outcome.pods.map((pod) =>
              pod.result === 'created'
                ? { ordinal: pod.ordinal + 1000, name: pod.name, result: 'taken' as const }
                : pod,
            ),
          }
        : outcome,
    finds: /runs in|at one instant|twice in a row/,
  },
  'a pod that was released uncounted is counted again': {
    plant: (outcome) =>
      outcome.kind === 'ReleasePods'
        ? {
            ...outcome,
            pods: outcome.pods.map(({ uid, name }) => ({
              uid,
              name,
              result: 'failed' as const,
              error: FORBIDDEN,
            })),
          }
        : outcome,
    finds: /finalizer|does not end|verify/,
  },
  'a refused status is forgotten': {
    plant: (outcome) =>
      outcome.kind === 'WriteStatus' && outcome.result === 'failed'
        ? { kind: 'skipped', at: outcome.at }
        : outcome,
    finds: /twice in a row|at one instant/,
  },
};

describe('a fault that the test plants in placed Jobs', () => {
  it.each(Object.entries(OF_PLACED_JOBS))(
    'is found by the random simulation: %s',
    async (_words, { plant, finds }) => {
      const [found] = await badLives((seed) => placedLife(seed, { plant }), { ...PLAYED, most: 1 });
      expect(found?.problems.join('\n')).toMatch(finds);
    },
  );
});

describe('a fault that the test plants in Jobs', () => {
  it.each(Object.entries(OF_JOBS))(
    'is found by the random simulation: %s',
    async (_words, { plant, finds }) => {
      const [found] = await badLives((seed) => jobLife(seed, plant), { ...PLAYED, most: 1 });
      expect(found?.problems.join('\n')).toMatch(finds);
    },
  );
});
