import { describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { toIndexes, countOverlap, parseIndexes } from '../../../workflows/batch/completion-indexes.ts';
import { trueCondition } from '../../../workflows/batch/conditions.ts';
import type { JobSpec, JobStatus } from '../../../workflows/kubernetes/objects.ts';
import { openParts } from '../../../workflows/placement/definitions/parts.ts';
import { createModelCluster, settleDown } from '../../support/model-cluster.ts';
import { isActive } from '../../support/model-cluster-api.ts';
import { unfoundedDecisions, unrecordedDecisions } from '../../support/model-cluster-verify.ts';
import { steps, take, type Step } from '../../job/laws/crash-story.ts';
import {
  aSpreadWorld,
  createFate,
  indexIn,
  succeededIn,
  unfinished,
  type WorldMember,
} from './spread-world.ts';
import { extent } from '../../support/extent.ts';

jest.setTimeout(600_000);

const OPTIONS = { numRuns: extent(40, 150), seed: 20_261_128 };
const CLUSTERS = ['east', 'north', 'west'];

/** A policy of the whole, and how often its indexes fail: how the Job ends does not depend on the order of its pods. */
interface Story {
  spec: Partial<JobSpec>;
  failures: number[];
}

const indexes = (most: number): fc.Arbitrary<number[]> =>
  fc.array(fc.nat(most), { minLength: 10, maxLength: 10 });
const shape = {
  completions: fc.integer({ min: 3, max: 10 }),
  parallelism: fc.integer({ min: 1, max: 6 }),
  podReplacementPolicy: fc.constantFrom('TerminatingOrFailed', 'Failed'),
};

/** `backoffLimit` alone. */
const limited = fc
  .record({ ...shape, backoffLimit: fc.nat(6), failures: indexes(2) })
  .map(({ failures, ...spec }): Story => ({ spec, failures }));

/** By index, with or without `maxFailedIndexes`. */
const byIndex = fc
  .record({
    ...shape,
    backoffLimitPerIndex: fc.nat(2),
    maxFailedIndexes: fc.option(fc.nat(3), { nil: undefined }),
    failures: indexes(4),
  })
  .map(({ failures, maxFailedIndexes, ...spec }): Story => {
    const limits = maxFailedIndexes === undefined ? {} : { maxFailedIndexes };
    return { spec: { ...spec, ...limits, backoffLimit: 2 ** 31 - 1 }, failures };
  });

/** A pod failure policy with each of its actions. */
const byPolicy = fc
  .record({
    ...shape,
    action: fc.constantFrom('FailJob', 'FailIndex', 'Ignore', 'Count'),
    failures: indexes(2),
  })
  .map(({ failures, action, ...spec }): Story => {
    const onExitCodes = { operator: 'In', values: [1] };
    const policy = { podFailurePolicy: { rules: [{ action, onExitCodes }] } } as Partial<JobSpec>;
    const limits = action === 'FailIndex' ? { backoffLimitPerIndex: 9 } : {};
    const backoffLimit = action === 'Ignore' ? 0 : 2 ** 31 - 1;
    return {
      spec: { ...spec, ...policy, ...limits, backoffLimit, podReplacementPolicy: 'Failed' },
      failures,
    };
  });

/** A success policy that is met before the last index. */
const bySuccess = fc
  .record({ ...shape, rule: fc.constantFrom('count' as const, 'indexes' as const), failures: indexes(1) })
  .map(({ failures, rule, ...spec }): Story => {
    const rules = [rule === 'count' ? { succeededCount: 2 } : { succeededIndexes: '0-1' }];
    return { spec: { ...spec, successPolicy: { rules }, backoffLimit: 2 ** 31 - 1 }, failures };
  });

const stories = fc.oneof(limited, byIndex, byPolicy, bySuccess);

type Ask =
  | { kind: 'member'; of: number; step: Step }
  | { kind: 'tell'; of: number; count: number; isAgain: boolean }
  | { kind: 'home'; answering: 'answered' | 'unanswered' | 'unsent' }
  | { kind: 'wait'; seconds: number }
  | { kind: 'cut' | 'heal' | 'drain' | 'open'; of: number }
  | { kind: 'spec'; spec: Partial<JobSpec> };

const of = fc.nat(2);

/** What an author may change of a Job; of an Indexed Job `completions` only together with `parallelism` (J-1.18). */
const changes: fc.Arbitrary<Ask> = fc.record({
  kind: fc.constant('spec' as const),
  spec: fc.oneof(
    fc.record({ suspend: fc.boolean() }),
    fc.record({ parallelism: fc.nat(6) }),
    fc.integer({ min: 3, max: 10 }).map((count) => ({ completions: count, parallelism: count })),
  ),
});
const FAULTS = ['outage', 'refuse', 'crash', 'recall', 'rewind', 'relist', 'label', 'redispatch'];

/** Events of a life; without faults, only their order varies. */
function happenings(isRough: boolean, others: readonly fc.Arbitrary<Ask>[] = []): fc.Arbitrary<Ask[]> {
  const ofMember = isRough ? steps : steps.filter(({ kind }) => !FAULTS.includes(kind));
  const answering = isRough
    ? fc.constantFrom('answered' as const, 'answered' as const, 'unanswered' as const, 'unsent' as const)
    : fc.constant('answered' as const);
  return fc.array(
    fc.oneof(
      {
        weight: 24,
        arbitrary: fc.record({ kind: fc.constant('member' as const), of, step: ofMember }),
      },
      {
        weight: 8,
        arbitrary: fc.record({
          kind: fc.constant('tell' as const),
          of,
          count: fc.integer({ min: 1, max: 4 }),
          isAgain: isRough ? fc.boolean() : fc.constant(false),
        }),
      },
      { weight: 8, arbitrary: fc.record({ kind: fc.constant('home' as const), answering }) },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('wait' as const),
          seconds: fc.integer({ min: 1, max: 40 }),
        }),
      },
      ...(isRough
        ? (['cut', 'heal', 'drain', 'open'] as const).map((kind) => ({
            weight: 1,
            arbitrary: fc.record({ kind: fc.constant(kind), of }),
          }))
        : []),
      ...others.map((arbitrary) => ({ weight: 4, arbitrary })),
    ),
    { maxLength: 160, size: 'max' },
  );
}

