import { describe, expect, it } from '@jest/globals';
import type { JobStatus } from '../../workflows/kubernetes/objects.ts';
import { fold } from '../../workflows/placement/evolve/evolve.ts';
import { decisionRecord } from '../../workflows/placement/record/decision-record.ts';
import { decide } from '../../workflows/placement/decide/decide.ts';
import type { PlacementVerdict } from '../../workflows/placement/decide/situation.ts';
import type { PlacedJobFacts } from '../../workflows/placement/facts.ts';
import type { PlacementGrant, PlacementState } from '../../workflows/placement/state.ts';
import { after, aGrant, aMember, aPlacedJob, aStateWith, DECIDER } from './a-placed-job.ts';
import { aPlacementRecording } from '../history/a-placement-recording.ts';
import { seededRandom } from '../support/random.ts';
import { aModel, overlaps } from './model.ts';
import { aRoughLife } from './rough-life.ts';
import { openParts } from '../../workflows/placement/definitions/parts.ts';
import { countOverlap, parseIndexes } from '../../workflows/batch/completion-indexes.ts';
import { extent } from '../support/extent.ts';

const CLUSTERS = [
  { name: 'west', room: 30 },
  { name: 'north', room: 20 },
  { name: 'south', room: 10 },
];

function aSpreadModel(more: Partial<Parameters<typeof aModel>[0]> = {}) {
  return aModel({
    random: seededRandom(7),
    clusters: CLUSTERS,
    completions: 600,
    parallelism: 30,
    annotations: { 'jobledger.dev/spread': 'room' },
    ...more,
  });
}

function successes(model: ReturnType<typeof aModel>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { cluster, succeeded } of model.runs)
    if (succeeded) counts[cluster] = (counts[cluster] ?? 0) + 1;
  return counts;
}

describe('a spread Job (J-17.1 to J-17.6)', () => {
  it('runs each index once, in each cluster a part in proportion to its room', () => {
    const model = aSpreadModel();
    model.pass(400);
    expect(model.condition('Complete')?.status).toBe('True');
    expect(model.status()).toMatchObject({ succeeded: 600, completedIndexes: '0-599', ready: 0 });
    for (const { name, room } of CLUSTERS) {
      const fair = (600 * room) / 60;
      expect(Math.abs((successes(model)[name] ?? 0) - fair)).toBeLessThanOrEqual(fair / 10);
    }
    expect(overlaps(model)).toEqual([]);
  });
});

describe('a spread Job with late, lost and repeated facts and lost answers', () => {
  it.each(Array.from({ length: extent(50, 150) }, (_none, seed) => seed))(
    'completes, and lets no index run in two clusters at once or again after its success (seed %i)',
    (seed) => {
      const spread = ['room', 'even', 'price'][seed % 3];
      const { model, policy, isBereft } = aRoughLife(seed, spread);
      model.pass(1500);
      expect(model.condition('Complete')?.status).toBe('True');
      for (const { state } of model.looks) {
        const parts = openParts(state).map(({ part }) => parseIndexes(part.indexes, 1000));
        for (const [at, one] of parts.entries())
          for (const other of parts.slice(at + 1)) expect(countOverlap(one, other)).toBe(0);
      }
      if (policy !== 'Wait') return;
      expect(overlaps(model)).toEqual([]);
      expect(mostAtOnce(model)).toBeLessThanOrEqual(model.placed.object.spec.parallelism ?? 0);
      if (isBereft) return;
      const succeeded = model.runs.filter((run) => run.succeeded).map(({ index }) => index);
      expect(new Set(succeeded).size).toBe(succeeded.length);
    },
  );
});

/** The most pods that ran at once over all clusters. */
function mostAtOnce({ runs, now }: ReturnType<typeof aModel>): number {
  const changes = runs
    .flatMap(({ from, until }) => [
      { at: from, by: 1 },
      { at: until ?? now(), by: -1 },
    ])
    .toSorted((a, b) => a.at - b.at || a.by - b.by);
  let [running, most] = [0, 0];
  for (const { by } of changes) {
    running += by;
    most = Math.max(most, running);
  }
  return most;
}

/** A member of a spread Job: parallelism 2, with these indexes. */
function aPart(number: number, cluster: string, indexes: string, status: JobStatus = {}) {
  return aGrant({
    number,
    cluster,
    name: `pi-m${number}`,
    part: { number: 1, indexes, parallelism: 2 },
    member: aMember(status, {
      cluster,
      uid: `uid-${number}`,
      name: `pi-m${number}`,
      grant: { number: 1, indexes },
      spec: { parallelism: 2, completions: 8 },
    }),
  });
}

