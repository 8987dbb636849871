import { carryOutJob } from '../../services/worker/activities/carry-out-kinds.ts';
import { NO_PROGRESS } from '../../services/worker/activities/attempt/progress.ts';
import type { Command } from '../../workflows/job/commands.ts';
import type { Outcome } from '../../workflows/job/outcomes.ts';
import { OWN_FINALIZER, OWN_MANAGER, RESERVED_FINALIZER } from '../../workflows/kubernetes/names.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { PRECONDITIONS, JOB_UID, jobObject, podObject } from '../support/builders.ts';
import { anInput, aPlayedServer, dependenciesOn, type PlayedServer } from './a-played-server.ts';

const why = { rule: 'J-4.11', message: '' } as const;
const POD = { uid: 'uid-of-web-x', name: 'web-x' };
const deletion: Command = { kind: 'DeletePods', untrack: false, pods: [POD], why };
const untrack: Command = { kind: 'DeletePods', untrack: true, pods: [POD], why };
const release: Command = { kind: 'ReleasePods', pods: [POD], why };
const orphan: Command = { kind: 'ReleasePods', unlessAdopted: true, pods: [POD], why };
const disowning: Command = { kind: 'DisownPods', pods: [POD], why };
const adoption: Command = { kind: 'AdoptPods', finalizer: OWN_FINALIZER, pods: [POD], why };
const status: Command = {
  kind: 'WriteStatus',
  resourceVersion: '1',
  generation: 1,
  from: {},
  to: {},
  counted: { succeeded: [], failed: [] },
  why,
};
const creation: Command = {
  kind: 'CreatePods',
  preconditions: PRECONDITIONS,
  finalizer: OWN_FINALIZER,
  pods: [{ ordinal: 0, name: 'pi-0' }],
  why,
};
const suspension: Command = { kind: 'SetSuspend', preconditions: PRECONDITIONS, suspend: true, why };
const gang: Command = { kind: 'EnsureGang', why };

/** The outcome of a decision forged by another client with access to Temporal, who knows names and UIDs. */
async function carriedOut(
  command: Command,
  server: PlayedServer,
  forge: (input: ReturnType<typeof anInput>) => unknown = () => undefined,
): Promise<Outcome | undefined> {
  const input = anInput([command]);
  forge(input);
  const signal = new AbortController().signal;
  const attempt = { number: 1, signal, before: NO_PROGRESS, report: () => undefined };
  const [answered] = await carryOutJob(dependenciesOn(server.client), input, attempt);
  return answered?.data.outcome;
}

function serverWith(pod: Parameters<typeof podObject>[0], job?: Job): PlayedServer {
  const server = aPlayedServer(job);
  server.pods.set(POD.name, podObject({ name: POD.name, ...pod }));
  return server;
}

function listChanges({ asked }: PlayedServer): string[] {
  return asked.filter((each) => !each.startsWith('GET'));
}

describe('a command for a pod that the Job controls', () => {
  it.each([
    { command: untrack, requests: ['PATCH pods/web-x', 'DELETE pods/web-x'] },
    { command: release, requests: ['PATCH pods/web-x'] },
    { command: deletion, requests: ['GET pods/web-x', 'DELETE pods/web-x'] },
  ])(
    'needs no additional request for the check, except for the read before a deletion: $command.kind',
    async ({ command, requests }) => {
      const server = serverWith({});
      await carriedOut(command, server);
      expect(server.asked.filter((each) => each.includes('pods/'))).toEqual(requests);
    },
  );
});

