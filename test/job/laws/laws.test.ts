import { describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { decide } from '../../../workflows/job/decide/decide.ts';
import { evolve, fold } from '../../../workflows/job/evolve/evolve.ts';
import { isTerminal } from '../../../workflows/job/definitions/pod-phase.ts';
import type { Fact } from '../../../workflows/job/facts.ts';
import { DEFAULT_SETTINGS } from '../../../workflows/job/settings.ts';
import { INITIAL_STATE, type JobState } from '../../../workflows/job/state.ts';
import { aJob, aPod, podDeletion, START, type JobFields, type PodFields } from '../../support/builders.ts';
import {
  createModelCluster,
  deliverAll,
  modelEnding,
  settleDown,
  runWorkflowTask,
} from '../../support/model-cluster.ts';
import { setPod } from '../../support/model-cluster-api.ts';
import { podObject } from '../../support/builders.ts';
import { extent } from '../../support/extent.ts';

jest.setTimeout(600_000);

const OPTIONS = { numRuns: extent(100, 300), seed: 11 };

const jobs = fc
  .record({
    parallelism: fc.nat(4),
    completions: fc.option(fc.nat(5)),
    backoffLimit: fc.nat(3),
    podReplacementPolicy: fc.constantFrom('Failed', 'TerminatingOrFailed'),
    restartPolicy: fc.constantFrom('Never', 'OnFailure'),
    suspend: fc.boolean(),
    deleting: fc.boolean(),
  })
  .map(({ completions, ...job }): JobFields => ({ ...job, ...(completions !== null && { completions }) }));

/** Versions of one pod, the last of which may be its end. */
const lives = fc.array(
  fc.record<PodFields>({
    phase: fc.constantFrom('Pending', 'Running', 'Succeeded', 'Failed'),
    ready: fc.boolean(),
    untracked: fc.boolean(),
    finished: fc.integer({ min: -60, max: 0 }),
    restarts: fc.nat(2),
    controller: fc.constantFrom('none', 'uid-of-another', '', ''),
  }),
  { minLength: 1, maxLength: 4 },
);
const pods = fc.array(fc.record({ life: lives, isGone: fc.boolean() }), { maxLength: 5 });

interface Occurrence {
  pod: number;
  moment: PodFields | 'gone';
}

function drawMoments(drawn: { life: PodFields[]; isGone: boolean }[]): Occurrence[][] {
  return drawn.map(({ life, isGone }, pod) => [
    ...life.map((moment) => ({ pod, moment })),
    ...(isGone ? [{ pod, moment: 'gone' as const }] : []),
  ]);
}

/** No pod leaves a terminal phase. */
function withLastingEnd(life: PodFields[]): PodFields[] {
  const end = life.find(({ phase }) => isTerminal(phase))?.phase;
  const from = life.findIndex(({ phase }) => phase === end);
  return life.map((moment, at) => (end !== undefined && at > from ? { ...moment, phase: end } : moment));
}

/** Facts in this order, with ascending versions. */
function toFacts(moments: Occurrence[]): Fact[] {
  const last = new Map<number, PodFields>();
  return moments.map(({ pod, moment }) => {
    const fields = { ...(moment === 'gone' ? last.get(pod) : moment), name: `pod-${pod}` };
    last.set(pod, fields);
    const { controller, ...rest } = fields;
    const fact = aPod({ ...rest, ...(controller !== undefined && controller !== '' && { controller }) });
    return moment === 'gone' ? podDeletion(fact) : fact;
  });
}

/** The streams of several pods merged, each in its own order. */
function merged(streams: Occurrence[][], choices: Iterator<number>): Occurrence[] {
  const left = streams.map((stream) => [...stream]).filter((stream) => stream.length > 0);
  const all: Occurrence[] = [];
  while (left.length > 0) {
    const at = choices.next().value % left.length;
    const next = left[at]?.shift();
    if (next !== undefined) all.push(next);
    if (left[at]?.length === 0) left.splice(at, 1);
  }
  return all;
}

function afterAll(facts: Fact[]): JobState {
  return fold(INITIAL_STATE, facts);
}

describe('the function evolve of the core', () => {
  it('makes states that are unchanged after a conversion to JSON and back', () => {
    fc.assert(
      fc.property(jobs, pods, (job, drawn) => {
        const state = afterAll([aJob(job), ...toFacts(drawMoments(drawn).flat())]);
        const text = JSON.stringify(state);
        expect(JSON.parse(text)).toEqual(state);
        // JSON drops fields that are undefined, and toEqual ignores them.
        expect(JSON.stringify(state, (_key, value: unknown) => value ?? null)).toBe(text);
      }),
      OPTIONS,
    );
  });

  it('returns an equal state for an event that is already folded (J-3.4)', () => {
    fc.assert(
      fc.property(jobs, pods, fc.nat(), (job, drawn, place) => {
        const first = aJob(job);
        const ending = drawn.map((each) => ({ ...each, life: withLastingEnd(each.life) }));
        const facts = [first, ...toFacts(drawMoments(ending).flat())];
        const state = afterAll(facts);
        const repeated = facts[place % facts.length] ?? first;
        expect(evolve(state, repeated)).toEqual(state);
      }),
      OPTIONS,
    );
  });

  it('gives the same state for a prefix and the remaining events as for all events', () => {
    fc.assert(
      fc.property(jobs, pods, fc.nat(), (job, drawn, place) => {
        const facts = [aJob(job), ...toFacts(drawMoments(drawn).flat())];
        const at = place % facts.length;
        expect(fold(afterAll(facts.slice(0, at)), facts.slice(at))).toEqual(afterAll(facts));
      }),
      OPTIONS,
    );
  });

  it('does not change its input state', () => {
    fc.assert(
      fc.property(jobs, pods, (job, drawn) => {
        const state = afterAll([aJob(job)]);
        const before = JSON.stringify(state);
        fold(state, toFacts(drawMoments(drawn).flat()));
        expect(JSON.stringify(state)).toBe(before);
      }),
      OPTIONS,
    );
  });
});

describe('the function decide of the core', () => {
  it('gives the same answer whatever the order of events of different pods', () => {
    fc.assert(
      fc.property(jobs, pods, fc.infiniteStream(fc.nat()), (job, drawn, choices) => {
        const streams = drawMoments(drawn);
        const [one, other] = [streams.flat(), merged(streams, choices)].map((moments) =>
          decide(afterAll([aJob({ ...job, version: '50' }), ...toFacts(moments)]), START, DEFAULT_SETTINGS),
        );
        expect(normal(other)).toEqual(normal(one));
      }),
      OPTIONS,
    );
  });

  it('gives no further command once the outcomes of its commands are folded (J-3.25, J-3.26)', async () => {
    await fc.assert(
      fc.asyncProperty(jobs, pods, async (job, drawn) => {
        const cluster = createModelCluster(job, () => 'Succeeded');
        for (const { life } of drawn) {
          const { controller: _controller, ...fields } = life.at(-1) ?? {};
          setPod(cluster.api, podObject(fields));
        }
        deliverAll(cluster);
        await runWorkflowTask(cluster);
        const { state, settings } = cluster.workflow;
        expect(decide(state, cluster.api.now, settings).commands).toEqual([]);
      }),
      OPTIONS,
    );
  });

  it('never lowers the counters of a Job, and brings every Job that may run pods to its end (J-6.37)', async () => {
    const fates = fc.array(fc.boolean(), { maxLength: 6 });
    const runs = jobs.map(({ deleting: _deleting, suspend: _suspend, ...job }) => job);
    await fc.assert(
      fc.asyncProperty(runs, fates, async (job, drawn) => {
        const cluster = createModelCluster(job, (creation) =>
          (drawn[creation] ?? true) ? 'Succeeded' : 'Failed',
        );
        await settleDown(cluster);
        const writes = cluster.api.statusWrites;
        for (const [at, status] of writes.entries()) {
          expect(status.failed ?? 0).toBeGreaterThanOrEqual(writes[at - 1]?.failed ?? 0);
          expect(status.succeeded ?? 0).toBeGreaterThanOrEqual(writes[at - 1]?.succeeded ?? 0);
        }
        if (job.parallelism !== 0) expect(modelEnding(cluster).type).not.toBeNull();
      }),
      OPTIONS,
    );
  });
});

/** Which pods are named may depend on order only within one command; lists are compared as sets. */
function normal(verdict: ReturnType<typeof decide> | undefined): unknown {
  const commands = verdict?.commands.map((command) => ({
    ...command,
    ...('pods' in command && { pods: command.pods.map((pod) => JSON.stringify(pod)).toSorted() }),
    ...('counted' in command && {
      counted: [command.counted.succeeded.toSorted(), command.counted.failed.toSorted()],
    }),
  }));
  return { ...verdict, commands };
}

describe('a Job of 5,000 active pods', () => {
  const pods5000 = Array.from({ length: 5000 }, (_none, ordinal) => aPod({ ordinal }));
  const state = fold(INITIAL_STATE, [aJob({ parallelism: 5000, completions: 10_000 }), ...pods5000]);

  it('gets a write of its status and no other command', () => {
    const { commands } = decide(state, START, DEFAULT_SETTINGS);
    expect(commands).toMatchObject([{ kind: 'WriteStatus', to: { active: 5000 } }]);
  });

  it('takes less than 100 bytes of state per pod', () => {
    expect(Object.keys(state.pods)).toHaveLength(5000);
    expect(JSON.stringify(state.pods).length / 5000).toBeLessThan(100);
  });
});