function aSpreadJob(spec: object = {}, fields: object = {}) {
  return aPlacedJob({
    annotations: { spread: 'even' },
    spec: {
      completionMode: 'Indexed',
      completions: 8,
      parallelism: 4,
      managedBy: 'jobledger.dev/placement',
      ...spec,
    },
    ...fields,
  });
}

function shared(state: PlacementState): PlacementState {
  return { ...state, shares: { at: after(0), pods: { west: 2, north: 2 } } };
}

function decided(job: PlacedJobFacts, ...grants: ReturnType<typeof aPart>[]) {
  return decide(shared(aStateWith(job, ...grants)), after(5), {});
}

function statusIn({ commands }: PlacementVerdict): JobStatus | undefined {
  return commands.flatMap((each) => (each.kind === 'WriteStatus' ? [each.to] : []))[0];
}

describe('a spread Job as a whole (J-17.6)', () => {
  it('has a status with the sums of its members', () => {
    const verdict = decided(
      aSpreadJob(),
      aPart(1, 'west', '0-3', {
        active: 2,
        ready: 1,
        succeeded: 1,
        completedIndexes: '0',
        failed: 2,
        startTime: time(1),
      }),
      aPart(2, 'north', '4-7', {
        active: 2,
        ready: 2,
        terminating: 1,
        succeeded: 1,
        completedIndexes: '5',
        startTime: time(2),
      }),
    );
    expect(statusIn(verdict)).toMatchObject({
      active: 4,
      ready: 3,
      terminating: 1,
      succeeded: 2,
      failed: 2,
      completedIndexes: '0,5',
      startTime: time(1),
    });
  });

  it('fails when its members together exceed backoffLimit, and the members get this end after its status shows it', () => {
    const parts = [
      aPart(1, 'west', '0-3', { active: 2, failed: 2 }),
      aPart(2, 'north', '4-7', { active: 2, failed: 2 }),
    ];
    const begun = decided(aSpreadJob({ backoffLimit: 3 }), ...parts);
    expect(begun.commands.filter((command) => 'indexes' in command)).toEqual([]);
    const status = statusIn(begun) ?? {};
    expect(status.conditions).toMatchObject([
      { type: 'FailureTarget', reason: 'BackoffLimitExceeded' },
      { type: 'jobledger.dev/Placed' },
    ]);
    const verdict = decided(aSpreadJob({ backoffLimit: 3 }, { status }), ...parts);
    expect(verdict.commands.filter(({ kind }) => kind === 'ChangeMember')).toMatchObject([
      { grant: 1, indexes: { number: 2, indexes: '', end: 'Failed' } },
      { grant: 2, indexes: { number: 2, indexes: '', end: 'Failed' } },
    ]);
  });

  it('sends its failure to a member again, under a higher number, when the member has the last number without it', () => {
    const left = aPart(1, 'west', '', { active: 2, failed: 4 });
    left.part = { number: 2, indexes: '', keeps: '', end: 'Failed', parallelism: 2 };
    const member = aMember({ failed: 4 }, { uid: 'uid-1', name: 'pi-m1', grant: { number: 2, indexes: '' } });
    const target = { type: 'FailureTarget', status: 'True' };
    const job = aSpreadJob({ backoffLimit: 3 }, { status: { conditions: [target], failed: 4 } });
    const asked = (grant: PlacementGrant) =>
      decided(job, grant).commands.filter(({ kind }) => kind === 'ChangeMember');
    expect(asked({ ...left, member })).toMatchObject([
      { indexes: { number: 3, indexes: '', end: 'Failed' } },
    ]);
    // Until the member has it, it is sent again as it was.
    expect(asked(left)).toMatchObject([{ indexes: { number: 2, indexes: '', end: 'Failed' } }]);
  });

  it('gets the condition Failed only when no member has a pod any more', () => {
    const failed = [
      { type: 'FailureTarget', status: 'True' },
      { type: 'Failed', status: 'True' },
    ];
    const target = {
      type: 'FailureTarget',
      status: 'True',
      reason: 'BackoffLimitExceeded',
      message: 'too many',
    };
    const job = aSpreadJob({ backoffLimit: 3 }, { status: { conditions: [target], failed: 4 } });
    const ended = { failed: 2, conditions: failed };
    const early = decided(
      job,
      aPart(1, 'west', '0-3', ended),
      aPart(2, 'north', '4-7', { active: 1, failed: 2 }),
    );
    expect(statusIn(early)?.conditions?.map(({ type }) => type)).not.toContain('Failed');
    const late = decided(job, aPart(1, 'west', '0-3', ended), aPart(2, 'north', '4-7', ended));
    expect(statusIn(late)).toMatchObject({
      failed: 4,
      ready: 0,
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'Failed', reason: 'BackoffLimitExceeded', message: 'too many' }),
      ]) as unknown,
    });
  });

  it('does not end before a silent member that may have pods, but without waiting for one whose indexes are all completed', () => {
    const target = {
      type: 'FailureTarget',
      status: 'True',
      reason: 'PodFailurePolicy',
      message: 'exit code 1',
    };
    const job = aSpreadJob({}, { status: { conditions: [target] } });
    const over = { conditions: [{ type: 'Failed', status: 'True' }] };
    const silent = { clusters: { north: { silentSince: after(1) } } };
    const types = (part: ReturnType<typeof aPart>): unknown =>
      statusIn(
        decide(shared(aStateWith(job, aPart(1, 'west', '0-3', over), part)), after(5), silent),
      )?.conditions?.map(({ type }) => type);
    expect(types(aPart(2, 'north', '4-7', { active: 1 }))).not.toContain('Failed');
    expect(types(aPart(2, 'north', '4,5', { completedIndexes: '4,5', succeeded: 2 }))).toContain('Failed');
  });

  it.each([
    [
      'maxFailedIndexes',
      { backoffLimitPerIndex: 0, maxFailedIndexes: 1 },
      { failedIndexes: '0' },
      { failedIndexes: '4' },
      'MaxFailedIndexesExceeded',
    ],
    [
      'its success policy',
      { successPolicy: { rules: [{ succeededCount: 2 }] } },
      { completedIndexes: '0' },
      { completedIndexes: '4' },
      'SuccessPolicy',
    ],
    ['its deadline', { activeDeadlineSeconds: 3 }, { startTime: time(1) }, {}, 'DeadlineExceeded'],
    [
      'all its indexes',
      { completions: 2 },
      { completedIndexes: '0' },
      { completedIndexes: '1' },
      'CompletionsReached',
    ],
  ])('ends because of %s, counted over all members', (_what, spec, one, other, reason) => {
    const job = aSpreadJob(spec, { status: 'activeDeadlineSeconds' in spec ? { startTime: time(1) } : {} });
    const state = {
      ...shared(aStateWith(job, aPart(1, 'west', '0-3', one), aPart(2, 'north', '4-7', other))),
      startedAt: time(1),
    };
    const [condition] = statusIn(decide(state, after(5), {}))?.conditions ?? [];
    expect(condition).toMatchObject({ reason });
    if (reason === 'DeadlineExceeded')
      expect(condition?.message).toBe('Job was active longer than specified deadline');
  });

  it('is suspended with its members', () => {
    const suspended = decided(aSpreadJob({ suspend: true }), aPart(1, 'west', '0-3', { active: 2 }));
    expect(suspended.commands.filter(({ kind }) => kind === 'ChangeMember')).toMatchObject([
      { spec: { suspend: true } },
    ]);
    expect(statusIn(suspended)?.conditions?.[0]).toMatchObject({ type: 'Suspended', status: 'True' });
  });
});