describe('a pod that the Job does not control', () => {
  it.each([deletion, orphan, disowning])('is neither deleted nor patched: $kind', async (command) => {
    const server = serverWith({ controller: 'a-replica-set' });
    server.job = jobObject();
    const owner = server.pods.get(POD.name)?.metadata.ownerReferences?.[0];
    if (owner !== undefined) owner.kind = 'ReplicaSet';
    await carriedOut(command, server);
    expect(listChanges(server)).toEqual([]);
  });

  it('is not deleted when its ReplicaSet has the UID of the Job', async () => {
    const server = serverWith({ controller: JOB_UID });
    const owner = server.pods.get(POD.name)?.metadata.ownerReferences?.[0];
    if (owner !== undefined) owner.kind = 'ReplicaSet';
    server.job = null;
    expect(await carriedOut(deletion, server)).toMatchObject({
      pods: [{ result: 'failed', error: { reason: 'Stale' } }],
    });
    expect(listChanges(server)).toEqual([]);
  });

  it('is not adopted when the selector does not match it', async () => {
    const server = serverWith({ controller: 'none', labels: { app: 'web' } });
    expect(await carriedOut(adoption, server)).toMatchObject({ pods: [{ result: 'failed' }] });
    expect(listChanges(server)).toEqual([]);
  });

  it.each([release, untrack])(
    'is not released, because the API server checks the owner in the patch: $kind',
    async (command) => {
      const server = serverWith({});
      const bodies: unknown[] = [];
      server.refuse = ({ method, body }) => (method === 'PATCH' && bodies.push(body), null);
      await carriedOut(command, server);
      expect(bodies[0]).toEqual([
        { op: 'test', path: '/metadata/uid', value: POD.uid },
        { op: 'test', path: '/metadata/ownerReferences/0/uid', value: JOB_UID },
        { op: 'test', path: '/metadata/ownerReferences/0/kind', value: 'Job' },
        { op: 'test', path: '/metadata/ownerReferences/0/name', value: 'pi' },
        { op: 'test', path: '/metadata/ownerReferences/0/controller', value: true },
        { op: 'test', path: '/metadata/finalizers/0', value: OWN_FINALIZER },
        { op: 'remove', path: '/metadata/finalizers/0' },
      ]);
    },
  );
});

describe('the Job of a command', () => {
  const commands = [
    creation,
    deletion,
    untrack,
    release,
    orphan,
    disowning,
    adoption,
    status,
    suspension,
    gang,
  ];

  it.each(commands)(
    'is not changed, nor are its pods, when another controller manages it: $kind',
    async (command) => {
      for (const managedBy of [undefined, 'acme.io/jobs']) {
        const { spec, ...job } = jobObject();
        const { managedBy: _ours, ...rest } = spec;
        const server = serverWith(
          {},
          { ...job, spec: managedBy === undefined ? rest : { ...rest, managedBy } },
        );
        const outcome = JSON.stringify(await carriedOut(command, server));
        expect(outcome).toContain('NotClaimed');
        expect(listChanges(server)).toEqual([]);
        expect(server.events).toEqual([]);
      }
    },
  );

  it('is read once for several decisions, because its manager cannot change', async () => {
    const server = aPlayedServer(jobObject());
    const dependencies = dependenciesOn(server.client);
    const signal = new AbortController().signal;
    const attempt = { number: 1, signal, before: NO_PROGRESS, report: () => undefined };
    for (let decision = 0; decision < 3; decision += 1)
      await carryOutJob(dependencies, anInput([release]), attempt);
    expect(server.asked.filter((each) => each === 'GET jobs/pi')).toHaveLength(1);
    expect(server.job?.spec.managedBy).toBe(OWN_MANAGER);
  });
});

it('a pod with other finalizers before a tracking finalizer is released in the version that the worker read', async () => {
  const server = serverWith({});
  const pod = server.pods.get(POD.name);
  if (pod !== undefined) pod.metadata.finalizers = ['acme.io/keep', RESERVED_FINALIZER];
  const bodies: unknown[] = [];
  server.refuse = ({ method, body }) => (method === 'PATCH' && bodies.push(body), null);
  await carriedOut(release, server);
  expect(bodies[1]).toMatchObject({
    metadata: {
      uid: POD.uid,
      resourceVersion: pod?.metadata.resourceVersion,
      '$deleteFromPrimitiveList/finalizers': [OWN_FINALIZER, RESERVED_FINALIZER],
    },
  });
});

describe('a command whose kind no core has', () => {
  it.each(['Nonsense', 'constructor', 'toString', '__proto__'])(
    'is refused, and nothing is sent: %s',
    async (kind) => {
      const server = aPlayedServer(jobObject());
      const command = { kind, why } as unknown as Command;
      await expect(carriedOut(command, server)).rejects.toThrow(`no command of a Job is called "${kind}"`);
      expect(server.asked.filter((each) => !each.startsWith('GET'))).toEqual([]);
    },
  );
});
