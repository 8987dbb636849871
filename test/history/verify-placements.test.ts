import { describe, expect, it } from '@jest/globals';
import { verifyPlacements } from '../../workflows/history/placements/verify-placements.ts';
import { at as inSeconds } from '../support/builders.ts';
import { aDrainedLife, aPlacedLife } from './a-placed-life.ts';

/** An instant some seconds after the start, with milliseconds. */
const at = (after: number): string => new Date(inSeconds(after)).toISOString();

const NOTHING = { findings: [], mayHaveRunTwice: [], withinTolerance: [], unseen: [], missing: [] };

/** A Job that left west at 60 s, for this reason, while index 0 ran there from 10 s on, and got north at 61 s. */
function aMovedLife(
  reason: 'stopped' | 'gone' | 'guarded' | 'lost' | 'time',
  until?: number,
  phase: 'Succeeded' | 'Failed' = 'Failed',
) {
  const life = aPlacedLife();
  life.gives(0, 'west', 1);
  life.created(1, 'west', 1);
  const first = life.pod('west', 1, { index: 0, from: 10, phase, ...(until !== undefined && { until }) });
  life.ends(60, 'west', 1, reason);
  life.gives(61, 'north', 2);
  life.created(62, 'north', 2);
  const second = life.pod('north', 2, { index: 0, from: 70, until: 100 });
  return { life, first, second };
}

describe('the verification that one cluster at a time ran a placed Job (J-16.10)', () => {
  it('reports no fault for a Job that stays and for a Job that moves', () => {
    const { events } = aDrainedLife();
    expect(verifyPlacements(events)).toEqual({ jobs: 1, grants: 2, ...NOTHING, clocks: [] });
  });

  it('reports no fault when the streams of members and homes come in any order', () => {
    const { events } = aDrainedLife();
    const ofHome = events.filter(({ data }) => 'placedJobUid' in data);
    const ofMembers = events.filter((event) => !ofHome.includes(event));
    expect(verifyPlacements([...ofMembers, ...ofHome])).toMatchObject(NOTHING);
    expect(verifyPlacements([...ofHome, ...ofMembers])).toMatchObject(NOTHING);
  });

  it('reports no fault although clocks are an hour apart, and names these clocks', () => {
    const life = aPlacedLife();
    life.clock('west', 3600);
    life.clock('north', -3600);
    life.gives(0, 'west', 1);
    life.created(1, 'west', 1);
    life.pod('west', 1, { index: 0, from: 3, until: 40 });
    life.counts(42, 'west', 1, '0');
    life.ends(45, 'west', 1, 'stopped');
    life.gives(46, 'north', 2);
    life.created(47, 'north', 2);
    life.pod('north', 2, { index: 1, from: 49, until: 90 });
    const { clocks, ...proof } = verifyPlacements(life.events);
    expect(proof).toMatchObject(NOTHING);
    expect(clocks).toEqual([
      { cluster: 'north', seconds: -3598 },
      { cluster: 'west', seconds: 3600 },
    ]);
  });

  it('reports no fault when a decision was superseded before the worker sent any command', () => {
    const life = aPlacedLife();
    life.gives(0, 'west', 1);
    life.gives(5, 'north', 1, { predecessor: 0 });
    life.created(6, 'north', 1);
    life.pod('north', 1, { index: 0, from: 8, until: 20 });
    expect(verifyPlacements(life.events)).toMatchObject({ grants: 1, ...NOTHING });
  });

  it('reports no fault when a superseded decision had ended the grant', () => {
    const life = aPlacedLife();
    life.gives(0, 'west', 1);
    life.created(1, 'west', 1);
    life.ends(10, 'west', 1, 'stopped');
    life.decides(11, [], { predecessor: 1 });
    life.pod('west', 1, { index: 0, from: 12, until: 60 });
    expect(verifyPlacements(life.events)).toMatchObject({ grants: 1, ...NOTHING });
  });

  it('trusts the order of the records, and reports no fault, when the clock of a node disagrees', () => {
    const { life } = aMovedLife('stopped', 55);
    life.pod('west', 1, { index: 1, from: 10, until: 300, recordedAt: 58, phase: 'Failed' });
    expect(verifyPlacements(life.events)).toMatchObject(NOTHING);
  });

  it('reports no fault when the pod in another cluster never started a container', () => {
    const { life } = aMovedLife('stopped', 40);
    const name = life.waitingPod(50, 'west', 1);
    life.podGone(200, 'west', 1, name);
    expect(verifyPlacements(life.events)).toMatchObject(NOTHING);
  });
});

