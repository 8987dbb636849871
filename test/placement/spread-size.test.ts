import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { formatIndexes, toIndexes, parseIndexes } from '../../workflows/batch/completion-indexes.ts';
import { conditionAt } from '../../workflows/batch/conditions.ts';
import { apiTime } from '../../workflows/ledger/instants.ts';
import { grantText, type IndexGrant } from '../../workflows/batch/index-grant.ts';
import { INDEXES_KEPT } from '../../workflows/kubernetes/names.ts';
import type { PlacementCommand } from '../../workflows/placement/commands.ts';
import { needsCandidates } from '../../workflows/placement/decide/decide.ts';
import { fold } from '../../workflows/placement/evolve/evolve.ts';
import type { MemberFacts, PlacedJobFacts } from '../../workflows/placement/facts.ts';
import type { PlacementSettings } from '../../workflows/placement/settings.ts';
import { INITIAL_STATE, type PlacementState } from '../../workflows/placement/state.ts';
import { step } from '../../workflows/placement/step.ts';
import { withChange } from '../support/with-change.ts';
import { START } from '../support/builders.ts';
import { seededRandom } from '../support/random.ts';
import { aPlacedJob, DECIDER } from './a-placed-job.ts';
import { extent } from '../support/extent.ts';

const COMPLETIONS = extent(30_000, 100_000);
const PARALLELISM = COMPLETIONS / 5;
const CLUSTERS = Array.from({ length: 10 }, (_none, at) => `cluster-${at}`);

interface BigMember {
  facts: MemberFacts;
  /** The indexes that it may run. */
  mine: number[];
  done: Set<number>;
}

