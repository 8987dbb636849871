import { carryOutJob, type JobProgress } from '../../services/worker/activities/carry-out-kinds.ts';
import { NO_PROGRESS } from '../../services/worker/activities/attempt/progress.ts';
import type { Command } from '../../workflows/job/commands.ts';
import type { Preconditions } from '../../workflows/job/definitions/preconditions.ts';
import type { Outcome } from '../../workflows/job/outcomes.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { OWN_FINALIZER } from '../../workflows/kubernetes/names.ts';
import { PRECONDITIONS, jobObject, podObject, START } from '../support/builders.ts';
import { anInput, aPlayedServer, dependenciesOn, statusError, type PlayedServer } from './a-played-server.ts';

const why = { rule: 'J-5.11', message: '' } as const;
const POD = { uid: 'uid-of-pi-x', name: 'pi-x' };
const EVENTS: Command = {
  kind: 'EmitEvents',
  events: [{ type: 'Normal', reason: 'Told', message: '' }],
  why,
};

const creation = (preconditions: Preconditions): Command => ({
  kind: 'CreatePods',
  why,
  finalizer: OWN_FINALIZER,
  pods: [0, 1].map((ordinal) => ({ ordinal, name: `pi-${ordinal}` })),
  preconditions,
});
const deletion = (preconditions: Preconditions): Command => ({
  kind: 'DeletePods',
  untrack: false,
  pods: [POD],
  why,
  preconditions,
});
const suspension = (preconditions: Preconditions): Command => ({
  kind: 'SetSuspend',
  suspend: true,
  request: 'r1',
  why,
  preconditions,
});

const JOB = jobObject({ completions: 3, parallelism: 3, version: '100' });

/** The Job as another client has changed it since the decision. */
const changed = (change: Partial<Job>): Job => ({
  ...JOB,
  ...change,
  metadata: { ...JOB.metadata, resourceVersion: '200', ...change.metadata },
});
const OTHER_SPEC = changed({ metadata: { ...JOB.metadata, generation: 2, resourceVersion: '200' } });
const SUSPENDED = changed({
  metadata: { ...JOB.metadata, generation: 2, resourceVersion: '200' },
  spec: { ...JOB.spec, suspend: true },
});
const COUNTED = changed({ status: { succeeded: 1 } });
const FINISHED = changed({
  status: { conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: '2026-03-01T12:00:00Z' }] },
});
const DELETING = changed({
  metadata: { ...JOB.metadata, resourceVersion: '200', deletionTimestamp: '2026-03-01T12:00:00Z' },
});

async function carriedOut(
  live: Job | null,
  commands: readonly Command[],
  { before = NO_PROGRESS }: { before?: JobProgress } = {},
): Promise<{ outcomes: Outcome[]; server: PlayedServer }> {
  const server = aPlayedServer();
  server.job = live;
  server.pods.set('pi-x', podObject({ name: 'pi-x' }));
  return { outcomes: await outcomesOn(server, commands, before), server };
}

async function outcomesOn(
  server: PlayedServer,
  commands: readonly Command[],
  before: JobProgress = NO_PROGRESS,
): Promise<Outcome[]> {
  const attempt = { number: 1, signal: new AbortController().signal, before, report: () => undefined };
  const done = await carryOutJob(dependenciesOn(server.client), anInput(commands), attempt);
  return done.map(({ data }) => data.outcome);
}

const changes = ({ asked }: PlayedServer): string[] => asked.filter((each) => !each.startsWith('GET'));

describe('a command for pods that is sent long after its decision', () => {
  it.each<[string, Command, Job, string]>([
    ['is suspended', creation(PRECONDITIONS), SUSPENDED, 'the spec has changed: generation 2, decided on 1'],
    [
      'has another spec',
      deletion(PRECONDITIONS),
      OTHER_SPEC,
      'the spec has changed: generation 2, decided on 1',
    ],
    [
      'has counted pods since',
      creation(PRECONDITIONS),
      COUNTED,
      'the status counts 1 succeeded and 0 failed, decided on 0 and 0',
    ],
    ['has finished', creation(PRECONDITIONS), FINISHED, 'the Job has finished'],
    ['is being deleted', creation(PRECONDITIONS), DELETING, 'the Job is being deleted'],
    [
      'has passed its deadline',
      creation({ ...PRECONDITIONS, deadline: START - 1 }),
      JOB,
      'the deadline has passed',
    ],
  ])(
    'is stale when the Job %s: it sends no request, and the later commands are skipped',
    async (_how, command, live, reason) => {
      const { outcomes, server } = await carriedOut(live, [command, EVENTS]);
      expect(outcomes).toMatchObject([
        {
          kind: 'stale',
          commandKind: command.kind,
          why: reason,
          job: { resourceVersion: live.metadata.resourceVersion },
        },
        { kind: 'skipped' },
      ]);
      expect(changes(server)).toEqual([]);
      expect(server.events).toEqual([]);
    },
  );

  it('reads the Job once, and is carried out when the relevant fields of the Job are unchanged', async () => {
    for (const command of [creation(PRECONDITIONS), deletion(PRECONDITIONS)]) {
      const { server } = await carriedOut(changed({}), [command]);
      expect(server.asked.filter((each) => each === 'GET jobs/pi')).toHaveLength(1);
      expect(changes(server).length).toBeGreaterThan(0);
    }
  });

  it('reads the Job once for all commands of a decision', async () => {
    const { server } = await carriedOut(JOB, [deletion(PRECONDITIONS), deletion(PRECONDITIONS), EVENTS]);
    expect(server.asked.filter((each) => each === 'GET jobs/pi')).toHaveLength(1);
  });

  it('has in its outcome the pods of an earlier attempt when it is stale in the next one', async () => {
    const parts = [{ ordinal: 0, name: 'pi-0', result: 'created', uid: 'u0', resourceVersion: '150' }];
    const before = { isRecorded: true, answered: [], appended: 0, parts };
    const { outcomes, server } = await carriedOut(SUSPENDED, [creation(PRECONDITIONS), EVENTS], { before });
    expect(outcomes).toMatchObject([
      { kind: 'CreatePods', pods: [{ result: 'created', uid: 'u0' }, { result: 'skipped' }] },
      { kind: 'skipped' },
    ]);
    expect(changes(server)).toEqual([]);
  });
});

