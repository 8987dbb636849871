import { describe, expect, it } from '@jest/globals';
import { KubernetesApiError } from '../../services/adapters/errors.ts';
import type { KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { releasePods } from '../../services/worker/activities/job/pod-patches.ts';
import type { CommandContext } from '../../services/worker/activities/job/command-context.ts';
import type { Pod } from '../../workflows/kubernetes/objects.ts';
import { jobObject, podObject } from '../support/builders.ts';

const POD = podObject();
const FREED = { cluster: 'local', uid: 'freed-by', namespace: 'default', name: 'old' };

/**
 * A Job whose API server has these versions of one pod, one after the other, and accepts patches of the last only.
 * `jobNamedHeir`: the UID of the Job of that name.
 */
function siteWith(
  versions: Pod[],
  jobNamedHeir = 'heir',
): { site: CommandContext; patched: () => unknown[] } {
  const left = [...versions];
  const bodies: unknown[] = [];
  const request: KubernetesClient['request'] = async <T>({
    method,
    path,
    body,
  }: {
    method: string;
    path: string;
    body?: unknown;
  }) => {
    await Promise.resolve();
    if (method === 'GET' && path.includes('/jobs/')) return jobObject({ uid: jobNamedHeir }) as T;
    if (method === 'GET') return left[0] as T;
    bodies.push(body);
    if (left.length === 1) return left[0] as T;
    left.shift();
    throw new KubernetesApiError({ status: 409, reason: 'Conflict', message: 'changed', causes: [] });
  };
  const context = {
    client: { request },
    job: FREED,
    signal: new AbortController().signal,
    parts: { before: [], keep: () => undefined },
    isLate: () => false,
  } as unknown as CommandContext;
  return { site: context, patched: () => bodies };
}

function version(resourceVersion: string, controller?: string): Pod {
  const { ownerReferences: _owner, ...metadata } = POD.metadata;
  const owner = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    name: controller === FREED.uid ? FREED.name : 'heir',
    uid: controller ?? '',
    controller: true,
  };
  return {
    ...POD,
    metadata: { ...metadata, resourceVersion, ...(controller !== undefined && { ownerReferences: [owner] }) },
  };
}

async function release(versions: Pod[], jobNamedHeir?: string): Promise<[result: string, patches: number]> {
  const { site: context, patched } = siteWith(versions, jobNamedHeir);
  const { uid, name } = POD.metadata;
  const why = { rule: 'J-4.32', message: 'a test' } as const;
  const command = { kind: 'ReleasePods', unlessAdopted: true, pods: [{ uid, name }], why } as const;
  const { pods } = await releasePods(context, { ...command, pods: [...command.pods] });
  return [pods[0]?.result ?? '', patched().length];
}

describe('the release of an orphan', () => {
  it('removes the finalizer when the pod has no controller', async () => {
    expect(await release([version('1')])).toEqual(['done', 1]);
  });

  it('retains the finalizer when another Job has adopted the pod, because that Job needs it to count the pod (J-3.46)', async () => {
    expect(await release([version('1', 'heir')])).toEqual(['gone', 0]);
  });

  it('retains the finalizer when another Job adopts the pod at the same moment', async () => {
    expect(await release([version('1'), version('2', 'heir')])).toEqual(['gone', 1]);
  });

  it('is repeated when other fields of the pod have changed', async () => {
    expect(await release([version('1'), version('2')])).toEqual(['done', 2]);
  });

  it('removes the finalizer when the Job that the pod names as controller has another UID (J-3.46)', async () => {
    expect(await release([version('1', 'of-another-namespace')])).toEqual(['done', 1]);
    expect(await release([version('1', 'heir')], 'created-anew')).toEqual(['done', 1]);
  });

  it('removes the finalizer also when the Job of the command controls the pod', async () => {
    expect(await release([version('1', FREED.uid)])).toEqual(['done', 1]);
  });
});
