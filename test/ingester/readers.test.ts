import { describe, expect, it } from '@jest/globals';
import { emptyLiveSet } from '../../services/ingester/live-set.ts';
import { readerOfJobs } from '../../services/ingester/readers.ts';
import type { Translated } from '../../services/ingester/translate.ts';
import type { Job, Pod } from '../../workflows/kubernetes/objects.ts';
import { jobObject, podObject } from '../support/builders.ts';

const scope = { cluster: 'east', claim: 'all', redaction: { env: true, maxBytes: 1_000_000 } } as const;
const matchLabels = { app: 'old' };

function orphan(): Pod {
  const pod = podObject();
  const { ownerReferences: _owner, ...metadata } = pod.metadata;
  return { ...pod, metadata: { ...metadata, labels: matchLabels } };
}

/** What is put for a Job that appears, where one pod without controller matches. */
async function putFor(spec: Partial<Job['spec']>, times = 1): Promise<string[][]> {
  const taken: Translated[] = [];
  const sink = {
    put: (translated: Translated) => Promise.resolve(void taken.push(translated)),
    drained: () => Promise.resolve(),
  };
  const job = jobObject();
  const object = { ...job, spec: { ...job.spec, selector: { matchLabels }, ...spec } };
  const reader = readerOfJobs(
    scope,
    emptyLiveSet(),
    sink,
    () => undefined,
    () => Promise.resolve([orphan()]),
  );
  for (let at = 0; at < times; at += 1) await reader.happened({ type: 'ADDED', object });
  return taken.map(({ events }) => events.map(({ type }) => type));
}

describe('a Job that appears', () => {
  it('with a selector of its author’s is told of together with the pods that it could adopt (J-3.30)', async () => {
    expect(await putFor({ manualSelector: true })).toEqual([['job.observed', 'pod.observed']]);
  });

  it('with a generated selector has no pods from before (J-1.7)', async () => {
    expect(await putFor({})).toEqual([['job.observed']]);
  });

  it('as somebody else’s adopts nothing', async () => {
    expect(await putFor({ manualSelector: true, managedBy: 'acme.io/other' })).toEqual([['job.observed']]);
  });

  it('and was known before has its pods followed already', async () => {
    expect(await putFor({ manualSelector: true }, 2)).toEqual([
      ['job.observed', 'pod.observed'],
      ['job.observed'],
    ]);
  });
});
