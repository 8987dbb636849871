import { describe, expect, it } from '@jest/globals';
import { fold } from '../../../../workflows/job/evolve/evolve.ts';
import type { JobStatus } from '../../../../workflows/kubernetes/objects.ts';
import {
  aJob,
  anAwaitedJob,
  userRequest,
  at,
  jobDeleted,
  type JobFields,
} from '../../../support/builders.ts';
import { given, givenState, type Given } from '../../../support/given.ts';

const AFTER = 'jobledger.dev/after';
/** As the first sync of a suspended Job has written it. */
const status: JobStatus = {
  ready: 0,
  terminating: 0,
  conditions: [
    {
      type: 'Suspended',
      status: 'True',
      reason: 'JobSuspended',
      message: 'Job suspended',
      lastProbeTime: at(0),
      lastTransitionTime: at(0),
    },
  ],
};

function aChained(after: string, fields: JobFields = {}): ReturnType<typeof aJob> {
  return aJob({ suspend: true, status, annotations: { [AFTER]: after }, ...fields });
}

function waiting(after: string, fields: JobFields = {}): Given {
  return given(aChained(after, fields));
}

const running = (name: string): ReturnType<typeof anAwaitedJob> => anAwaitedJob({ name });
const complete = (name: string): ReturnType<typeof anAwaitedJob> =>
  anAwaitedJob({ name, end: 'Complete', reason: 'CompletionsReached' });
const failed = (name: string): ReturnType<typeof anAwaitedJob> =>
  anAwaitedJob({ name, end: 'Failed', reason: 'BackoffLimitExceeded' });
const missing = (name: string): ReturnType<typeof anAwaitedJob> => anAwaitedJob({ name, missing: true });