describe('an overlap of two runs of an index (J-16.10)', () => {
  it('is found from the order of the decisions about two grants, even when no pod existed', () => {
    const life = aPlacedLife();
    life.gives(0, 'west', 1);
    life.created(1, 'west', 1);
    life.gives(30, 'north', 2);
    life.created(31, 'north', 2);
    life.ends(50, 'west', 1, 'stopped');
    expect(verifyPlacements(life.events).findings).toEqual([
      {
        type: 'two-grants',
        job: 'east/team/pi',
        index: null,
        clusters: ['west', 'north'],
        from: at(30),
        until: at(50),
        pods: [],
        message: 'the decision decision-2 gave the Job to north while west had it',
      },
    ]);
  });

  it('is found when a superseded decision was still carried out', () => {
    const life = aPlacedLife();
    life.gives(0, 'west', 1);
    life.gives(5, 'north', 1, { predecessor: 0 });
    life.created(6, 'north', 1);
    life.created(7, 'west', 1, 1);
    expect(verifyPlacements(life.events).findings).toMatchObject([{ type: 'two-grants', until: null }]);
  });

  it('is found when a pod ran before the grant to its cluster', () => {
    const life = aDrainedLife();
    const early = life.pod('north', 2, { index: 5, from: 10, until: 30 });
    expect(verifyPlacements(life.events)).toMatchObject({
      ...NOTHING,
      findings: [
        {
          type: 'before-grant',
          index: 5,
          clusters: ['north'],
          from: at(10),
          until: at(46),
          pods: [early],
          message: `the pod ${early} started 35.0 s before north got the Job`,
        },
      ],
    });
  });

  it.each(['stopped', 'gone', 'guarded'] as const)(
    'is reported with the pods of the index in both clusters when a pod ran after the end of its grant (%s)',
    (reason) => {
      const { life, first, second } = aMovedLife(reason, 90);
      expect(verifyPlacements(life.events)).toMatchObject({
        mayHaveRunTwice: [],
        withinTolerance: [],
        findings: [
          {
            type: 'after-grant',
            job: 'east/team/pi',
            index: 0,
            clusters: ['west', 'north'],
            from: at(60),
            until: at(90),
            pods: [first, second],
            message: `the pod ${first} ran on for 30.0 s after west had lost the Job (${reason})`,
          },
        ],
      });
    },
  );

  it('is found when a pod starts after the end of its grant, although the end of the pod is unknown', () => {
    const { life, second } = aMovedLife('stopped', 40);
    const late = life.pod('west', 1, { index: 0, from: 80 });
    expect(verifyPlacements(life.events).findings).toMatchObject([
      { type: 'after-grant', from: at(80), until: null, pods: [late, second] },
    ]);
  });

  it.each(['lost', 'time'] as const)(
    'is listed separately when the Job or a person has accepted the overlap (%s)',
    (reason) => {
      const { life, first, second } = aMovedLife(reason, 90);
      expect(verifyPlacements(life.events)).toMatchObject({
        ...NOTHING,
        mayHaveRunTwice: [
          { index: 0, clusters: ['west', 'north'], from: at(60), until: at(90), pods: [first, second] },
        ],
      });
    },
  );

  it('is reported as possible while the end of a pod in a lost cluster is not observed', () => {
    const { life, first, second } = aMovedLife('lost');
    expect(verifyPlacements(life.events)).toMatchObject({
      ...NOTHING,
      mayHaveRunTwice: [{ from: at(60), until: null, pods: [first, second] }],
    });
  });

  it('is not reported for a pod that outlives its grant while no other cluster runs its index', () => {
    const life = aPlacedLife();
    life.gives(0, 'west', 1);
    life.created(1, 'west', 1);
    life.pod('west', 1, { index: 0, from: 10, until: 90 });
    life.ends(60, 'west', 1, 'time');
    life.gives(61, 'north', 2);
    life.created(62, 'north', 2);
    life.pod('north', 2, { index: 1, from: 70, until: 100 });
    expect(verifyPlacements(life.events)).toMatchObject(NOTHING);
  });

  it('is listed separately when it is shorter than the possible difference of clocks', () => {
    const { life } = aMovedLife('stopped', 69);
    expect(verifyPlacements(life.events)).toMatchObject({
      ...NOTHING,
      withinTolerance: [{ type: 'after-grant', from: at(60), until: at(69) }],
    });
  });

  it('is listed as unseen, instead of found, when the end of a pod was not observed', () => {
    const { life, first } = aMovedLife('guarded');
    life.podGone(500, 'west', 1, first);
    expect(verifyPlacements(life.events)).toMatchObject({
      ...NOTHING,
      unseen: [{ type: 'after-grant', from: at(60), until: null }],
    });
  });

  it('is found although the clock of the cluster where the pod ran is an hour behind', () => {
    const life = aPlacedLife();
    life.clock('west', -3600);
    life.gives(0, 'west', 1);
    life.created(1, 'west', 1);
    life.pod('west', 1, { index: 0, from: 10, until: 90 });
    life.ends(60, 'west', 1, 'stopped');
    expect(verifyPlacements(life.events).findings).toMatchObject([{ type: 'after-grant' }]);
  });
});