/** A big Job in ten clusters, whose pods end in any order. */
function aBigSpreadJob() {
  const random = seededRandom(5);
  const members = new Map<string, BigMember>();
  let version = 100;
  let now = START;
  let state: PlacementState = INITIAL_STATE;
  let job: PlacedJobFacts = aPlacedJob({
    annotations: { spread: 'even' },
    spec: {
      completionMode: 'Indexed',
      completions: COMPLETIONS,
      parallelism: PARALLELISM,
      managedBy: 'jobledger.dev/placement',
    },
  });
  const most = { state: 0, gzipped: 0, decision: 0, cpuMs: 0, ranges: 0 };
  let decisions = 0;

  const acceptGrant = (member: BigMember, grant: IndexGrant): void => {
    const asked = parseIndexes(grant.indexes, COMPLETIONS);
    member.mine = asked.flatMap(([first, last]) =>
      Array.from({ length: last - first + 1 }, (_none, at) => first + at),
    );
    const kept = { type: INDEXES_KEPT, status: 'True', reason: 'Granted', message: grantText(grant) };
    member.facts = { ...member.facts, grant };
    member.facts.status = { ...member.facts.status, conditions: [conditionAt(apiTime(now), kept)] };
  };
  const newVersion = (): string => String((version += 1));
  const answerTo = (command: PlacementCommand): object => {
    if (command.kind === 'WriteStatus') {
      job = { ...job, status: command.to, resourceVersion: newVersion() };
      return { result: 'written', job };
    }
    if (command.kind === 'CreateMember') {
      const { cluster, name, spec, indexes = '' } = command;
      const facts: MemberFacts = {
        cluster,
        uid: `uid-of-${cluster}`,
        name,
        namespace: 'team',
        resourceVersion: newVersion(),
        generation: 1,
        spec,
        status: {},
      };
      const member = { facts, mine: [], done: new Set<number>() };
      members.set(cluster, member);
      acceptGrant(member, { number: 1, indexes });
      return { result: 'created', member: member.facts };
    }
    if (command.kind === 'ChangeMember') {
      const member = members.get(command.cluster) as BigMember;
      const spec = withChange(member.facts.spec, command.spec);
      member.facts = { ...member.facts, spec, resourceVersion: newVersion() };
      if (command.indexes !== undefined) acceptGrant(member, command.indexes);
      return { result: 'done', member: member.facts };
    }
    if (command.kind !== 'LookUpMember') return {};
    const { facts } = members.get(command.cluster) as BigMember;
    const listedAt = String(version);
    return { result: 'done', member: facts, pods: { open: 0 }, listedAt, givenUp: command.givenUp };
  };
  const work = (): void => {
    for (let turn = 0; ; turn += 1) {
      if (turn > 50) throw new Error('the home decides without end');
      const begun = process.cpuUsage();
      let settings: PlacementSettings = {};
      if (needsCandidates(state, now, settings))
        settings = {
          ...settings,
          candidates: { readAt: now, clusters: CLUSTERS.map((cluster) => ({ cluster, room: 2000 })) },
        };
      const taken = step({ decider: DECIDER, state, now, settings });
      const { user, system } = process.cpuUsage(begun);
      state = taken.state;
      const text = JSON.stringify(state);
      most.cpuMs = Math.max(most.cpuMs, (user + system) / 1000);
      most.state = Math.max(most.state, text.length);
      for (const { part } of state.grants)
        most.ranges = Math.max(most.ranges, parseIndexes(part?.indexes ?? '', COMPLETIONS).length);
      most.gzipped = Math.max(most.gzipped, gzipSync(text).length);
      if (taken.decision === null) return;
      decisions += 1;
      const { id, data } = taken.decision.decided;
      most.decision = Math.max(most.decision, JSON.stringify(data).length);
      for (const [at, command] of data.commands.entries()) {
        const outcome = { kind: command.kind, ...answerTo(command), at: now };
        const { cluster, jobUid, placedJobUid } = DECIDER;
        const content = { cluster, jobUid, placedJobUid, decision: id, command: at, attempt: 1, outcome };
        const origin = { id: `${id}/answer/${at}`, digest: '', source: '', subject: '' };
        state = fold(state, [{ ...origin, type: 'outcome.recorded', data: content as never }]);
      }
    }
  };
  /** Some pods of a member end, in any order. */
  const run = (member: BigMember): void => {
    const { parallelism = 0 } = member.facts.spec;
    const open = member.mine.filter((index) => !member.done.has(index));
    const running = open.slice(0, parallelism);
    for (const index of running) if (random() < 0.5) member.done.add(index);
    const completedIndexes = formatIndexes(toIndexes([...member.done]));
    const active = Math.min(parallelism, open.length);
    member.facts = {
      ...member.facts,
      resourceVersion: newVersion(),
      status: {
        ...member.facts.status,
        active,
        ready: active,
        succeeded: member.done.size,
        completedIndexes,
        startTime: apiTime(START),
      },
    };
    const id = `${member.facts.uid}/${member.facts.resourceVersion}`;
    state = fold(state, [{ id, digest: '', type: 'member.observed', member: member.facts }]);
  };
  state = fold(state, [{ id: 'home', digest: '', type: 'job.observed', job }]);
  work();
  return {
    most,
    members,
    decisions: () => decisions,
    isOver: () => (job.status.succeeded ?? 0) === COMPLETIONS,
    pass(): void {
      now += 1000;
      for (const member of members.values()) {
        run(member);
        work();
      }
    },
  };
}

describe(`the state of a Job with ${COMPLETIONS} indexes in ten clusters (J-17.3)`, () => {
  it('is below 512 KiB gzipped, with at most 1,000 index ranges a member, and no step takes a second of CPU time', () => {
    const big = aBigSpreadJob();
    for (let second = 0; second < 300 && !big.isOver(); second += 1) big.pass();
    expect(big.isOver()).toBe(true);
    expect(big.members.size).toBe(10);
    expect(big.decisions()).toBeLessThan(500);
    expect(big.most.ranges).toBeLessThanOrEqual(1000);
    expect(big.most.gzipped).toBeLessThan(512 * 1024);
    expect(big.most.decision).toBeLessThan(1024 * 1024);
    expect(big.most.cpuMs).toBeLessThan(1000);
  }, 300_000);
});