describe('the failures in the indexes of an ended grant (J-16.23)', () => {
  const failed = { failureCount: 2, ignoredFailureCount: 0, at: 5 };
  const left = { failures: { indexes: { 3: failed, 9: failed } }, uncountedPodCount: 1 };
  const job = aSpreadJob({ backoffLimitPerIndex: 3, backoffLimit: 100 });
  const ended = (fields: object) => ({
    ...aPart(1, 'west', '0-3', { failed: 4, completedIndexes: '0' }),
    ended: { at: after(3), reason: 'stopped' as const },
    ...fields,
  });

  it('are read from the stream of its member before another member gets the indexes', () => {
    const state = shared(aStateWith(job, ended({})));
    expect(decide(state, after(5), {}).candidates).toBe('missing');
    const candidates = { readAt: after(5), clusters: [{ cluster: 'north', room: 9 }], leftBy: { 1: left } };
    const verdict = decide(state, after(5), { candidates });
    const { decided: record } = decisionRecord(DECIDER, state, verdict, after(5), { candidates });
    expect(fold(state, [record]).grants[0]?.left).toEqual({ ...left, failed: 4 });
  });

  it('are passed to the member that gets the indexes, new or not, and count as failures of the Job', () => {
    const given = (...grants: ReturnType<typeof aPart>[]): PlacementVerdict =>
      decide(
        {
          ...aStateWith(job, ended({ left: { ...left, failed: 4 } }), ...grants),
          shares: { at: after(0), pods: { north: 4 } },
        },
        after(5),
        {},
      );
    expect(given().commands).toContainEqual(
      expect.objectContaining({ kind: 'CreateMember', continues: { failures: { indexes: { 3: failed } } } }),
    );
    const verdict = given(aPart(2, 'north', '4', { active: 1 }));
    expect(verdict.commands).toContainEqual(
      expect.objectContaining({ kind: 'ChangeMember', grant: 2, failures: { indexes: { 3: failed } } }),
    );
    expect(statusIn(verdict)?.failed).toBe(5);
  });
});

