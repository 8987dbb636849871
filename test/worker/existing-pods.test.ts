import { createPods } from '../../services/worker/activities/job/create-pods.ts';
import type { CommandContext } from '../../services/worker/activities/job/command-context.ts';
import { OWN_FINALIZER } from '../../workflows/kubernetes/names.ts';
import { PRECONDITIONS, podObject } from '../support/builders.ts';
import { aCommandContext } from './a-command-context.ts';
import { aPlayedServer, statusError } from './a-played-server.ts';

type PodFields = Parameters<typeof podObject>[0];

const command: Parameters<typeof createPods>[1] = {
  kind: 'CreatePods',
  preconditions: PRECONDITIONS,
  why: { rule: 'J-5.11', message: '' },
  finalizer: OWN_FINALIZER,
  pods: [{ ordinal: 0, name: 'pi-x' }],
};

/** The outcome of a creation that is answered with 409, and what is on the server: no pod, or this one. */
async function created(pod: PodFields | null, error = statusError(409, 'AlreadyExists')) {
  const server = aPlayedServer();
  if (pod !== null) server.pods.set('pi-x', podObject({ name: 'pi-x', ...pod }));
  server.refuse = ({ method, path }) => (method === 'POST' && path.endsWith('/pods') ? error : null);
  const context: CommandContext = { ...aCommandContext(), client: server.client };
  const { pods } = await createPods(context, command);
  return { pod: pods[0], events: server.events.map(({ reason, message }) => `${reason}: ${message}`) };
}

const QUOTA = 'Operation cannot be fulfilled on resourcequotas "q": the object has been modified';

describe('the creation of a pod that is answered with 409', () => {
  it.each([
    ['a quota that others use at the same moment', statusError(409, 'Conflict', QUOTA)],
    ['a webhook', statusError(409, 'Conflict', 'admission webhook "w" denied the request: no')],
  ])('counts as failed when no object has the name, because the answer comes from %s', async (_by, error) => {
    const { pod, events } = await created(null, error);
    expect(pod).toMatchObject({ result: 'failed', error: { status: 409, message: error.exactText } });
    expect(events).toEqual([`FailedCreate: Error creating: ${error.exactText}`]);
  });

  it.each<[string, PodFields]>([
    ['runs', {}],
    ['is terminating', { deleted: 0 }],
    ['has finished', { phase: 'Succeeded' }],
  ])('counts as done when an earlier attempt created the pod, and the pod %s', async (_state, fields) => {
    const { pod } = await created(fields);
    expect(pod).toMatchObject({ result: 'created', uid: 'uid-of-pi-x', pod: { tracked: true } });
  });

  it('counts as done when an earlier attempt created the pod and the pod is already released, because another pod would repeat its work', async () => {
    const { pod } = await created({ phase: 'Succeeded', untracked: true });
    expect(pod).toMatchObject({ result: 'created', uid: 'uid-of-pi-x', pod: { phase: 'Succeeded' } });
    expect(pod).not.toHaveProperty('pod.tracked');
  });

  it.each<[string, PodFields]>([
    ['another owner', { controller: 'another' }],
    ['no owner', { controller: 'none' }],
  ])('counts as taken when a pod with %s has the name', async (_owner, fields) => {
    expect((await created(fields)).pod).toEqual({ ordinal: 0, name: 'pi-x', result: 'taken' });
  });
});

describe('the creation of a pod that is answered with an error of the server', () => {
  const error = statusError(500, 'InternalError', 'failed calling webhook "w": context deadline exceeded');

  it('counts as done when the pod exists, because another pod would repeat its work', async () => {
    expect((await created({}, error)).pod).toMatchObject({ result: 'created', uid: 'uid-of-pi-x' });
  });

  it('counts as failed when no object has the name', async () => {
    expect((await created(null, error)).pod).toMatchObject({ result: 'failed', error: { status: 500 } });
  });
});
