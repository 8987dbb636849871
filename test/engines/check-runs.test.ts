import { withoutCause } from './check-runs.ts';

const run = (at: number): { id: string; runId: string; at: number } => ({ id: 'local/a', runId: 'r', at });

describe('a replaced workflow run', () => {
  it('is explained when it is replaced after a loss of data in Temporal', () => {
    expect(withoutCause([run(100_000), run(280_000)], [{ from: 90_000, to: 110_000 }])).toEqual([]);
  });

  it.each([
    ['before the loss of data', 80_000],
    ['long after the loss of data', 291_000],
  ])('is reported as unexplained when it is replaced %s', (_when, at) => {
    const [finding, ...others] = withoutCause([run(at)], [{ from: 90_000, to: 110_000 }]);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      guarantee: 'runs',
      text: expect.stringContaining('the run r of local/a'),
    });
  });

  it('is reported as unexplained when Temporal has lost no data', () => {
    expect(withoutCause([run(100_000)], [])).toHaveLength(1);
  });
});