describe('a pod creation without an answer, whose command is stale in the next attempt', () => {
  it('is recognised by its pod, because another pod in its place would run the work twice', async () => {
    const server = aPlayedServer();
    server.job = SUSPENDED;
    server.pods.set('pi-1', podObject({ name: 'pi-1', uid: 'u1' }));
    expect(await outcomesOn(server, [creation(PRECONDITIONS), EVENTS])).toMatchObject([
      {
        kind: 'CreatePods',
        pods: [
          { name: 'pi-0', result: 'skipped' },
          { name: 'pi-1', result: 'created', uid: 'u1' },
        ],
      },
      { kind: 'skipped' },
    ]);
    expect(changes(server)).toEqual([]);
  });

  it('is not recognised in a pod of another owner', async () => {
    const server = aPlayedServer();
    server.job = SUSPENDED;
    const pod = podObject({ name: 'pi-1' });
    server.pods.set('pi-1', { ...pod, metadata: { ...pod.metadata, ownerReferences: [] } });
    expect(await outcomesOn(server, [creation(PRECONDITIONS), EVENTS])).toMatchObject([
      { kind: 'stale' },
      {},
    ]);
  });
});

describe('a suspension that a user requested', () => {
  it('names the version that was read, so that no other change is lost', async () => {
    const server = aPlayedServer();
    server.job = JOB;
    let versions: unknown;
    server.refuse = ({ method, body }) => {
      if (method === 'PATCH') versions = (body as { metadata: unknown }).metadata;
      return null;
    };
    expect(await outcomesOn(server, [suspension(PRECONDITIONS)])).toMatchObject([
      { kind: 'SetSuspend', result: 'done', request: 'r1', job: { spec: { suspend: true } } },
    ]);
    expect(versions).toEqual({ uid: JOB.metadata.uid, resourceVersion: '100' });
  });

  it('counts as done when an earlier attempt has done it', async () => {
    const { outcomes, server } = await carriedOut(SUSPENDED, [suspension(PRECONDITIONS)]);
    expect(outcomes).toMatchObject([{ kind: 'SetSuspend', result: 'done', request: 'r1' }]);
    expect(changes(server)).toEqual([]);
  });

  it('is repeated when only the status has changed at that moment', async () => {
    const server = aPlayedServer();
    server.job = JOB;
    let left = 1;
    server.refuse = ({ method }) => {
      if (method !== 'PATCH' || left === 0) return null;
      left -= 1;
      server.job = changed({ status: { active: 1 } });
      return null;
    };
    expect(await outcomesOn(server, [suspension(PRECONDITIONS)])).toMatchObject([{ result: 'done' }]);
    expect(server.asked).toEqual(['GET jobs/pi', 'PATCH jobs/pi', 'GET jobs/pi', 'PATCH jobs/pi']);
  });

  it.each<[string, Job | null, object]>([
    ['gone with the Job', null, { kind: 'SetSuspend', result: 'gone', request: 'r1' }],
    ['stale when the spec has changed', OTHER_SPEC, { kind: 'stale', commandKind: 'SetSuspend' }],
  ])('is reported as %s', async (_what, live, expected) => {
    const { outcomes, server } = await carriedOut(live, [suspension(PRECONDITIONS)]);
    expect(outcomes).toMatchObject([expected]);
    expect(changes(server)).toEqual([]);
  });

  it('counts as refused, not as a deleted Job, when a webhook answers 409', async () => {
    const server = aPlayedServer();
    server.job = JOB;
    const denial = 'admission webhook "w" denied the request: no';
    server.refuse = ({ method }) => (method === 'PATCH' ? statusError(409, 'Conflict', denial) : null);
    expect(await outcomesOn(server, [suspension(PRECONDITIONS)])).toMatchObject([
      { result: 'failed', error: { status: 409 } },
    ]);
    expect(server.events).toMatchObject([
      { reason: 'FailedSuspend', message: `Error changing spec.suspend: ${denial}` },
    ]);
  });
});