describe('a spread member whose annotation another client wrote (J-17.3)', () => {
  it('gets its own indexes again, under a higher number than that in the annotation', () => {
    const part = aPart(1, 'west', '0-3', { active: 2 });
    const edited = {
      ...part,
      member: { ...(part.member ?? aMember()), grant: { number: 9, indexes: '0-7' } },
    };
    const lost = { ...part, member: { ...(part.member ?? aMember()), grant: { number: 0, indexes: '' } } };
    const sent = (grant: typeof edited): unknown[] =>
      decided(aSpreadJob({ completions: 4 }), grant).commands.filter(({ kind }) => kind === 'ChangeMember');
    expect(sent(edited)).toMatchObject([{ indexes: { number: 10, indexes: '0-3' } }]);
    expect(sent(lost)).toMatchObject([{ indexes: { number: 1, indexes: '0-3' } }]);
  });
});

describe('indexes that a member of an ended grant has finished, and that another member has now (J-16.18)', () => {
  const returned = (status: JobStatus): PlacementGrant => ({
    ...aPart(1, 'west', '0-3', status),
    ended: { at: after(1), reason: 'gone' },
    left: { failures: {}, uncountedPodCount: 0, failed: 0 },
  });
  const taken = (status: JobStatus, own: JobStatus = {}): unknown[] => {
    const state = aStateWith(aSpreadJob(), returned(status), aPart(2, 'north', '0-7', own));
    return decide({ ...state, shares: { at: after(0), pods: { north: 4 } } }, after(5), {}).commands.flatMap(
      (command) =>
        command.kind === 'ChangeMember' && command.grant === 2 ? (command.indexes?.indexes ?? []) : [],
    );
  };

  it('are taken from that other member', () => {
    expect(taken({ completedIndexes: '0-1,3' })).toEqual(['2,4-7']);
  });

  it('stay with that other member when it has finished them as well', () => {
    expect(taken({ completedIndexes: '0-1' }, { active: 2, completedIndexes: '0-1' })).toEqual([]);
  });
});

describe('indexes that a member gives back, with or without a restore of its cluster (J-16.19, J-17.4)', () => {
  const kept = {
    type: 'jobledger.dev/Indexes',
    status: 'True' as const,
    reason: 'Granted',
    message: '2:0,1',
  };
  const part = aPart(1, 'west', '0-3', { active: 2, conditions: [kept] });
  const giving: PlacementGrant = {
    ...part,
    part: { number: 2, indexes: '0-3', keeps: '0,1', parallelism: 2 },
    member: { ...(part.member ?? aMember()), grant: { number: 2, indexes: '0,1' } },
  };
  const others = aPart(2, 'north', '4-7', { active: 2 });
  const lists = (grant: PlacementGrant, now: number): unknown[] => {
    const state = aStateWith(aSpreadJob(), grant, others);
    const shares = { at: now, pods: { west: 2, north: 2 } };
    const verdict = decide({ ...state, shares }, now, {});
    return verdict.commands.flatMap((command) =>
      command.kind === 'LookUpMember' ? [command.givenUp ?? 'all'] : [],
    );
  };

  it('have their pods listed at once when its cluster was not restored', () => {
    expect(lists(giving, after(5))).toEqual(['2,3']);
  });

  it('have their pods listed after a restore only when no pod can run without an object any more', () => {
    expect(lists({ ...giving, restoredAt: null }, after(5))).toEqual(['all']);
    const restored = { ...giving, restoredAt: after(5) };
    expect(lists(restored, after(94))).toEqual([]);
    expect(lists(restored, after(95))).toEqual(['2,3']);
  });
});

