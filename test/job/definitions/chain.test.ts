import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { awaitedFrom, cycleThrough, MAX_AWAITED } from '../../../workflows/job/definitions/chain.ts';

/** Which Jobs a Job waits for, by its number. */
type Graph = number[][];

const graphs: fc.Arbitrary<Graph> = fc.integer({ min: 1, max: 9 }).chain((size) =>
  fc.array(fc.uniqueArray(fc.integer({ min: 0, max: size - 1 }), { maxLength: 3 }), {
    minLength: size,
    maxLength: size,
  }),
);

const jobName = (job: number): string => `job-${job}`;

function waitsForIn(graph: Graph): (name: string) => string[] | undefined {
  return (name) => graph[Number(name.slice('job-'.length))]?.map(jobName);
}

/** The length of the shortest way from Job 0 back to itself, by powers of the adjacency matrix; 0: there is none. */
function shortestCycle(graph: Graph): number {
  let reached = new Set([0]);
  for (let length = 1; length <= graph.length; length += 1) {
    reached = new Set([...reached].flatMap((each) => graph[each] ?? []));
    if (reached.has(0)) return length;
  }
  return 0;
}

describe('a cycle of Jobs that wait for each other', () => {
  it('is found exactly when the given Job is in one, and is then the shortest', () => {
    let cycles = 0;
    fc.assert(
      fc.property(graphs, (graph) => {
        const waitsFor = waitsForIn(graph);
        const found = cycleThrough('job-0', waitsFor('job-0') ?? [], waitsFor);
        const length = shortestCycle(graph);
        if (length > 0) cycles += 1;
        expect(found === null ? 0 : found.length - 1).toBe(length);
        for (const [at, name] of (found ?? []).slice(1).entries())
          expect(waitsFor(found?.[at] ?? '')).toContain(name);
      }),
      { numRuns: 1000, seed: 20_261_124 },
    );
    expect(cycles).toBeGreaterThan(100);
  });

  it('is not reported for a Job outside the cycle', () => {
    const graph = [[1], [2], [1]];
    expect(cycleThrough('job-0', ['job-1'], waitsForIn(graph))).toBeNull();
  });
});

describe('the set of Jobs for which a Job waits', () => {
  it('contains every Job that can be reached, without the Job itself', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const waitsFor = waitsForIn(graph);
        const reached = new Set<number>();
        const visit = (job: number): void => {
          for (const each of graph[job] ?? [])
            if (!reached.has(each)) {
              reached.add(each);
              visit(each);
            }
        };
        visit(0);
        reached.delete(0);
        const { names, isCut } = awaitedFrom('job-0', waitsFor('job-0') ?? [], waitsFor);
        expect(names.toSorted()).toEqual([...reached].map(jobName).toSorted());
        expect(isCut).toBe(false);
      }),
      { seed: 20_261_124 },
    );
  });

  it('contains at most 100 Jobs, those nearest to the Job', () => {
    const waitsFor = (name: string): string[] => [`job-${Number(name.slice('job-'.length)) + 1}`];
    const { names, isCut } = awaitedFrom('job-0', ['job-1'], waitsFor);
    expect([names.length, names[0], names.at(-1), isCut]).toEqual([MAX_AWAITED, 'job-1', 'job-100', true]);
  });
});
