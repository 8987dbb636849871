import { FAULTS, createRound, type EngineRound } from './rounds.ts';

const rounds = (seed: number, from: number, count: number): EngineRound[] =>
  Array.from({ length: count }, (_none, at) => createRound(seed, from + at));

describe('the test rounds on real engines', () => {
  it('are the same, whichever round begins a test run', () => {
    expect(rounds(7, 10, 20)).toEqual(rounds(7, 0, 30).slice(10));
  });

  it('contain every fault in every twenty rounds, in another order with another seed', () => {
    const faults = (seed: number): string[] => rounds(seed, 0, FAULTS.length).map(({ fault }) => fault);
    expect(FAULTS).toHaveLength(20);
    expect(faults(7).toSorted()).toEqual([...FAULTS].toSorted());
    expect(faults(7)).not.toEqual(faults(8));
  });

  it('affect each of three and each of two equal servers within six rounds', () => {
    const struck = rounds(7, 0, 6).map(({ which }) => which);
    expect(struck.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5]);
  });
});
