import { describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { DEFAULT_SETTINGS } from '../../../workflows/job/settings.ts';
import {
  createModelCluster,
  modelEnding,
  settleDown,
  trackedPods,
  type ModelCluster,
} from '../../support/model-cluster.ts';
import { unfoundedDecisions, unrecordedDecisions } from '../../support/model-cluster-verify.ts';
import { expectedEnd, steps, stories, take, type Step, type Story } from './crash-story.ts';
import { extent } from '../../support/extent.ts';

jest.setTimeout(600_000);

const OPTIONS = { numRuns: extent(75, 150), seed: 20_260_312 };
const happenings = fc.array(steps, { maxLength: 60, size: 'max' });
const limits = fc.integer({ min: 0, max: 3 });

async function play({ fates, ...spec }: Story, limit: number, taken: readonly Step[]): Promise<ModelCluster> {
  const annotations = { 'jobledger.dev/failed-pods-limit': String(limit) };
  const fate = (creation: number): 'Succeeded' | 'Failed' =>
    (fates[creation] ?? true) ? 'Succeeded' : 'Failed';
  const cluster = createModelCluster({ ...spec, annotations }, fate, DEFAULT_SETTINGS);
  for (const step of taken) await take(cluster, step);
  await settleDown(cluster);
  return cluster;
}

/** Names of failed pods on the server, and of those that were deleted; without those that were stopped for another reason. */
function failedPods({ api, ledger }: ModelCluster): { kept: string[]; deleted: string[] } {
  const commands = ledger.events.flatMap((event) =>
    event.type === 'job.decided' ? event.data.commands : [],
  );
  const stopped = new Set(
    commands.flatMap((command) =>
      command.kind === 'DeletePods' && command.why.rule !== 'J-12.5'
        ? command.pods.map(({ uid }) => uid)
        : [],
    ),
  );
  const failed = api.created.filter(
    ({ metadata: { uid } }) => api.latest.get(uid)?.status?.phase === 'Failed' && !stopped.has(uid),
  );
  const names = failed.map(({ metadata }) => metadata.name);
  return {
    kept: names.filter((name) => api.pods.has(name)),
    deleted: names.filter((name) => !api.pods.has(name)),
  };
}

describe('a Job with jobledger.dev/failed-pods-limit, while facts are late or lost and processes die at any step', () => {
  it('retains as many failed pods as the limit allows, and counts all failed pods, also those that it deletes (J-12.5)', async () => {
    let trimmed = 0;
    await fc.assert(
      fc.asyncProperty(stories, limits, happenings, async (story, limit, taken) => {
        const cluster = await play(story, limit, taken);
        const { type, succeeded, failed, created } = modelEnding(cluster);
        expect(type).toBe(expectedEnd(story).type);
        expect(succeeded + failed).toBe(created);
        const { kept, deleted } = failedPods(cluster);
        expect(kept.length).toBe(Math.min(limit, kept.length + deleted.length));
        trimmed += deleted.length;
        expect(trackedPods(cluster)).toEqual([]);
        expect(unfoundedDecisions(cluster.ledger.events)).toEqual([]);
        expect(unrecordedDecisions(cluster)).toEqual([]);
      }),
      OPTIONS,
    );
    expect(trimmed).toBeGreaterThan(OPTIONS.numRuns / 5);
  });
});
