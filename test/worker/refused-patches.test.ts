import { carryOutJob } from '../../services/worker/activities/carry-out-kinds.ts';
import { NO_PROGRESS } from '../../services/worker/activities/attempt/progress.ts';
import type { Command } from '../../workflows/job/commands.ts';
import type { Outcome } from '../../workflows/job/outcomes.ts';
import { OWN_FINALIZER } from '../../workflows/kubernetes/names.ts';
import { JOB_UID, jobObject, podObject } from '../support/builders.ts';
import { anInput, aPlayedServer, dependenciesOn, statusError, type PlayedServer } from './a-played-server.ts';

const why = { rule: 'J-4.11', message: '' } as const;
const POD = { uid: 'uid-of-pi-x', name: 'pi-x' };
const POLICY = `pods "pi-x" is forbidden: ValidatingAdmissionPolicy 'labels' with binding 'b' denied request: a team is required`;
const WEBHOOK = 'admission webhook "w.example.com" denied the request: not now';

const release: Command = { kind: 'ReleasePods', pods: [POD], why };
const untrack: Command = { kind: 'DeletePods', untrack: true, pods: [POD], why };
const deletion: Command = { kind: 'DeletePods', untrack: false, pods: [POD], why };
const adoption: Command = { kind: 'AdoptPods', finalizer: OWN_FINALIZER, pods: [POD], why };
const disowning: Command = { kind: 'DisownPods', pods: [POD], why };

/** The outcome of a command whose changes of pods are all answered so. */
async function carryOutRefused(
  command: Command,
  refusal: Error,
  server: PlayedServer = withPod(),
): Promise<[Outcome | undefined, PlayedServer]> {
  server.refuse = ({ method, path }) => (method !== 'GET' && path.includes('/pods/') ? refusal : null);
  const attempt = {
    number: 1,
    signal: new AbortController().signal,
    before: NO_PROGRESS,
    report: () => undefined,
  };
  const [answered] = await carryOutJob(dependenciesOn(server.client), anInput([command]), attempt);
  return [answered?.data.outcome, server];
}

function withPod(pod: Parameters<typeof podObject>[0] = {}): PlayedServer {
  const server = aPlayedServer();
  server.pods.set('pi-x', podObject({ name: 'pi-x', ...pod }));
  return server;
}

describe('a change of a pod that a policy or webhook refuses', () => {
  it.each([
    ['releasing', release, 'FailedRelease', 'Error removing the finalizer of pod pi-x: '],
    ['deleting, without counting it,', untrack, 'FailedDelete', 'Error deleting: '],
    ['deleting', deletion, 'FailedDelete', 'Error deleting: '],
    ['adopting', adoption, 'FailedAdopt', 'Error adopting pod pi-x: '],
    ['disowning', disowning, 'FailedDisown', 'Error disowning pod pi-x: '],
  ])(
    'counts as refused (422 or 409), not as a missing pod, and an Event names the policy: %s',
    async (_doing, command, reason, message) => {
      const orphan = command === adoption ? { controller: 'none' } : {};
      for (const refusal of [statusError(422, 'Invalid', POLICY), statusError(409, 'Conflict', WEBHOOK)]) {
        const [outcome, { events }] = await carryOutRefused(command, refusal, withPod(orphan));
        expect(outcome).toMatchObject({
          pods: [{ ...POD, result: 'failed', error: { status: refusal.status } }],
        });
        expect(events).toMatchObject([
          { type: 'Warning', reason, message: `${message}${refusal.exactText}` },
        ]);
      }
    },
  );

  it('is reported in one Event for all pods of the command that it concerns', async () => {
    const server = withPod();
    server.pods.set('pi-y', podObject({ name: 'pi-y' }));
    const pods = [POD, { uid: 'uid-of-pi-y', name: 'pi-y' }];
    const [, { events }] = await carryOutRefused(
      { ...release, pods },
      statusError(422, 'Invalid', POLICY),
      server,
    );
    expect(events.map(({ message }) => message)).toEqual([
      `Error removing the finalizer of pod pi-x (and 1 more): ${POLICY}`,
    ]);
  });
});