type Life = ReturnType<typeof aSpreadWorld>;

function aLife({ spec, failures }: Story): Life {
  return aSpreadWorld({
    spec,
    failures,
    annotations: { 'jobledger.dev/spread': 'even', 'jobledger.dev/spill-after': '10h' },
    room: { east: 10, north: 10, west: 10 },
  });
}

function memberIn({ world }: Life, at: number): WorldMember | undefined {
  return world.members.findLast(({ cluster }) => cluster === CLUSTERS[at]);
}

async function happen(life: Life, each: Ask): Promise<void> {
  const { world } = life;
  world.now += 90;
  switch (each.kind) {
    case 'member': {
      const member = memberIn(life, each.of);
      if (member !== undefined) await take(member.model, each.step);
      return;
    }
    case 'tell': {
      const member = memberIn(life, each.of);
      if (member !== undefined) life.append(member, each.count, each.isAgain);
      return;
    }
    case 'home':
      life.work(each.answering);
      return;
    case 'wait':
      world.now += each.seconds * 1000;
      for (const { model } of world.members) model.api.now += each.seconds * 1000;
      return;
    case 'spec':
      return life.change(each.spec);
    case 'cut':
    case 'heal':
    case 'drain':
    case 'open':
      setAvailability(life, CLUSTERS[each.of] ?? '', each.kind);
  }
}

function setAvailability({ world }: Life, cluster: string, kind: 'cut' | 'heal' | 'drain' | 'open'): void {
  const { silentSince, cordoned, ...others } = world.availability[cluster] ?? {};
  const by = { by: 'anna', at: world.now, drain: true as const };
  const silent = kind === 'cut' ? (silentSince ?? world.now) : kind === 'heal' ? undefined : silentSince;
  const drained = kind === 'drain' ? by : kind === 'open' ? undefined : cordoned;
  world.availability = {
    ...world.availability,
    [cluster]: {
      ...others,
      ...(silent !== undefined && { silentSince: silent }),
      ...(drained !== undefined && { cordoned: drained }),
    },
  };
}

/** Each index runs in one cluster, never again once it has succeeded; no more pods run than the Job allows (J-17.4, J-17.5). */
function check({ world }: Life, { parallelism = 1 }: Partial<JobSpec>): void {
  const running = world.members.map((member) => toIndexes(unfinished(member).map(indexIn)));
  for (const [at, one] of running.entries())
    for (const [other, member] of world.members.entries()) {
      if (other === at) continue;
      expect(countOverlap(one, running[other] ?? [])).toBe(0);
      expect(countOverlap(one, succeededIn(member))).toBe(0);
    }
  const active = world.members.reduce(
    (sum, member) => sum + unfinished(member).filter((pod) => isActive(pod)).length,
    0,
  );
  expect(active).toBeLessThanOrEqual(parallelism);
  const parts = openParts(world.state).map(({ part }) => parseIndexes(part.indexes, 10));
  for (const [at, one] of parts.entries())
    for (const other of parts.slice(at + 1)) expect(countOverlap(one, other)).toBe(0);
}

const ROUNDS = 200;

