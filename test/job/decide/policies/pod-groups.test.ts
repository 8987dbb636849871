import { describe, expect, it } from '@jest/globals';
import type { OutcomeRecorded } from '../../../../workflows/job/events.ts';
import type { Unstamped } from '../../../../workflows/ledger/recorded-event.ts';
import type { Gang } from '../../../../workflows/job/gang.ts';
import type { JobScheduling } from '../../../../workflows/kubernetes/objects.ts';
import { aJob, aPod, at, START, type JobFields, type JobSeen } from '../../../support/builders.ts';
import { given, type Given, type Outcome } from '../../../support/given.ts';

const NEW_API = { gangScheduling: 'v1beta1' } as const;
const WORKLOAD = 'pi-76d6bd77c4';
const GROUP = { workload: WORKLOAD, podGroup: `${WORKLOAD}-pi-pgt-0-x` };

function aGang(minCount?: number): JobScheduling {
  return { schedulingPolicy: { gang: minCount === undefined ? {} : { minCount } } };
}

/** A Job with these facts besides its fields. */
function seen(facts: Partial<JobSeen['job']>, fields: JobFields = {}): JobSeen {
  const { job, ...others } = aJob(fields);
  return { ...others, job: { ...job, ...facts } };
}

function deciding(job: JobSeen): Outcome {
  return given(job).under(NEW_API).when(null);
}

/** What the first command of the decision ensures. */
function ensured({ verdict }: Outcome): object | undefined {
  const [command] = verdict.commands;
  return command?.kind === 'EnsureGang' ? command.group : undefined;
}

function after(asked: Outcome, gang: Gang): Given {
  const outcome = { kind: 'EnsureGang', result: 'done', gang, at: START } as const;
  const data = { cluster: 'east', jobUid: '', decision: 'decision', command: 0, attempt: 1, outcome };
  const event: Unstamped<OutcomeRecorded> = {
    id: `outcome ${asked.verdict.commands.length}`,
    source: '',
    subject: '',
    digest: 'outcome',
    type: 'outcome.recorded',
    data,
  };
  return asked.recorded().and(event).under(NEW_API);
}

describe('a new Job under the PodGroup feature (J-8.20, J-8.21)', () => {
  it.each<[string, JobFields]>([
    ['NonIndexed', { parallelism: 3 }],
    ['with a single pod', {}],
    ['Indexed, with all indexes at once', { completionMode: 'Indexed', completions: 3, parallelism: 3 }],
    ['with the policy basic', { scheduling: { schedulingPolicy: { basic: {} } } }],
  ])('gets, before its pods, a PodGroup without a gang: %s', (_case, fields) => {
    const asked = deciding(aJob(fields));
    asked.thenBecause('J-8.21: the pods of the Job have a PodGroup, and are scheduled one by one');
    expect(ensured(asked)).toEqual({
      own: {
        workload: expect.stringMatching(/^pi-[b-z0-9]{9,10}$/),
        podGroupTemplate: 'pi-pgt-0',
        podGroup: expect.stringMatching(/^pi-[b-z0-9]{9,10}-pi-pgt-0-[b-z0-9]{9,10}$/),
      },
      create: true,
    });
  });

  it.each<[string, number | undefined, JobScheduling, number]>([
    ['of the given size', 4, aGang(2), 2],
    ['of the size of the Job by default', 4, aGang(), 4],
    ['of the default parallelism', undefined, aGang(), 1],
    ['of one pod at least', 0, aGang(), 1],
  ])('gets, before its pods, a PodGroup with a gang %s', (_case, parallelism, scheduling, minCount) => {
    const asked = deciding(aJob({ ...(parallelism !== undefined && { parallelism }), scheduling }));
    asked.thenBecause(`J-8.21: the Job asks for a gang of at least ${minCount} pods`);
    expect(ensured(asked)).toMatchObject({ minCount, create: true });
  });

  it('gets a PodGroup even while it is suspended', () => {
    expect(ensured(deciding(aJob({ suspend: true })))).toMatchObject({ create: true });
  });

  it('creates its pods after the PodGroup, and the pods join the PodGroup', () => {
    const created = after(deciding(aJob({ parallelism: 2 })), { ...GROUP, api: 'v1beta1', generation: 1 });
    const [command] = created.when(null).thenCommands('+2', 'status').verdict.commands;
    expect(command).toMatchObject({ podGroup: GROUP.podGroup });
  });
});

