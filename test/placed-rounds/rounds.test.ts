import { FAULTS, createRound, type Fault, type Round } from './rounds.ts';

const rounds = (seed: number, from: number, count: number): Round[] =>
  Array.from({ length: count }, (_none, at) => createRound(seed, from + at));

describe('the rounds of the test with placed Jobs', () => {
  it('depend on the seed and their number, not on the round with which a run begins', () => {
    expect(rounds(7, 16, 8)).toEqual(rounds(7, 0, 24).slice(16));
    expect(rounds(7, 0, 8)).not.toEqual(rounds(8, 0, 8));
  });

  it('have each fault once in as many rounds as faults exist', () => {
    const faults = rounds(7, FAULTS.length, FAULTS.length).map(({ fault }) => fault);
    expect(faults.toSorted()).toEqual([...FAULTS].toSorted());
  });

  it('have their fault in the cluster in which their Jobs begin, or for cut-home in the home cluster', () => {
    for (const { fault, cluster, order } of rounds(7, 0, 40))
      expect(cluster).toBe(fault === 'cut-home' ? 'east' : order[0]);
    expect(new Set(rounds(7, 0, 40).map(({ cluster }) => cluster)).size).toBe(3);
  });

  it('begin in the home cluster at times, but never when their fault restores that cluster or cuts it until Jobs have moved', () => {
    const atHome = rounds(7, 0, 200).filter(({ order }) => order[0] === 'east');
    expect(atHome.length).toBeGreaterThan(20);
    const faults = new Set(atHome.map(({ fault }) => fault));
    expect(
      ['restore', 'cut-until-moved', 'drain-while-cut'].filter((each) => faults.has(each as Fault)),
    ).toEqual([]);
  });

  it('kill, taken together, both processes of each service, and pause a service at times', () => {
    const killed = rounds(7, 0, 40).flatMap(({ kills }) => kills.map(({ service }) => service));
    expect(new Set(killed).size).toBe(8);
    const stopped = rounds(7, 0, 40).flatMap(({ stop }) => stop?.service ?? []);
    expect(stopped.length).toBeGreaterThan(8);
  });
});
