import { describe, expect, it } from '@jest/globals';
import type { Gang } from '../../../../workflows/job/gang.ts';
import type { OutcomeRecorded } from '../../../../workflows/job/events.ts';
import type { Unstamped } from '../../../../workflows/ledger/recorded-event.ts';
import type { Outcome as CommandOutcome } from '../../../../workflows/job/outcomes.ts';
import type { JobSpec, JobStatus } from '../../../../workflows/kubernetes/objects.ts';
import { aJob, aPod, at, START, type JobFields, type JobSeen } from '../../../support/builders.ts';
import { given, type Given, type Outcome } from '../../../support/given.ts';

const GANG = { workload: 'pi-76d6bd77c4', podGroup: 'pi-76d6bd77c4-pi-pgt-0-bcdf' };
const NONE = { none: 'the Job is not new, and no Workload refers to it' };
const SERVED = { gangScheduling: 'served' } as const;

/** A Job whose three indexes all run at once. */
function aGangJob(fields: JobFields = {}): JobSeen {
  return aJob({ completionMode: 'Indexed', completions: 3, parallelism: 3, ...fields });
}

function served(job: JobSeen): Given {
  return given(job).under(SERVED);
}

type GangOutcome = Extract<CommandOutcome, { kind: 'EnsureGang' }>;

/** After the outcome of its only command. */
function answeredWith(asked: Outcome, outcome: GangOutcome): Given {
  return asked.recorded().and(outcomeFact(outcome));
}

function outcomeFact(outcome: CommandOutcome, command = 0): Unstamped<OutcomeRecorded> {
  const id = `outcome ${command}`;
  const data = { cluster: 'east', jobUid: '', decision: 'decision', command, attempt: 1, outcome };
  return { id, source: '', subject: '', digest: id, type: 'outcome.recorded', data };
}

function withGang(gang: Gang, job = aGangJob()): Given {
  return answeredWith(served(job).when(null), { kind: 'EnsureGang', result: 'done', gang, at: START });
}

function createdPodGroups({ verdict }: Outcome): (string | undefined)[] {
  return verdict.commands.flatMap((each) => (each.kind === 'CreatePods' ? [each.podGroup] : []));
}

describe('a Job with gang scheduling (J-3.50 step 10)', () => {
  it('gets its gang before its pods when all its indexes run at the same time', () => {
    const asked = served(aGangJob()).when(null);
    asked.thenCommands('gang of 3').thenBecause('J-8.2: all 3 indexes run at once, so their pods are a gang');
    expect(asked.verdict.commands[0]).toMatchObject({
      workload: {
        name: expect.stringMatching(/^pi-[b-z0-9]{10}$/),
        podGroupTemplate: 'pi-pgt-0',
        minCount: 3,
      },
    });
  });

  it('gets its gang even while it is suspended', () => {
    served(aGangJob({ suspend: true }))
      .when(null)
      .thenCommands('gang of 3');
  });

  it('creates its pods after its gang, and all pods join the PodGroup (J-8.8)', () => {
    const created = withGang(GANG).when(null).thenCommands('+3', 'status');
    expect(createdPodGroups(created)).toEqual([GANG.podGroup]);
  });

  it('creates its pods without a group when it has no gang (J-8.3)', () => {
    const created = withGang(NONE).when(null).thenCommands('+3', 'status');
    expect(created.verdict.commands[0]).not.toHaveProperty('podGroup');
  });
});

describe('a gang (J-8.2)', () => {
  it.each<[string, Partial<JobSpec>]>([
    ['a NonIndexed Job', { completionMode: 'NonIndexed' }],
    ['a Job with the default completionMode', { completionMode: undefined as never }],
    ['a Job with a single pod', { completions: 1, parallelism: 1 }],
    ['a Job with the default parallelism', { completions: 1, parallelism: undefined as never }],
    ['a Job that runs some indexes at a time', { completions: 5, parallelism: 3 }],
    ['a Job with more parallelism than indexes', { completions: 2, parallelism: 3 }],
    ['a Job without completions', { completions: undefined as never }],
  ])('is not created for %s', (_job, spec) => {
    const { verdict } = served(aGangJob(spec)).when(null);
    expect(verdict.commands.map(({ kind }) => kind)).not.toContain('EnsureGang');
  });

  it('is not created for a Job whose template names a scheduling group, because a higher controller manages that group (J-8.11)', () => {
    const job = aGangJob();
    const optedOut: JobSeen = { ...job, job: { ...job.job, hasSchedulingGroup: true } };
    served(optedOut).when(null).thenCommands('+3', 'status');
  });

  it('is not created for a Job that is being deleted', () => {
    served(aGangJob({ deleting: true }))
      .when(null)
      .thenCommands('status');
  });

  it('is not created for a Job that has finished', () => {
    const conditions = [{ type: 'Complete', status: 'True' }];
    served(aGangJob({ status: { conditions } }))
      .when(null)
      .thenCommands();
  });

  it('is not created for a Job of another controller', () => {
    served(aGangJob({ managedBy: 'acme.io/other' }))
      .when(null)
      .thenCommands();
  });
});