describe('an index that ran again after its success (J-16.10)', () => {
  it('is found when the home had counted the success', () => {
    const life = aDrainedLife();
    const again = life.pod('north', 2, { index: 0, from: 60, until: 70 });
    expect(verifyPlacements(life.events)).toMatchObject({
      ...NOTHING,
      findings: [{ type: 'repeated', index: 0, pods: [again], from: at(60), until: at(70) }],
    });
  });

  it('is found when a replaced member of the same grant had counted the success', () => {
    const life = aPlacedLife();
    life.gives(0, 'west', 1);
    life.created(1, 'west', 1);
    life.pod('west', 1, { index: 0, from: 3, until: 20 });
    life.counts(21, 'west', 1, '0');
    life.counts(30, 'west', 1, '', { uid: 'second', mark: 'decision-1' });
    life.ends(45, 'west', 1, 'gone');
    life.gives(46, 'north', 2);
    life.created(47, 'north', 2);
    const again = life.pod('north', 2, { index: 0, from: 60, until: 70 });
    expect(verifyPlacements(life.events)).toMatchObject({
      ...NOTHING,
      missing: [{ cluster: 'west' }],
      findings: [{ type: 'repeated', index: 0, pods: [again], from: at(60), until: at(70) }],
    });
  });

  it('is found when a stopped member had not counted the success', () => {
    const life = aPlacedLife();
    life.gives(0, 'west', 1);
    life.created(1, 'west', 1);
    const first = life.pod('west', 1, { index: 0, from: 3, until: 20 });
    life.ends(45, 'west', 1, 'stopped');
    life.gives(46, 'north', 2);
    life.created(47, 'north', 2);
    const again = life.pod('north', 2, { index: 0, from: 60, until: 70 });
    expect(verifyPlacements(life.events)).toMatchObject({
      ...NOTHING,
      findings: [{ type: 'repeated', index: 0, clusters: ['west', 'north'], pods: [first, again] }],
    });
  });

  it('is accepted when its Job had released the pod before the success, as a suspended Job does (B-15)', () => {
    const life = aPlacedLife();
    life.gives(0, 'west', 1);
    life.created(1, 'west', 1);
    life.pod('west', 1, { index: 0, from: 3, until: 20, isReleased: true });
    life.ends(45, 'west', 1, 'stopped');
    life.gives(46, 'north', 2);
    life.created(47, 'north', 2);
    life.pod('north', 2, { index: 0, from: 60, until: 70 });
    expect(verifyPlacements(life.events)).toMatchObject(NOTHING);
  });

  it('is accepted when the author of the Job asked for fewer completions after the success, and then for more', () => {
    const repeatedAfter = (fewest: number) => {
      const life = aDrainedLife();
      life.placed(0, 4);
      life.placed(50, fewest);
      life.placed(55, 4);
      life.pod('north', 2, { index: 0, from: 60, until: 70 });
      return verifyPlacements(life.events).findings.map(({ type }) => type);
    };
    expect([repeatedAfter(0), repeatedAfter(1)]).toEqual([[], ['repeated']]);
  });

  it('is found when the Job had fewer completions only before the success, however often they changed', () => {
    const repeatedAfter = (...changes: [number, number][]) => {
      const life = aPlacedLife();
      life.placed(0, 4);
      life.gives(1, 'west', 1);
      life.created(2, 'west', 1);
      life.placed(20, 1);
      life.placed(40, 4);
      life.pod('west', 1, { index: 2, from: 60, until: 80 });
      life.counts(81, 'west', 1, '2');
      for (const [after, completions] of changes) life.placed(after, completions);
      life.ends(150, 'west', 1, 'stopped');
      life.gives(151, 'north', 2);
      life.created(152, 'north', 2);
      life.pod('north', 2, { index: 2, from: 160, until: 170 });
      return verifyPlacements(life.events).findings.map(({ type }) => type);
    };
    expect(repeatedAfter()).toEqual(['repeated']);
    expect(repeatedAfter([100, 2], [110, 4])).toEqual([]);
    expect(repeatedAfter([100, 3], [110, 4])).toEqual(['repeated']);
  });

  it('is accepted when the success in a guarded member was never counted', () => {
    const { life } = aMovedLife('guarded', 50, 'Succeeded');
    expect(verifyPlacements(life.events)).toMatchObject(NOTHING);
  });
});

