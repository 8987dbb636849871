import { linesOfFigures } from '../placed-rounds/figures.ts';
import type { Guarantee } from '../placed-rounds/findings.ts';
import { runRounds, type RunResult } from '../placed-rounds/run.ts';

const SEED = 20_261_184;
/** The long run, outside CI, has more rounds (CONTRIBUTING.md). */
const ROUNDS = 2;

let result: RunResult;

beforeAll(async () => {
  const lines: string[] = [`seed ${SEED}`];
  try {
    result = await runRounds({
      seed: SEED,
      from: 0,
      rounds: ROUNDS,
      report: (line) => void lines.push(line),
    });
    lines.push('', ...linesOfFigures(result.figures));
  } finally {
    console.log(lines.join('\n'));
  }
}, 900_000);

/** Returns the findings against these guarantees. */
function against(...guarantees: Guarantee[]): string[] {
  return result.findings.filter(({ guarantee }) => guarantees.includes(guarantee)).map(({ text }) => text);
}

describe(`while clusters are cut off and drained, and services killed with kill -9 (seed ${SEED}),`, () => {
  it('every Job completes, and each index has run to its end (J-16.8, J-16.10)', () => {
    expect(against('lost')).toEqual([]);
    expect(result.figures).toMatchObject({ rounds: ROUNDS, jobs: 5 * ROUNDS, indexesLost: 0 });
    expect(result.figures.runs).toBeGreaterThanOrEqual(28 * ROUNDS);
  });

  it('no index runs in two clusters at once, unless its Job accepts that (J-16.10)', () => {
    expect(against('overlap')).toEqual([]);
  });

  it('no index runs after its success was recorded, unless its member was decided on before', () => {
    expect(against('repeated')).toEqual([]);
  });

  it('the faults take effect: Jobs move to other clusters, and services are killed', () => {
    const { kills, grants } = result.figures;
    expect(kills).toBeGreaterThanOrEqual(ROUNDS);
    expect(Object.values(grants).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(3 * ROUNDS);
  });

  it('verify and rebuild find no difference', () => {
    expect(against('verify', 'rebuild')).toEqual([]);
    expect(result.figures.decisions).toBeGreaterThan(3 * result.figures.jobs);
  });

  it('the API servers rejected no status and denied Jobledger no right', () => {
    expect(against('refusals')).toEqual([]);
  });
});