describe('a spread Job whose parallelism is lowered, or whose shares change (J-16.7, J-17.5)', () => {
  const running = [aPart(1, 'west', '0-3', { active: 2 }), aPart(2, 'north', '4-7', { active: 2 })];
  const asked = (shares: Record<string, number>, parallelism: number): unknown[] =>
    decide(
      { ...aStateWith(aSpreadJob({ parallelism }), ...running), shares: { at: after(0), pods: shares } },
      after(5),
      {},
    ).commands.filter(({ kind }) => kind === 'ChangeMember');

  it('has fewer pods at once in each of its clusters when its parallelism is lowered', () => {
    expect(asked({ west: 1, north: 1 }, 2)).toMatchObject([
      { grant: 1, spec: { parallelism: 1 } },
      { grant: 2, spec: { parallelism: 1 } },
    ]);
    expect(asked({ west: 1 }, 1)).toMatchObject([
      { grant: 1, spec: { parallelism: 1 } },
      { grant: 2, spec: { parallelism: 0 } },
    ]);
  });

  it('retains its running pods when only its shares change', () => {
    for (const command of asked({ west: 3, north: 1 }, 4))
      expect(command).not.toHaveProperty('spec.parallelism');
  });
});

describe('a spread Job that no cluster accepts', () => {
  it('has a reason to wait that says so, from the first decision on (J-16.4)', () => {
    const home = aPlacementRecording(
      { completionMode: 'Indexed', completions: 8, parallelism: 4 },
      { spread: 'even' },
    );
    home.under({ west: { refused: 'it does not answer' } });
    home.job(0);
    home.decides(1);
    const last = home.events.findLast((event) => event.type === 'placement.decided');
    expect(last?.data.waiting?.rule).toBe('J-16.4');
  });
});

describe('a later change of the annotation jobledger.dev/spread (J-17.1)', () => {
  it('does not spread a Job that runs in one cluster', () => {
    const grant = aGrant({ member: aMember({ active: 2 }) });
    const verdict = decide(aStateWith(aSpreadJob(), grant), after(5), {});
    expect(verdict.candidates).not.toBe('missing');
    expect(verdict.commands.filter(({ kind }) => kind === 'CreateMember' || kind === 'ShareOut')).toEqual([]);
  });

  it.each([
    ['absent', {}],
    ['invalid', { spread: 'even', clusters: ',,' }],
  ])('leaves a spread Job with all its members when the annotation is then %s', (_what, annotations) => {
    const { preferences } = aPlacedJob({ annotations });
    const verdict = decided(
      { ...aSpreadJob({ suspend: true }), preferences },
      aPart(1, 'west', '0-3', { active: 2 }),
      aPart(2, 'north', '4-7', { active: 2 }),
    );
    expect(verdict.commands.filter(({ kind }) => kind === 'ChangeMember')).toMatchObject([
      { grant: 1, spec: { suspend: true } },
      { grant: 2, spec: { suspend: true } },
    ]);
  });
});

describe('a placed Job with jobledger.dev/spread that cannot be spread (J-17.1)', () => {
  it('runs in one cluster, and a Warning gives the reason', () => {
    const job = aPlacedJob({ annotations: { spread: 'room' }, indivisible: 'it is not Indexed' });
    const candidates = {
      readAt: after(0),
      clusters: [
        { cluster: 'west', room: 9 },
        { cluster: 'north', room: 9 },
      ],
    };
    const verdict = decide(aStateWith(job), after(1), { candidates });
    expect(verdict.commands.filter(({ kind }) => kind === 'CreateMember')).toHaveLength(1);
    expect(verdict.commands).toContainEqual(
      expect.objectContaining({
        kind: 'EmitEvents',
        events: [
          {
            type: 'Warning',
            reason: 'NotSpread',
            message: 'the Job runs in one cluster at a time: it is not Indexed',
          },
        ],
      }),
    );
  });
});

/** As the API writes it. */
function time(seconds: number): string {
  return new Date(after(seconds)).toISOString();
}
