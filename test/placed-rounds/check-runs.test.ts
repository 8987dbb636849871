import { describe, expect, it } from '@jest/globals';
import { uptime, type WitnessedRun } from '../support/placed-jobs.ts';
import { checkRuns, type RunFigures } from './check-runs.ts';

/** The check of a Job of one index: seconds since the start of the machine, as the witness says them. */
async function checked({
  runs,
  success,
  given,
}: {
  runs: readonly Pick<WitnessedRun, 'cluster' | 'from' | 'until'>[];
  success: number;
  given: readonly { cluster: string; at: number; indexes?: string }[];
}): Promise<{ texts: string[]; figures: RunFigures }> {
  const booted = Date.now() - uptime() * 1000;
  const instant = (seconds: number): string => String(Math.round(booted + seconds * 1000));
  const rows = (query: string): unknown[] =>
    query.includes('placement.decided')
      ? given.map(({ cluster, at, indexes = '0' }) => ({ name: 'pi', cluster, indexes, at: instant(at) }))
      : [{ name: 'pi', completed: '0', at: instant(success) }];
  const { findings, figures } = await checkRuns(
    { sql: (query) => Promise.resolve(rows(query) as never) },
    [{ name: 'pi', policy: 'MoveWhenStopped', completions: 1 } as never],
    { runs: () => runs.map((run) => ({ ...run, run: 'pi/0', isDone: true })), overlaps: () => [] },
  );
  return { texts: findings.map(({ guarantee, text }) => `${guarantee}: ${text}`), figures };
}

const IN_WEST = { cluster: 'west', from: 100, until: 110 };
const IN_NORTH = { cluster: 'north', from: 130, until: 140 };

describe('the check of the test with placed Jobs, when an index runs in a second cluster', () => {
  it('counts a repetition when the second cluster was granted the index after the success was recorded', async () => {
    const given = [
      { cluster: 'west', at: 90 },
      { cluster: 'north', at: 125 },
    ];
    const { texts, figures } = await checked({ runs: [IN_WEST, IN_NORTH], success: 120, given });
    expect(texts).toEqual([expect.stringMatching(/^repeated: pi\/0 ran in north from 130 to 140/)]);
    expect(figures).toMatchObject({ repeats: 1, repeatsUnderWay: 0 });
  });

  it('counts no repetition when the second cluster was granted the index before the success was recorded', async () => {
    const given = [
      { cluster: 'west', at: 90 },
      { cluster: 'north', at: 115 },
    ];
    const { texts, figures } = await checked({ runs: [IN_WEST, IN_NORTH], success: 120, given });
    expect(texts).toEqual([]);
    expect(figures).toMatchObject({ repeats: 0, repeatsUnderWay: 1 });
  });

  it('counts a repetition when no decision granted the index to the second cluster', async () => {
    const given = [{ cluster: 'north', at: 115, indexes: '1-5' }];
    const { figures } = await checked({ runs: [IN_WEST, IN_NORTH], success: 120, given });
    expect(figures).toMatchObject({ repeats: 1, repeatsUnderWay: 0 });
  });
});

describe('the check of the test with placed Jobs, when an index runs again in the cluster in which it succeeded', () => {
  it('counts a repetition', async () => {
    const again = { ...IN_NORTH, cluster: 'west' };
    const given = [{ cluster: 'west', at: 90 }];
    const { figures } = await checked({ runs: [IN_WEST, again], success: 120, given });
    expect(figures).toMatchObject({ repeats: 1, repeatsUnderWay: 0 });
  });
});
