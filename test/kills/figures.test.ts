import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linesOfFigures, record, recordedRuns, sumFigures, type Figures } from './figures.ts';
import { PARTS, type Part } from './rounds.ts';

function figures(given: Partial<Figures>): Figures {
  return {
    rounds: 8,
    seconds: 40,
    kills: Object.fromEntries(PARTS.map((part) => [part, 1])) as Record<Part, number>,
    jobs: 24,
    jobsWrong: 0,
    pods: 70,
    podsTwice: 0,
    decisions: 200,
    records: 1500,
    eventsLost: 12,
    eventsRepeated: 12,
    eventsDelayed: 8,
    streamsCut: 4,
    stops: 0,
    requestsRefused: 2,
    requestsUnanswered: 1,
    versionsGoneBack: 1,
    versionsOffered: 600,
    versionsInGaps: 20,
    versionsUnnoticed: 3,
    versionsLost: 0,
    versionsListedAgain: 0,
    gaps: 9,
    instants: 100,
    timersMoved: 0,
    timersDue: 20,
    timersEarly: 0,
    timersLate: 0,
    worstLateness: 9000,
    findings: 0,
    ...given,
  };
}

describe('the figures of kill test runs', () => {
  it('are added up over several runs, except the worst lateness, which is that of one run', () => {
    const sum = sumFigures([
      figures({}),
      figures({ jobs: 30, worstLateness: 12_000 }),
      figures({ versionsLost: 2 }),
    ]);
    expect(sum).toMatchObject({
      rounds: 24,
      jobs: 78,
      versionsLost: 2,
      worstLateness: 12_000,
      kills: { worker: 3, kafka: 3 },
    });
  });

  it('show how long a round took, and which services were killed', () => {
    const [rounds, kills] = linesOfFigures(figures({}));
    expect(rounds).toBe('8 rounds in 40 s, 5.0 s a round');
    expect(kills).toMatch(
      /^kills: ingester 1, dispatcher 1, .*local-kube-apiserver 1; stopped for a while: 0$/,
    );
  });

  it('are stored in a file, in the order of the runs', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'jobledger-figures-')), 'kills.json');
    const run = { at: '2026-11-22T12:00:00.000Z', commit: 'abc', seed: 7, from: 0, figures: figures({}) };
    expect(recordedRuns(file)).toEqual([]);
    record(file, run);
    record(file, { ...run, from: 8 });
    expect(recordedRuns(file)).toEqual([run, { ...run, from: 8 }]);
  });
});
