import { checkDues } from './check-timers.ts';

describe('the check of the kill test that due actions happen in time', () => {
  it('accepts an action a second early, because instants are truncated', () => {
    const { findings, figures } = checkDues([{ job: 'a', due: 100_000, happened: 99_000 }], []);
    expect([findings, figures.timersEarly]).toEqual([[], 0]);
  });

  it('reports an action that is more than a second early', () => {
    const { findings, figures } = checkDues([{ job: 'a', due: 100_000, happened: 98_999 }], []);
    expect([findings.map(({ guarantee }) => guarantee), figures.timersEarly]).toEqual([['timers'], 1]);
  });

  it('reports an action that never happened', () => {
    expect(checkDues([{ job: 'a', due: 100_000, happened: undefined }], []).findings).toHaveLength(1);
  });

  it('reports an action as late unless an outage explains its lateness, and gives the worst lateness in either case', () => {
    const dues = [
      { job: 'a', due: 100_000, happened: 103_000 },
      { job: 'a', due: 200_000, happened: 212_000 },
    ];
    const { findings, figures } = checkDues(dues, [{ from: 199_000, to: 204_000 }]);
    expect(findings).toHaveLength(1);
    expect(figures).toEqual({ timersDue: 2, timersEarly: 0, timersLate: 1, worstLateness: 12_000 });
  });

  it('reports an action as late after 90 s, even during an outage', () => {
    const { figures } = checkDues(
      [{ job: 'a', due: 100_000, happened: 190_001 }],
      [{ from: 99_000, to: 300_000 }],
    );
    expect(figures.timersLate).toBe(1);
  });
});