describe('a PodGroup (J-8.22)', () => {
  it.each<[string, Partial<JobSeen['job']>]>([
    ['its pods name a group', { hasSchedulingGroup: true }],
    ['another object controls it', { controlled: true }],
    [
      'its owner leaves the group to Jobledger, but its pods name a group',
      { controlled: true, delegated: true, hasSchedulingGroup: true },
    ],
  ])('is not created for a Job when %s', (_case, facts) => {
    deciding(seen(facts)).thenCommands('+1', 'status');
  });

  it.each<[string, JobSeen]>([
    ['that is being deleted', aJob({ deleting: true })],
    ['of another controller', aJob({ managedBy: 'acme.io/other' })],
    ['that has finished', aJob({ status: { conditions: [{ type: 'Complete', status: 'True' }] } })],
  ])('is not created for a Job %s', (_case, job) => {
    const kinds = deciding(job).verdict.commands.map(({ kind }) => kind);
    expect(kinds).not.toContain('EnsureGang');
  });

  it('is created for a Job whose owner leaves the group to Jobledger, as the Workload of the owner describes the group', () => {
    const asked = deciding(seen({ controlled: true, delegated: true }, { scheduling: aGang(3) }));
    asked.thenBecause('J-8.22: the owner of the Job leaves its PodGroup to us');
    expect(ensured(asked)).toEqual({ create: true });
  });

  it('is created, as for any Job, when a Job without owner has the annotation by which an owner leaves the group to Jobledger', () => {
    expect(ensured(deciding(seen({ delegated: true })))).toHaveProperty('own');
  });
});

describe('a Job that is not new (J-8.23)', () => {
  it.each<[string, JobSeen]>([
    ['it has a start time', aJob({ status: { startTime: at(0) } })],
    ['it was suspended', aJob({ status: { conditions: [{ type: 'Suspended', status: 'True' }] } })],
  ])('gets no new PodGroup, but uses an existing PodGroup, because %s', (_case, job) => {
    const asked = deciding(job);
    asked.thenBecause(
      'J-8.23: the Job is not new, so no PodGroup is created; its pods use a PodGroup only if that PodGroup already exists',
    );
    expect(ensured(asked)).toMatchObject({ create: false });
  });

  it('creates its pods without a PodGroup when none exists', () => {
    const asked = deciding(aJob({ status: { startTime: at(0) } }));
    const without = after(asked, { none: 'nothing is there' }).when(null);
    without.thenCommands('+1', 'status');
    expect(without.verdict.commands[0]).not.toHaveProperty('podGroup');
  });
});

describe('the template of a Workload (J-8.24)', () => {
  it.each([
    ['a'.repeat(57), `${'a'.repeat(57)}-pgt-0`],
    ['a'.repeat(58), 'pgt-0'],
    ['with.dots', 'pgt-0'],
  ])('gets a valid name: %s becomes %s', (name, podGroupTemplate) => {
    expect(ensured(deciding(seen({ name })))).toMatchObject({ own: { podGroupTemplate } });
  });
});

describe('the size of a gang (J-8.26)', () => {
  const four = aJob({ parallelism: 4, scheduling: aGang(4) });
  const withGang = (minCount?: number, job = four): Given =>
    after(deciding(job), {
      ...GROUP,
      api: 'v1beta1',
      generation: 1,
      ...(minCount !== undefined && { minCount }),
    });

  it('follows spec.scheduling, also while pods run', () => {
    const changed = aJob({
      parallelism: 4,
      scheduling: aGang(2),
      generation: 2,
      status: { startTime: at(0) },
    });
    const asked = withGang(4)
      .and(changed, aPod({ ordinal: 0 }))
      .when(null);
    asked.thenBecause('J-8.26: the gang has at least 2 pods now, 4 before');
    expect(ensured(asked)).toMatchObject({ own: GROUP, minCount: 2, create: false });
  });

  it('follows parallelism by default', () => {
    const job = aJob({ parallelism: 4, scheduling: aGang() });
    const asked = withGang(4, job).when(aJob({ parallelism: 6, scheduling: aGang(), generation: 2 }));
    expect(ensured(asked)).toMatchObject({ minCount: 6 });
  });

  it('is not adjusted when the PodGroup is no gang', () => {
    withGang(undefined)
      .when(aJob({ parallelism: 4, scheduling: aGang(2), generation: 2 }))
      .thenCommands('+4', 'status');
  });

  it('is taken again from the Workload of the owner at each change of the Job', () => {
    const facts = { controlled: true, delegated: true } as const;
    const followed = after(deciding(seen(facts)), { ...GROUP, api: 'v1beta1', minCount: 3, generation: 1 });
    followed.when(null).thenCommands('+1', 'status');
    const asked = followed.when(seen(facts, { parallelism: 5, generation: 2 }));
    asked.thenBecause('J-8.26: the Job has changed: its PodGroup gets the size in the Workload of its owner');
    expect(ensured(asked)).toEqual({ create: false });
  });
});

