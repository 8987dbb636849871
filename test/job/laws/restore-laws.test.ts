import { describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import type { JobEvent } from '../../../workflows/job/events.ts';
import {
  createModelCluster,
  modelEnding,
  settleDown,
  trackedPods,
  type ModelCluster,
} from '../../support/model-cluster.ts';
import { copyModel, restoreFromCopy } from '../../support/model-cluster-restore.ts';
import { unfoundedDecisions, unrecordedDecisions } from '../../support/model-cluster-verify.ts';
import { steps, stories, take, type Step, type Story } from './crash-story.ts';
import { extent } from '../../support/extent.ts';

jest.setTimeout(600_000);

const OPTIONS = { numRuns: extent(100, 200), seed: 20_261_125 };

const happenings = fc.array(steps, { maxLength: 30, size: 'max' });

/** UIDs of the pods that status writes counted, once for each write that was carried out and whose outcome is known. */
function countedUids(stream: readonly JobEvent[]): string[] {
  const written = new Set(
    stream.flatMap(({ type, data }) =>
      type === 'outcome.recorded' && data.outcome.kind === 'WriteStatus' && data.outcome.result === 'written'
        ? [`${data.decision} ${data.command}`]
        : [],
    ),
  );
  const decisions = new Map(
    stream.flatMap((event) => (event.type === 'job.decided' ? [[event.id, event]] : [])),
  );
  return [...decisions.values()].flatMap(({ id, data }) =>
    data.commands.flatMap((command, at) =>
      command.kind === 'WriteStatus' && written.has(`${id} ${at}`)
        ? [...command.counted.succeeded, ...command.counted.failed]
        : [],
    ),
  );
}

async function play({ fates, ...spec }: Story, before: readonly Step[]): Promise<ModelCluster> {
  const fate = (creation: number): 'Succeeded' | 'Failed' =>
    (fates[creation] ?? true) ? 'Succeeded' : 'Failed';
  const cluster = createModelCluster(spec, fate);
  for (const each of before) await take(cluster, each);
  return cluster;
}

describe('a Job whose API server is restored from an older copy, while processes die at any step', () => {
  it('ends, retains its counted pods, and counts no pod twice', async () => {
    await fc.assert(
      fc.asyncProperty(stories, happenings, happenings, happenings, async (story, before, between, after) => {
        const cluster = await play(story, before);
        const copy = copyModel(cluster);
        for (const each of between) await take(cluster, each);
        const counted = cluster.workflow.state.job?.status ?? {};
        restoreFromCopy(cluster, copy);
        for (const each of after) await take(cluster, each);
        await settleDown(cluster);
        const ending = modelEnding(cluster);
        expect(ending.type).not.toBeNull();
        expect(ending.succeeded).toBeGreaterThanOrEqual(counted.succeeded ?? 0);
        expect(ending.failed).toBeGreaterThanOrEqual(counted.failed ?? 0);
        if (ending.type === 'Complete') expect(ending.succeeded).toBe(story.completions);
        expect(trackedPods(cluster)).toEqual([]);
        const uids = countedUids(cluster.ledger.events);
        expect(uids).toEqual([...new Set(uids)]);
        expect(unfoundedDecisions(cluster.ledger.events)).toEqual([]);
        expect(unrecordedDecisions(cluster)).toEqual([]);
      }),
      OPTIONS,
    );
  });
});