describe('a Job with the annotation of a grant but without a recorded creation', () => {
  it('is found after a recorded refusal when an earlier request had created the Job', () => {
    const life = aPlacedLife();
    life.gives(0, 'west', 1);
    life.seen(1, 'west', 1, 'west-1', null, 'decision-1');
    life.answers(2, { kind: 'CreateMember', result: 'failed', error: { status: 403, message: 'quota' } });
    life.ends(3, 'west', 1, 'refused');
    life.gives(4, 'north', 2);
    life.created(5, 'north', 2);
    const first = life.pod('west', 1, { index: 0, from: 10, until: 600 });
    const second = life.pod('north', 2, { index: 0, from: 10, until: 600 });
    expect(verifyPlacements(life.events)).toMatchObject({
      ...NOTHING,
      findings: [
        {
          type: 'after-grant',
          index: 0,
          clusters: ['west', 'north'],
          from: at(10),
          until: at(600),
          pods: [first, second],
          message: `the pod ${first} started 7.0 s after west had lost the Job (refused)`,
        },
      ],
    });
  });

  it('is found when a person or a restored copy created the Job again after the end of the grant', () => {
    const { life } = aMovedLife('gone', 50);
    life.seen(80, 'west', 1, 'again', null, 'decision-1');
    const again = life.pod('west', 1, { index: 0, from: 81, until: 95 }, 'again');
    expect(verifyPlacements(life.events).findings).toMatchObject([
      { type: 'after-grant', index: 0, clusters: ['west', 'north'], pods: [again, expect.any(String)] },
    ]);
  });

  it('is found in a cluster that never had the Job', () => {
    const life = aDrainedLife();
    life.seen(5, 'south', 1, 'copied', null, 'decision-1');
    const copied = life.pod('south', 1, { index: 0, from: 6, until: 20 }, 'copied');
    expect(verifyPlacements(life.events).findings).toMatchObject([
      {
        type: 'before-grant',
        pods: [copied, expect.any(String)],
        clusters: ['south', 'west'],
        message: `the pod ${copied} ran in south, which never had the Job`,
      },
    ]);
  });
});