/** All is well again; everything happens until nothing is left to do. */
async function finish(life: Life, spec: Partial<JobSpec>): Promise<void> {
  const { world } = life;
  for (const cluster of CLUSTERS) {
    setAvailability(life, cluster, 'heal');
    setAvailability(life, cluster, 'open');
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { model } of world.members) {
      model.api.now = Math.max(model.api.now, world.now);
      await settleDown(model);
      check(life, spec);
    }
    const appended = world.members.map((member) => life.append(member, Infinity));
    const decided = life.work();
    if (appended.includes(true) || decided > 0) continue;
    if (isOver(life) || world.nextDecisionAt === null) return;
    world.now = Math.max(world.now, world.nextDecisionAt);
  }
}

function isOver({ world }: Life): boolean {
  const { status = {} } = world.placed;
  return trueCondition(status, 'Complete') !== undefined || trueCondition(status, 'Failed') !== undefined;
}

interface End {
  type: string;
  reason: string | undefined;
}

function jobEnd(status: JobStatus = {}): End {
  const end = trueCondition(status, 'Complete') ?? trueCondition(status, 'Failed');
  return { type: end?.type ?? 'none', reason: end?.reason };
}

/** How the Job ends in one cluster. */
async function endInOne({ spec, failures }: Story): Promise<{ end: End; completed: string; failed: string }> {
  const cluster = createModelCluster({ completionMode: 'Indexed', ...spec }, createFate(failures)('one'));
  await settleDown(cluster);
  const { status } = cluster.api.job ?? {};
  return {
    end: jobEnd(status),
    completed: status?.completedIndexes ?? '',
    failed: status?.failedIndexes ?? '',
  };
}

const REASONS = [
  'BackoffLimitExceeded',
  'CompletionsReached',
  'FailedIndexes',
  'MaxFailedIndexesExceeded',
  'PodFailurePolicy',
  'SuccessPolicy',
];

describe.each([
  ['with facts in any order', false],
  ['with facts late and repeated, answers lost, clusters silent and drained, and processes that die', true],
])('a Job that is spread over three clusters, %s,', (_how, isRough) => {
  it('ends as in one cluster, and runs each index in one cluster at a time (J-17.3 to J-17.6)', async () => {
    const reasons = new Set<string>();
    let members = 0;
    await fc.assert(
      fc.asyncProperty(stories, happenings(isRough), async (story, all) => {
        const life = aLife(story);
        const { world } = life;
        life.work();
        for (const each of all) {
          await happen(life, each);
          check(life, story.spec);
        }
        await finish(life, story.spec);
        const { status } = world.placed;
        const one = await endInOne(story);
        expect(jobEnd(status)).toEqual(one.end);
        if (one.end.reason === 'CompletionsReached' || one.end.reason === undefined) {
          expect(status?.completedIndexes ?? '').toBe(one.completed);
          expect(status?.failedIndexes ?? '').toBe(one.failed);
        }
        for (const { model, createdAtEnd } of world.members) {
          if (createdAtEnd !== null) expect(model.api.created.length).toBe(createdAtEnd);
          expect(unfoundedDecisions(model.ledger.events)).toEqual([]);
          expect(unrecordedDecisions(model)).toEqual([]);
        }
        reasons.add(one.end.reason ?? '');
        members += world.members.length;
      }),
      OPTIONS,
    );
    expect([...reasons].toSorted()).toEqual(REASONS);
    expect(members).toBeGreaterThan(1.5 * OPTIONS.numRuns);
  });
});

const scaled = fc
  .record({ completions: fc.integer({ min: 3, max: 10 }), parallelism: fc.integer({ min: 1, max: 6 }) })
  .map((spec): Story => ({ spec, failures: [] }));

describe('a Job over three clusters whose author suspends, resumes and scales it', () => {
  it('follows these changes as one Job, and completes (J-16.7, J-17.5)', async () => {
    await fc.assert(
      fc.asyncProperty(scaled, happenings(true, [changes]), async (story, all) => {
        const life = aLife(story);
        const { world } = life;
        life.work();
        let most = story.spec.parallelism ?? 1;
        for (const each of all) {
          await happen(life, each);
          most = Math.max(most, world.placed.spec.parallelism ?? 1);
          check(life, { parallelism: most });
        }
        life.change({ suspend: true });
        await finish(life, { parallelism: most });
        if (!isOver(life)) expect(world.members.flatMap(unfinished)).toEqual([]);
        const last = { suspend: false, parallelism: 2 };
        life.change(last);
        await finish(life, { parallelism: Math.max(2, most) });
        const { completions = 0 } = world.placed.spec;
        expect(jobEnd(world.placed.status).reason).toBe('CompletionsReached');
        expect(world.placed.status?.completedIndexes).toBe(`0-${completions - 1}`);
      }),
      OPTIONS,
    );
  });
});
