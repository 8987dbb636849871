import { expect, describe, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import {
  formatIndexes,
  toIndexes,
  missingIndexes,
  countOverlap,
  parseIndexes,
  countIndexes,
  union,
  type Indexes,
} from '../../../workflows/batch/completion-indexes.ts';
import type { JobEvent } from '../../../workflows/job/events.ts';
import { grantText, keptGrant } from '../../../workflows/batch/index-grant.ts';
import { COMPLETION_INDEX, INDEXES } from '../../../workflows/kubernetes/names.ts';
import type { Pod } from '../../../workflows/kubernetes/objects.ts';
import { deletionsIn } from '../../support/given.ts';
import { createModelCluster, settleDown, type ModelCluster } from '../../support/model-cluster.ts';
import { setJob } from '../../support/model-cluster-api.ts';
import { unfoundedDecisions, unrecordedDecisions } from '../../support/model-cluster-verify.ts';
import { steps, take, type Step } from './crash-story.ts';
import { extent } from '../../support/extent.ts';

jest.setTimeout(600_000);

const OPTIONS = { numRuns: extent(40, 150), seed: 20_261_127 };
const COMPLETIONS = 12;

/** A member as its home knows it. */
interface Member {
  cluster: ModelCluster;
  number: number;
  /** It may run these. */
  granted: Indexes;
  /** Its home asks it to keep these, and it has not acknowledged that yet. */
  keeps: Indexes | null;
}

/** Two members of one Job, in two clusters, and the indexes that neither has. */
interface Life {
  members: Member[];
  free: Indexes;
  /** How often indexes became free. */
  moves: number;
}

function without(indexes: Indexes, others: Indexes): Indexes {
  return missingIndexes(union(missingIndexes(indexes, COMPLETIONS), others), COMPLETIONS);
}

function ask(member: Member, indexes: Indexes): void {
  const { api } = member.cluster;
  if (api.job === null) return;
  member.number += 1;
  const { metadata } = api.job;
  const grant = { number: member.number, indexes: formatIndexes(indexes) };
  const annotations = { ...metadata.annotations, [INDEXES]: grantText(grant) };
  setJob(api, { ...api.job, metadata: { ...metadata, annotations } });
}

function takeBack(member: Member, keep: number): void {
  if (member.keeps !== null) return;
  member.keeps = member.granted.slice(0, keep);
  ask(member, member.keeps);
}

/** As a home does it: the acknowledgement, and then a list of the pods. */
function collect(life: Life, member: Member): void {
  const kept = keptGrant({ status: member.cluster.api.job?.status ?? {} });
  if (member.keeps === null || kept?.number !== member.number) return;
  const freed = without(member.granted, parseIndexes(kept.indexes, COMPLETIONS));
  if (countOverlap(freed, toIndexes(unfinished(member).map(indexIn))) > 0) return;
  member.granted = without(member.granted, freed);
  member.keeps = null;
  const open = without(freed, completed(member));
  if (countIndexes(open) > 0) life.moves += 1;
  life.free = union(life.free, open);
}

function give(life: Life, member: Member): void {
  if (member.keeps !== null || countIndexes(life.free) === 0) return;
  member.granted = union(member.granted, life.free);
  life.free = [];
  ask(member, member.granted);
}

function completed({ cluster }: Member): Indexes {
  return parseIndexes(cluster.api.job?.status?.completedIndexes ?? '', COMPLETIONS);
}

function unfinished({ cluster }: Member): Pod[] {
  return [...cluster.api.pods.values()].filter(
    ({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed',
  );
}

function indexIn({ metadata }: Pod): number {
  return Number(metadata.annotations?.[COMPLETION_INDEX]);
}

/** An index runs in one cluster only, and not again once it has succeeded in the other. */
function check({ members: [one, other] }: Life): void {
  if (one === undefined || other === undefined) throw new Error('two members');
  const run = [one, other].map((member) => toIndexes(unfinished(member).map(indexIn)));
  expect(countOverlap(run[0] ?? [], run[1] ?? [])).toBe(0);
  expect(countOverlap(run[0] ?? [], succeeded(other))).toBe(0);
  expect(countOverlap(run[1] ?? [], succeeded(one))).toBe(0);
}

/** By the pods and by the status. */
function succeeded(member: Member): Indexes {
  const pods = [...member.cluster.api.pods.values()].filter(({ status }) => status?.phase === 'Succeeded');
  return union(completed(member), toIndexes(pods.map(indexIn)));
}

const of = fc.nat(1);

function happenings(ofMember: fc.Arbitrary<Step>) {
  return fc.array(
    fc.oneof(
      { weight: 20, arbitrary: fc.record({ kind: fc.constant('member' as const), of, step: ofMember }) },
      { weight: 5, arbitrary: fc.record({ kind: fc.constant('take' as const), of, keep: fc.nat(3) }) },
      { weight: 6, arbitrary: fc.record({ kind: fc.constant('collect' as const), of }) },
      { weight: 6, arbitrary: fc.record({ kind: fc.constant('give' as const), of }) },
    ),
    { maxLength: 120, size: 'max' },
  );
}

const CALM = new Set(['pod', 'watch', 'deliver', 'work', 'flow', 'wait']);

async function live(life: Life, all: readonly Happening[]): Promise<void> {
  for (const happening of all) {
    const member = life.members[happening.of] as Member;
    if (happening.kind === 'member') await take(member.cluster, happening.step);
    else if (happening.kind === 'take') takeBack(member, happening.keep);
    else if (happening.kind === 'give') give(life, member);
    else collect(life, member);
    check(life);
  }
  await finish(life);
}

type Happening = ReturnType<typeof happenings> extends fc.Arbitrary<(infer H)[]> ? H : never;

const lives = fc.record({
  parallelism: fc.integer({ min: 1, max: 4 }),
  backoffLimitPerIndex: fc.option(fc.constant(99), { nil: undefined }),
  fates: fc.array(fc.boolean(), { maxLength: 8 }),
});

describe('two members of one spread Job, with different indexes (J-16.24)', () => {
  it('never both run the same index, whatever the home grants and takes back while processes die', async () => {
    let moves = 0;
    await fc.assert(
      fc.asyncProperty(lives, happenings(steps), async (spec, all) => {
        const life = aLife(spec);
        await live(life, all);
        moves += life.moves;
      }),
      OPTIONS,
    );
    expect(moves).toBeGreaterThan(OPTIONS.numRuns / 3);
  });

  it('delete no pod when the home takes indexes back', async () => {
    const calm = steps.filter(({ kind }) => CALM.has(kind));
    await fc.assert(
      fc.asyncProperty(lives, happenings(calm), async (spec, all) => {
        const life = aLife(spec);
        await live(life, all);
        for (const { cluster } of life.members) expect(cluster.ledger.events.flatMap(deletions)).toEqual([]);
      }),
      OPTIONS,
    );
  });
});

type Spec = typeof lives extends fc.Arbitrary<infer S> ? S : never;

function aLife({ parallelism, backoffLimitPerIndex, fates }: Spec): Life {
  const halves = ['0-5', '6-11'];
  const members = halves.map((half) => ({
    cluster: createModelCluster(
      {
        completionMode: 'Indexed',
        completions: COMPLETIONS,
        parallelism,
        backoffLimit: 1000,
        ...(backoffLimitPerIndex !== undefined && { backoffLimitPerIndex }),
        annotations: { [INDEXES]: `1:${half}` },
      },
      (creation) => ((fates[creation] ?? true) ? 'Succeeded' : 'Failed'),
    ),
    number: 1,
    granted: parseIndexes(half, COMPLETIONS),
    keeps: null,
  }));
  return { members, free: [], moves: 0 };
}

/** Without further faults, all indexes succeed, each in one cluster. */
async function finish(life: Life): Promise<void> {
  for (let round = 0; round < 3; round += 1)
    for (const member of life.members) {
      await settleDown(member.cluster);
      check(life);
      collect(life, member);
      give(life, member);
      await settleDown(member.cluster);
      check(life);
    }
  const [one, other] = life.members.map(completed) as [Indexes, Indexes];
  expect(formatIndexes(union(one, other))).toBe('0-11');
  expect(countOverlap(one, other)).toBe(0);
  for (const { cluster } of life.members) {
    expect(unfoundedDecisions(cluster.ledger.events)).toEqual([]);
    expect(unrecordedDecisions(cluster)).toEqual([]);
  }
}

function deletions({ type, data }: JobEvent): string[] {
  return type === 'job.decided' ? deletionsIn(data) : [];
}