describe('a gang of Kubernetes 1.36 (J-8.27)', () => {
  const job = aJob({ completionMode: 'Indexed', completions: 3, parallelism: 3 });
  const before = (gang: Gang): Given =>
    after(given(job).under({ gangScheduling: 'served' }).when(null), gang);

  it('is created again under its name when the cluster serves the API of 1.37', () => {
    const started = aJob({ ...JOB_OF_3, status: { startTime: at(0), active: 3 } });
    const asked = before(GROUP)
      .and(started, aPod({ index: 0, ordinal: 0 }))
      .when(null);
    asked.thenBecause(
      `J-8.27: the cluster serves another API than that of PodGroup ${GROUP.podGroup}: it is created again, as a gang of 3`,
    );
    expect(ensured(asked)).toEqual({
      own: { ...GROUP, podGroupTemplate: 'pi-pgt-0' },
      minCount: 3,
      create: true,
    });
    const again = after(asked, { ...GROUP, api: 'v1beta1', minCount: 3, generation: 1 });
    expect(ensured(again.when(null))).toBeUndefined();
    const smaller = again.when(aJob({ ...JOB_OF_3, completions: 2, parallelism: 2, generation: 2 }));
    expect(ensured(smaller)).toMatchObject({ minCount: 2 });
  });

  it('is not created later when the Job had none', () => {
    before({ none: 'it had started' }).when(null).thenCommands('+3', 'status');
  });
});

const JOB_OF_3 = { completionMode: 'Indexed', completions: 3, parallelism: 3 };

describe('a requested scheduling that the cluster does not support (J-8.28)', () => {
  const asks = aJob({ scheduling: { ...aGang(1), disruptionMode: { all: {} } } });
  const message = (why: string): string =>
    `ignored: spec.scheduling.schedulingPolicy.gang, spec.scheduling.disruptionMode; ${why}, so the pods are scheduled one by one`;

  it.each([
    [
      'gang scheduling is switched off',
      undefined,
      message('gang scheduling is off in Jobledger (JOBLEDGER_GANG_SCHEDULING)'),
    ],
    [
      'the cluster does not serve the API',
      'not-served',
      message('the cluster does not serve scheduling.k8s.io/v1beta1'),
    ],
  ] as const)(
    'is reported in one Warning on the Job before its pods when %s',
    (_case, gangScheduling, expected) => {
      const settings = gangScheduling === undefined ? {} : { gangScheduling };
      const warned = given(asks).under(settings).when(null);
      const [warning, creation] = warned.verdict.commands;
      expect(warning).toMatchObject({
        kind: 'EmitEvents',
        events: [{ type: 'Warning', reason: 'SchedulingNotServed', message: expected }],
        why: { rule: 'J-8.28' },
      });
      expect(creation?.kind).toBe('CreatePods');
      const again = warned.recorded().under(settings).when(null, { after: 1 });
      expect(again.verdict.commands.map(({ kind }) => kind)).not.toContain('EmitEvents');
    },
  );

  it.each<[string, JobSeen, string]>([
    [
      'topology',
      aJob({ scheduling: { schedulingConstraints: { topology: [{ key: 'rack' }] } } }),
      'schedulingConstraints',
    ],
    ['claims', aJob({ scheduling: { resourceClaims: [{ name: 'gpu' }] } }), 'resourceClaims'],
    ['delegation', seen({ controlled: true, delegated: true }), 'group-template-name'],
  ])('is also reported when the Job asks for %s', (_case, job, part) => {
    const { verdict } = given(job).when(null);
    expect(JSON.stringify(verdict.commands[0])).toContain(part);
  });

  it.each<[string, JobSeen, object]>([
    ['the Job asks for no such scheduling', aJob({ scheduling: { schedulingPolicy: { basic: {} } } }), {}],
    ['the cluster can do the scheduling', aJob({ scheduling: aGang(1) }), NEW_API],
    ['the APIs of the cluster are not known yet', asks, { gangScheduling: 'where-served' }],
  ])('causes no Warning when %s', (_case, job, settings) => {
    const kinds = given(job)
      .under(settings)
      .when(null)
      .verdict.commands.map(({ kind }) => kind);
    expect(kinds).not.toContain('EmitEvents');
  });
});