describe('a suspended Job with jobledger.dev/after (J-12.6)', () => {
  it.each([
    ['Succeeded', complete],
    ['Failed', failed],
    ['Finished', complete],
    ['Finished', failed],
  ])('is resumed when it waits for %s and the awaited Job ends in that way', (end, ended) => {
    waiting(`a=${end}`)
      .and(running('a'))
      .when(ended('a'))
      .thenCommands('resume')
      .thenWaitsBy(null)
      .thenLookAgain(null);
  });

  it('waits for all named Jobs, with a reason to wait that lists the Jobs that have not ended', () => {
    const job = waiting('a, b=Finished,c = Failed').and(running('a'), running('b'), running('c'));
    job
      .when(null)
      .thenCommands()
      .thenWaitsBy('J-12.6', 'suspended until Job a succeeds; Job b finishes; Job c fails');
    job
      .and(complete('a'))
      .when(complete('b'))
      .thenCommands()
      .thenWaitsBy('J-12.6', 'suspended until Job c fails');
    job
      .and(complete('a'), failed('b'))
      .when(failed('c'))
      .thenCommands('resume')
      .thenBecause(
        'J-12.6: Job a succeeded at 2026-03-01T12:00:05.000Z (CompletionsReached); Job b failed at 2026-03-01T12:00:05.000Z (BackoffLimitExceeded); Job c failed at 2026-03-01T12:00:05.000Z (BackoffLimitExceeded): the Job is resumed',
      );
  });

  it('has a reason to wait that names three of five awaited Jobs, and the number of the others', () => {
    waiting('a,b,c,d,e')
      .when(null)
      .thenWaitsBy('J-12.6', 'suspended until Job a succeeds; Job b succeeds; Job c succeeds; and 2 more');
  });

  it('waits without an Event for Jobs that are not recorded yet', () => {
    waiting('a')
      .when(null)
      .thenCommands()
      .thenWaitsBy('J-12.6', 'suspended until Job a succeeds')
      .thenLookAgain(null);
  });

  it('reports a missing Job once after ten seconds, and is resumed when that Job has been created and has ended', () => {
    const job = waiting('a').and(missing('a'));
    job.when(null, { after: 3 }).thenCommands().thenLookAgain(10);
    const reported = job.when(null, { after: 10 });
    reported
      .thenReports(
        `Warning AwaitedJobMissing: ${AFTER}: suspended until Job a succeeds, which does not exist`,
      )
      .thenWaitsBy('J-12.6', 'suspended until Job a succeeds, which does not exist')
      .thenLookAgain(null);
    reported.recorded().when(null, { after: 11 }).thenCommands();
    reported.recorded().and(running('a')).when(complete('a'), { after: 20 }).thenCommands('resume');
  });

  it('does not report a Job that is created within ten seconds', () => {
    waiting('a').and(missing('a')).when(running('a'), { after: 30 }).thenCommands();
  });

  it('reports that an awaited Job ended in another way than awaited, and stays suspended', () => {
    const reported = waiting('a').and(running('a')).when(failed('a'));
    const what = 'Job a succeeds, which failed at 2026-03-01T12:00:05.000Z (BackoffLimitExceeded)';
    reported
      .thenReports(
        `Warning AwaitedJobEndedOtherwise: ${AFTER}: suspended until ${what}; resume the Job by hand, or create the Job a anew`,
      )
      .thenWaitsBy('J-12.6', `suspended until ${what}`);
    reported.recorded().when(null, { after: 60 }).thenCommands();
  });

  it('waits for the newer Job when a Job is created under the name of an ended Job', () => {
    const ended = waiting('a, b').and(complete('a'), running('b'));
    const job = ended.and(anAwaitedJob({ name: 'a', uid: 'anew' }));
    job.when(complete('b')).thenCommands().thenWaitsBy('J-12.6', 'suspended until Job a succeeds');
    job
      .and(complete('b'))
      .when(anAwaitedJob({ name: 'a', uid: 'anew', end: 'Complete' }))
      .thenCommands('resume');
  });

  it('counts an awaited Job as ended when that Job was deleted after its end', () => {
    waiting('a, b')
      .and(complete('a'), running('b'), anAwaitedJob({ name: 'a', gone: true }))
      .when(complete('b'))
      .thenCommands('resume');
  });

  it('reports an awaited Job at once as missing when that Job was deleted before its end', () => {
    waiting('a')
      .and(running('a'))
      .when(anAwaitedJob({ name: 'a', gone: true }))
      .thenReports(
        `Warning AwaitedJobMissing: ${AFTER}: suspended until Job a succeeds, which was deleted before it ended`,
      );
  });

  it('ignores the late deletion of an awaited Job whose name a newer Job already has', () => {
    waiting('a')
      .and(running('a'), anAwaitedJob({ name: 'a', uid: 'anew' }))
      .when(anAwaitedJob({ name: 'a', gone: true, version: '999999' }))
      .thenCommands()
      .thenWaitsBy('J-12.6', 'suspended until Job a succeeds');
  });

  it.each([
    ['itself', 'pi', [], 'pi → pi'],
    ['a Job that waits for it', 'a', [['a', ['pi']]], 'pi → a → pi'],
    [
      'a Job in a cycle of three Jobs',
      'x, a',
      [
        ['x', []],
        ['a', ['b']],
        ['b', ['pi']],
      ],
      'pi → a → b → pi',
    ],
    [
      'a Job in a cycle of four Jobs',
      'a',
      [
        ['a', ['b']],
        ['b', ['c']],
        ['c', ['x', 'pi']],
      ],
      'pi → a → b → c → pi',
    ],
  ] as [string, string, [string, string[]][], string][])(
    'is not resumed, and one Event names the cycle, when it waits for %s',
    (_words, after, others, cycle) => {
      const facts = others.map(([name, waitsFor]) => anAwaitedJob({ name, waitsFor }));
      const refused = waiting(after)
        .and(...facts)
        .when(null);
      refused
        .thenReports(`Warning ChainCycle: ${AFTER}: the Job waits for itself: ${cycle}`)
        .thenWaitsBy('J-12.6', `the Job waits for itself: ${cycle}`);
      refused.recorded().when(null, { after: 60 }).thenCommands();
    },
  );

  it('is resumed after another Job of its cycle has stopped waiting, and its awaited Job has ended', () => {
    const job = waiting('a').and(anAwaitedJob({ name: 'a', waitsFor: ['pi'] }));
    job.and(running('a')).when(complete('a')).thenCommands('resume');
  });

  it('is not resumed through a cycle even if every Job of the cycle had already ended', () => {
    waiting('pi=Finished')
      .when(complete('pi'))
      .thenReports(`Warning ChainCycle: ${AFTER}: the Job waits for itself: pi → pi`);
  });

  it('gets a Warning when it waits, directly or through others, for more than 100 Jobs', () => {
    const many = (from: string): string[] => Array.from({ length: 100 }, (_, at_) => `${from}${at_}`);
    const warned = waiting('a').when(anAwaitedJob({ name: 'a', waitsFor: many('b') }));
    expect(warned.verdict.commands).toMatchObject([
      { kind: 'EmitEvents', events: [{ type: 'Warning', reason: 'ChainTooLarge' }] },
    ]);
  });

  it('repeats its resumption when the API server has refused it', () => {
    const { state } = waiting('a').when(complete('a'));
    const retries = { SetSuspend: { errors: 1, until: Date.parse(at(2)), message: 'no' } };
    const held = givenState({ ...state, retries });
    held.when(null, { after: 1 }).thenCommands().thenWaitsBy('J-3.2').thenLookAgain(2);
    held.when(null, { after: 2 }).thenCommands('resume');
  });
});