describe('a change of a pod that the API server answers with 409 or 422', () => {
  const changed = statusError(409, 'Conflict', 'the UID in the precondition does not match');

  it.each([release, untrack, deletion, adoption, disowning])(
    'shows that the pod is gone when it does not exist, or another pod has its name: $kind',
    async (command) => {
      for (const server of [aPlayedServer(), withPod({ uid: 'another' })]) {
        const [outcome, { events }] = await carryOutRefused(command, changed, server);
        expect(outcome).toMatchObject({ pods: [{ ...POD, result: 'gone' }] });
        expect(events).toEqual([]);
      }
    },
  );

  it('counts as done when it is a release and an earlier attempt has released the pod', async () => {
    const server = withPod({ untracked: true, version: '77' });
    const [outcome] = await carryOutRefused(release, statusError(422, 'Invalid', POLICY), server);
    expect(outcome).toMatchObject({ pods: [{ ...POD, result: 'done', resourceVersion: '77' }] });
  });

  it('shows that the pod is gone when another controller has adopted the orphan at that moment (J-3.32)', async () => {
    const [outcome, { events }] = await carryOutRefused(
      adoption,
      statusError(422, 'Invalid', 'Only one reference can have Controller set to true'),
      withPod({ controller: 'another' }),
    );
    expect(outcome).toMatchObject({ pods: [{ ...POD, result: 'gone' }] });
    expect(events).toEqual([]);
  });

  it('shows that the pod is gone when it was to be disowned and has another owner already (J-3.33)', async () => {
    const server = withPod({ controller: 'another' });
    const [outcome] = await carryOutRefused(disowning, statusError(422, 'Invalid', ''), server);
    expect(outcome).toMatchObject({ pods: [{ ...POD, result: 'gone' }] });
  });
});

describe('a gang whose Workload or PodGroup the API server refuses', () => {
  it('is not created: the outcome is a failure, and an Event has the reason', async () => {
    const server = aPlayedServer();
    const quota = 'workloads.scheduling.k8s.io "pi" is forbidden: exceeded quota';
    server.refuse = ({ path }) => (path.includes('/workloads') ? statusError(403, 'Forbidden', quota) : null);
    const input = anInput([
      { kind: 'EnsureGang', workload: { name: 'pi-1', podGroupTemplate: 'pi-pgt-0', minCount: 3 }, why },
    ]);
    const attempt = {
      number: 1,
      signal: new AbortController().signal,
      before: NO_PROGRESS,
      report: () => undefined,
    };
    const [answered] = await carryOutJob(dependenciesOn(server.client), input, attempt);
    expect(answered?.data.outcome).toMatchObject({ kind: 'EnsureGang', result: 'failed' });
    expect(server.events).toMatchObject([
      {
        type: 'Warning',
        reason: 'FailedGang',
        message: `Error finding or creating the Workload and PodGroup: ${quota}`,
      },
    ]);
  });
});

describe('a Job whose deletion is refused', () => {
  it.each([409, 422, 403])('does not count as deleted when the answer is %d', async (code) => {
    const ended = jobObject({
      ttlSecondsAfterFinished: 0,
      status: {
        conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: '2026-03-01T11:00:00Z' }],
      },
    });
    const server = aPlayedServer(ended);
    server.refuse = ({ method }) => (method === 'DELETE' ? statusError(code, 'Conflict', WEBHOOK) : null);
    const attempt = {
      number: 1,
      signal: new AbortController().signal,
      before: NO_PROGRESS,
      report: () => undefined,
    };
    const command: Command = { kind: 'DeleteJob', expiredAt: 0, why: { rule: 'J-10.3', message: '' } };
    const [answered] = await carryOutJob(dependenciesOn(server.client), anInput([command]), attempt);
    expect(answered?.data.outcome).toMatchObject({ kind: 'DeleteJob', result: 'failed' });
    expect(server.events).toMatchObject([
      { reason: 'FailedDelete', message: `Error deleting the Job: ${WEBHOOK}` },
    ]);
    expect(server.job?.metadata.uid).toBe(JOB_UID);
  });
});
