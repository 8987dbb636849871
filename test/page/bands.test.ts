import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { axisRows, bandDensity, stackedPaths, type Band } from '../../page/job/time/axis/bands.ts';
import type { Lane, LanePod } from '../../page/job/pods/lanes.ts';

function lane(index: number, pods: LanePod[] = []): Lane {
  return { key: `index ${index}`, index, label: `index ${index}`, pods };
}

function lanes(count: number): Lane[] {
  return Array.from({ length: count }, (_, index) => lane(index));
}

function labels(rows: ReturnType<typeof axisRows>): string[] {
  return rows.map((row) => {
    if (row.kind === 'share') return row.share.cluster;
    return row.kind === 'band' ? row.band.label : row.lane.label;
  });
}

const RANGE = { from: 0, to: 1000 };
const COLUMNS = 10;

function density(pods: LanePod[], at: number | null = null): ReturnType<typeof bandDensity> {
  const band: Band = { key: 'band 0', label: 'index 0 to 0', lanes: [lane(0, pods)] };
  return bandDensity(band, { range: RANGE, at, columns: COLUMNS });
}

function pod(segments: LanePod['segments'], failedAt?: number): LanePod {
  const end =
    failedAt === undefined ? null : { at: failedAt, message: 'exit code 1', code: '1', isFailure: true };
  return { uid: 'u', name: 'p', segments, outcome: end === null ? 'open' : 'failed', end };
}

describe('the rows of the time axis', () => {
  it('are the lanes of the pods while there are few lanes', () => {
    expect(labels(axisRows(lanes(200), new Set()))).toEqual(lanes(200).map(({ label }) => label));
  });

  it.each([
    [201, 21, 'index 0 to 9', 'index 200 to 200'],
    [10_000, 100, 'index 0 to 99', 'index 9900 to 9999'],
    [20_000, 200, 'index 0 to 99', 'index 19900 to 19999'],
  ])('are bands of several lanes each when there are %s lanes', (count, rows, first, last) => {
    const found = labels(axisRows(lanes(count), new Set()));
    expect([found.length, found[0], found.at(-1)]).toEqual([rows, first, last]);
  });

  it('are grouped by cluster for a spread Job, also when a cluster has no pod', () => {
    const there = (cluster: string, count: number): Lane[] =>
      lanes(count).map((each) => ({ ...each, cluster }));
    const shares = ['north', 'south', 'west'].map((cluster) => ({ cluster, steps: [] }));
    const few = axisRows([...there('north', 1), ...there('west', 2)], new Set(), shares);
    expect(labels(few)).toEqual(['north', 'index 0', 'south', 'west', 'index 0', 'index 1']);
    const many = axisRows(
      [...there('north', 20), ...there('west', 200)],
      new Set(['band 10 in north']),
      shares,
    );
    expect(labels(many).slice(0, 5)).toEqual([
      'north',
      'index 0 to 9',
      'index 10 to 19',
      'index 10',
      'index 11',
    ]);
    expect(labels(many).slice(13, 16)).toEqual(['south', 'west', 'index 0 to 9']);
  });

  it('include the lanes of an open band after the band', () => {
    const rows = axisRows(lanes(2000), new Set(['band 10']));
    expect(labels(rows).slice(0, 14)).toEqual([
      'index 0 to 9',
      'index 10 to 19',
      ...lanes(20)
        .slice(10)
        .map(({ label }) => label),
      'index 20 to 29',
      'index 30 to 39',
    ]);
  });

  it('are named by the positions of the pods when the pods have no index', () => {
    const pods = lanes(300).map((each) => ({ ...each, index: null }));
    expect(labels(axisRows(pods, new Set())).slice(0, 2)).toEqual(['pods 1 to 10', 'pods 11 to 20']);
  });
});

describe('the density of a band', () => {
  it('counts the pods of each state in each column', () => {
    const { pending, running, failed } = density([
      pod([{ kind: 'running', from: 100, to: 400 }]),
      pod(
        [
          { kind: 'pending', from: 0, to: 200 },
          { kind: 'running', from: 200, to: 500 },
        ],
        500,
      ),
    ]);
    expect(pending).toEqual([1, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
    expect(running).toEqual([0, 1, 2, 2, 1, 0, 0, 0, 0, 0]);
    expect(failed).toEqual([0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
  });

  it('includes states that are shorter than a column, and states that have not ended', () => {
    expect(density([pod([{ kind: 'ready', from: 310, to: 311 }])]).ready).toEqual([
      0, 0, 0, 1, 0, 0, 0, 0, 0, 0,
    ]);
    expect(density([pod([{ kind: 'ready', from: 800, to: null }])]).ready).toEqual([
      0, 0, 0, 0, 0, 0, 0, 0, 1, 1,
    ]);
  });

  it('counts no pod in a column after the chosen instant', () => {
    const later = [
      pod([{ kind: 'running', from: 100, to: 900 }], 900),
      pod([{ kind: 'running', from: 600, to: 700 }]),
    ];
    const { running, failed } = density(later, 300);
    expect(running).toEqual([0, 1, 1, 0, 0, 0, 0, 0, 0, 0]);
    expect(failed.every((count) => count === 0)).toBe(true);
  });

  it('is never negative, and never more than the number of pods', () => {
    const instant = fc.integer({ min: -500, max: 1500 });
    const anyPod = fc
      .tuple(instant, fc.option(instant))
      .map(([a, b]) =>
        pod([{ kind: 'ready', from: Math.min(a, b ?? a), to: b === null ? null : Math.max(a, b) }]),
      );
    fc.assert(
      fc.property(fc.array(anyPod, { maxLength: 8 }), fc.option(instant), (pods, at) => {
        const { ready } = density(pods, at);
        expect(ready.every((count) => count >= 0 && count <= pods.length)).toBe(true);
      }),
    );
  });
});

describe('the stacked columns of a band', () => {
  it('are drawn on top of each other, with equal neighbouring columns as one rectangle', () => {
    expect(
      stackedPaths(
        [
          [1, 1, 0],
          [0, 1, 1],
        ],
        2,
      ),
    ).toEqual(['M0 1h2V0.5h-2z', 'M1 0.5h1V0h-1zM2 1h1V0.5h-1z']);
  });
});