describe('a chain whose Job is resumed or deleted (J-12.6)', () => {
  const job = waiting('a').and(running('a'));
  const resume = (): Given => job.and(aChained('a', { suspend: false, generation: 2 }));

  it('does not resume its Job again after a user resumed the Job', () => {
    resume()
      .and(complete('a'))
      .when(aChained('a', { generation: 3 }))
      .thenWaitsBy(null);
    expect(resume().state.chain).toEqual({ phase: 'over', awaited: {}, reported: [] });
  });

  it('leaves a later suspension to the user after the chain has resumed the Job', () => {
    const again = job
      .and(complete('a'), aChained('a', { suspend: false, generation: 2 }))
      .when(aChained('a', { generation: 3 }));
    again.thenCommands().thenWaitsBy(null);
  });

  it('does not prevent a user from resuming the Job, and the decision names the user', () => {
    job.when(userRequest('resume')).thenCommands('resume').thenBecause('J-6.42: resume asked for by ann');
  });

  it('is over when the Job is deleted', () => {
    expect(job.and(jobDeleted()).state.chain.phase).toBe('over');
  });
});

describe('a Job that was not created with both spec.suspend and jobledger.dev/after', () => {
  it('does not wait for the named Job, and an Event reports that the annotation is ignored (J-12.8)', () => {
    const reported = given(aChained('a', { suspend: false, status: {} })).when(null);
    expect(reported.verdict.commands[0]).toMatchObject({
      kind: 'EmitEvents',
      events: [
        {
          reason: 'InvalidAnnotation',
          message: `${AFTER} is ignored: the Job was not created with spec.suspend: true`,
        },
      ],
    });
    const suspendedLater = reported.recorded().and(aChained('a', { generation: 2 }));
    expect(suspendedLater.and(complete('a')).when(null).verdict.waiting).toBeNull();
  });

  it('has a chain if it gets the annotation while it is still suspended', () => {
    given(aJob({ suspend: true, status }))
      .and(aChained('a'))
      .when(complete('a'))
      .thenCommands('resume');
  });
});

describe('the Jobs for which a Job waits', () => {
  it('are removed from the state when neither the Job nor its predecessors name them any more', () => {
    const job = waiting('a').and(anAwaitedJob({ name: 'a', waitsFor: ['b'] }), running('b'));
    expect(Object.keys(job.state.chain.awaited)).toEqual(['a', 'b']);
    expect(Object.keys(job.and(running('a')).state.chain.awaited)).toEqual(['a']);
    expect(job.and(aChained('c')).state.chain.awaited).toEqual({});
  });

  it('are not changed in the state by a repeated fact, nor by a fact about a Job that is not awaited', () => {
    const first = running('a');
    const { state } = waiting('a').and(first);
    for (const fact of [first, running('other'), anAwaitedJob({ name: 'a' })])
      expect(fold(state, [fact])).toEqual(state);
  });
});
