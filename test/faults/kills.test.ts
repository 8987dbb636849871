import type { Guarantee } from '../kills/checks.ts';
import { linesOfFigures } from '../kills/figures.ts';
import { PARTS } from '../kills/rounds.ts';
import { runRounds, type RunResult } from '../kills/run.ts';

/** With this seed, the rounds have each fault of watches, and requests without an answer at 5 and 10 %. */
const SEED = 20_260_838;
/** Each part is killed once. The rounds of the night kill it more often, at its worst points, and also stop it (CONTRIBUTING.md). */
const ROUNDS = PARTS.length;

let result: RunResult;

beforeAll(async () => {
  const lines: string[] = [];
  const options = { seed: SEED, from: 0, rounds: ROUNDS, report: (line: string) => void lines.push(line) };
  try {
    result = await runRounds(options);
    lines.push('', ...linesOfFigures(result.figures));
  } finally {
    console.log(lines.join('\n'));
  }
}, 900_000);

/** Returns the findings against a guarantee. */
function against(guarantee: Guarantee): string[] {
  return result.findings.filter((each) => each.guarantee === guarantee).map(({ text }) => text);
}

describe(`while services are killed, and watches and requests have faults (seed ${SEED}),`, () => {
  it('each Job ends as it does without faults', () => {
    expect(against('stories')).toEqual([]);
    expect(result.figures).toMatchObject({ jobs: 3 * ROUNDS, jobsWrong: 0 });
    expect(Object.values(result.figures.kills)).toEqual(PARTS.map(() => 1));
  });

  it('each Job has exactly its planned pods in the ledger and in the audit log', () => {
    expect(against('pods')).toEqual([]);
    expect(result.figures.podsTwice).toBe(0);
    expect(result.figures.pods).toBeGreaterThanOrEqual(2 * result.figures.jobs);
  });

  it('every object version that the API server offered is in SQL once, or in a recorded gap', () => {
    expect(against('versions')).toEqual([]);
    expect(result.figures.versionsOffered).toBeGreaterThan(20 * ROUNDS);
    expect(result.figures.versionsUnnoticed).toBeLessThanOrEqual(result.figures.eventsLost);
  });

  it('no deadline or delay changes, and each action is on time, or as late as the outages explain', () => {
    expect(against('timers')).toEqual([]);
    expect(result.figures.instants).toBeGreaterThan(ROUNDS);
    expect(result.figures.timersDue).toBeGreaterThan(ROUNDS / 2);
  });

  it('the proxy caused every planned fault', () => {
    // A fault of a watch takes place only if its round has that many events.
    const { eventsLost, eventsRepeated, eventsDelayed, streamsCut } = result.figures;
    expect(Math.min(eventsLost, eventsRepeated, eventsDelayed)).toBeGreaterThan(0);
    expect(eventsLost + eventsRepeated + eventsDelayed + streamsCut).toBeGreaterThan(ROUNDS / 2);
    const { requestsRefused, requestsUnanswered } = result.figures;
    expect(requestsRefused + requestsUnanswered).toBeGreaterThan(ROUNDS);
    expect(result.figures.versionsGoneBack).toBeGreaterThan(0);
  });

  it('every decision is the same when it is made again from the ledger', () => {
    expect(against('verify')).toEqual([]);
    expect(result.figures.decisions).toBeGreaterThan(3 * result.figures.jobs);
  });

  it('rebuilt tables equal the live tables', () => {
    expect(against('rebuild')).toEqual([]);
    expect(result.figures.records).toBeGreaterThan(10 * result.figures.jobs);
  });

  it('the API server rejected no status and denied Jobledger no right', () => {
    expect(against('refusals')).toEqual([]);
  });
});