describe('a Job without gang scheduling (J-8.1)', () => {
  it.each([
    ['gang scheduling is off', {}],
    ['it is not known whether the cluster serves the API', { gangScheduling: 'where-served' }],
    ['the cluster does not serve the API', { gangScheduling: 'not-served' }],
  ] as const)('creates its pods at once when %s', (_case, settings) => {
    given(aGangJob()).under(settings).when(null).thenCommands('+3', 'status');
  });
});

describe('a Job that is not new (J-8.3)', () => {
  const because = 'J-8.3: the Job is not new: its pods are a gang only if it already has a Workload';

  it.each<[string, JobStatus]>([
    ['it has a start time', { startTime: at(0) }],
    ['pods have succeeded', { succeeded: 1 }],
    ['pods have failed', { failed: 1 }],
    ['it was suspended', { conditions: [{ type: 'Suspended', status: 'True' }] }],
    ['it was resumed', { conditions: [{ type: 'Suspended', status: 'False' }] }],
  ])('looks up an existing Workload, and creates none, because %s', (_case, status) => {
    served(aGangJob({ status })).when(null).thenCommands('look up gang').thenBecause(because);
  });

  it('looks up an existing Workload, and creates none, because it has a pod', () => {
    const job = served(aGangJob()).and(aPod({ index: 0, ordinal: 0 }));
    job.when(null).thenCommands('look up gang').thenBecause(because);
  });
});

describe('the single decision about a gang (B-12)', () => {
  it.each([
    ['a PodGroup', GANG],
    ['no gang', NONE],
  ])('remains in the state when the Job is observed again: %s', (_case, gang) => {
    const again = withGang(gang).and(aGangJob({ generation: 2, status: { startTime: at(0) } }));
    expect(again.state.gang).toEqual(gang);
    again.when(null).thenCommands('+3', 'status');
  });

  it('applies to a replaced pod, which joins the same group, also after gang scheduling was switched off', () => {
    const status = { startTime: at(0), active: 2, ready: 0, terminating: 0, failed: 1 };
    const later = withGang(GANG)
      .and(aGangJob({ status }), aPod({ index: 0, ordinal: 0 }), aPod({ index: 2, ordinal: 0 }))
      .under({ gangScheduling: 'not-served' })
      .when(null);
    expect(createdPodGroups(later)).toEqual([GANG.podGroup]);
  });

  it('applies to a suspended and resumed Job, which retains its gang (J-8.10)', () => {
    const suspended = withGang(GANG, aGangJob({ suspend: true }));
    const conditions = [{ type: 'Suspended', status: 'True' }];
    const resumed = suspended.and(aGangJob({ suspend: false, generation: 2, status: { conditions } }));
    expect(createdPodGroups(resumed.when(null))).toEqual([GANG.podGroup]);
  });
});

describe('errors of the API about a gang', () => {
  const error = { status: 403, reason: 'Forbidden', message: 'refused by a webhook' };
  const refused = (): Given =>
    answeredWith(served(aGangJob()).when(null), { kind: 'EnsureGang', result: 'failed', error, at: START });

  it('delay every other command, also the creation of pods (J-3.50 step 10)', () => {
    refused().when(null, { after: 0.5 }).thenCommands().thenLookAgain(1).thenWaitsBy('J-3.2');
  });

  it('are followed by another attempt of the command a second later', () => {
    refused().when(null, { after: 1 }).thenCommands('gang of 3');
  });

  it('delay nothing any more when the spec changes so that the Job has no gang', () => {
    refused()
      .when(aGangJob({ parallelism: 2, generation: 2 }), { after: 0.5 })
      .thenCommands('+2', 'status');
  });
});

it('a Job counts as deleted when the command about its gang finds that it does not exist', () => {
  const asked = served(aGangJob()).when(null);
  const after = answeredWith(asked, { kind: 'EnsureGang', result: 'gone', at: START });
  expect(after.state.jobGone).toBe(true);
});
