import { describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { whatIf } from '../../workflows/history/what-if/what-if.ts';
import { steps, stories, take } from '../job/laws/crash-story.ts';
import { createModelCluster, settleDown } from '../support/model-cluster.ts';
import { copyModel, restoreFromCopy } from '../support/model-cluster-restore.ts';

jest.setTimeout(600_000);

const happenings = fc.array(steps, { maxLength: 20 });

describe('a what-if without a change about a Job whose API server was restored from an older copy', () => {
  it('gives the recorded result', async () => {
    await fc.assert(
      fc.asyncProperty(stories, happenings, happenings, async ({ fates, ...spec }, before, between) => {
        const cluster = createModelCluster(spec, (at) => ((fates[at] ?? true) ? 'Succeeded' : 'Failed'));
        for (const each of before) await take(cluster, each);
        const copy = copyModel(cluster);
        for (const each of between) await take(cluster, each);
        restoreFromCopy(cluster, copy);
        await settleDown(cluster);
        expect(whatIf(cluster.ledger.events, {})).toMatchObject({ comparison: 'same' });
      }),
      { numRuns: 50, seed: 1 },
    );
  });
});