describe('a forged grant annotation on a Job', () => {
  it('makes no Job a member, whatever the annotation names and wherever the facts of the Job are recorded', () => {
    const life = aDrainedLife();
    life.seen(5, 'west', 1, 'forged');
    life.counts(5, 'west', 1, '0-9', { uid: 'forged' });
    life.pod('west', 1, { index: 1, from: 50, until: 200 }, 'forged');
    expect(verifyPlacements(life.events)).toEqual({ jobs: 1, grants: 2, ...NOTHING, clocks: [] });
  });
});

describe('the verification of the end of a placed Job (J-16.8)', () => {
  const spec = { completionMode: 'Indexed', completions: 4, parallelism: 4 } as const;
  const isComplete = (completedIndexes: string, reason = 'CompletionsReached') => ({
    completedIndexes,
    conditions: [{ type: 'Complete', status: 'True', reason }],
  });

  it.each([
    ['all of its indexes are completed', isComplete('0-3'), spec],
    ['its success policy is met', isComplete('0', 'SuccessPolicy'), spec],
    ['it has no indexes', { succeeded: 2, conditions: isComplete('').conditions }, { completions: 2 }],
  ])('reports no fault when %s', (_when, status, of) => {
    const { events, writes } = aDrainedLife();
    writes(95, status, of);
    expect(verifyPlacements(events)).toMatchObject(NOTHING);
  });

  it('reports no fault when the Job asks for more pods than at the time of its success', () => {
    const { events, writes } = aDrainedLife();
    const met = { type: 'SuccessCriteriaMet', status: 'True', reason: 'CompletionsReached' } as const;
    writes(95, isComplete('0-1'), spec, {}, { completedIndexes: '0-1', conditions: [met] });
    expect(verifyPlacements(events)).toMatchObject(NOTHING);
  });

  it('reports a fault when the Job asks for more indexes than the member had when the member completed', () => {
    const { events, writes } = aDrainedLife();
    writes(95, isComplete('0-1'), spec);
    expect(verifyPlacements(events).findings).toEqual([
      {
        type: 'incomplete',
        job: 'east/team/pi',
        index: null,
        clusters: ['east'],
        from: at(96),
        until: null,
        pods: [],
        message: 'the Job became Complete with 2 of 4 completions',
      },
    ]);
  });

  it.each([false, true])(
    'reports a fault when the Job asks for more indexes and only the watch shows this change (status written again: %s)',
    (again) => {
      const { events, writesUnanswered } = aDrainedLife();
      writesUnanswered(95, isComplete('0-1'), spec, again);
      expect(verifyPlacements(events).findings).toMatchObject([
        { type: 'incomplete', from: at(97), message: 'the Job became Complete with 2 of 4 completions' },
      ]);
    },
  );

  it('reports no fault when the watch shows a later change of completions, or that all indexes are completed', () => {
    const more = aDrainedLife();
    more.writesUnanswered(95, isComplete('0-3'), { ...spec, completions: 6, parallelism: 6, generation: 2 });
    expect(verifyPlacements(more.events)).toMatchObject(NOTHING);
    const all = aDrainedLife();
    all.writesUnanswered(95, isComplete('0-3'), spec);
    expect(verifyPlacements(all.events)).toMatchObject(NOTHING);
  });
});
