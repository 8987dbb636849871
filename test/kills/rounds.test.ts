import { PARTS, createRound, type Round } from './rounds.ts';

const rounds = (seed: number, from: number, count: number): Round[] =>
  Array.from({ length: count }, (_none, at) => createRound(seed, from + at));

describe('the rounds of the kill test with one seed', () => {
  it('are the same whichever round a test run begins with', () => {
    expect(rounds(7, 100, 50)).toEqual(rounds(7, 0, 150).slice(100));
  });

  it('differ from the rounds of another seed', () => {
    expect(rounds(7, 0, 8)).not.toEqual(rounds(8, 0, 8));
  });

  it('kill or stop each service once in eight rounds, in changing order', () => {
    const parts = rounds(7, 0, 80).map(({ part }) => part);
    const turns = Array.from({ length: 10 }, (_none, turn) => parts.slice(8 * turn, 8 * turn + 8));
    for (const turn of turns) expect(turn.toSorted()).toEqual([...PARTS].toSorted());
    expect(new Set(turns.map((turn) => turn.join())).size).toBe(10);
  });

  it('stop each service instead of killing it in every third group of eight', () => {
    const strikes = rounds(7, 0, 48).map(({ strike }) => strike);
    const eight = (strike: string): string[] => Array.from({ length: 8 }, () => strike);
    const three = [...eight('kill'), ...eight('kill'), ...eight('stop')];
    expect(strikes).toEqual([...three, ...three]);
  });

  it('have each fault of API requests at each rate once in eighteen rounds', () => {
    const faults = rounds(7, 18, 18).map(
      ({ requestFaults: { fault, percent } }) => `${fault} at ${percent} %`,
    );
    expect(new Set(faults).size).toBe(18);
  });

  it('kill the worker after an API call, after a release, after a decision and at any point, within forty-eight rounds', () => {
    const faults = rounds(7, 0, 48).filter(({ part, strike }) => part === 'worker' && strike === 'kill');
    expect(new Set(faults.map(({ fault }) => fault ?? 'any'))).toEqual(
      new Set(['after-api-call', 'after-release', 'after-decision', 'any']),
    );
  });

  it('have three different test stories each, and all six stories occur within twenty rounds', () => {
    const played = rounds(7, 0, 20).map(({ stories }) => stories.map(({ kind }) => kind));
    expect(new Set(played.flat()).size).toBe(6);
    for (const kinds of played) expect(new Set(kinds).size).toBe(3);
  });

  it('lose, repeat and delay events in each round, and interrupt some watch responses', () => {
    const faults = rounds(7, 0, 20).map(({ watchFaults }) => watchFaults.map(({ kind }) => kind));
    for (const kinds of faults) expect(kinds).toEqual(expect.arrayContaining(['lose', 'repeat', 'delay']));
    const cut = faults.filter((kinds) => kinds.includes('cut')).length;
    expect([cut > 0, cut < 20]).toEqual([true, true]);
  });
});
