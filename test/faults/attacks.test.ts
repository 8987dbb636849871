import { linesOfFigures, type Guarantee } from '../attacks/figures.ts';
import { runAttacks, type RunResult } from '../attacks/run.ts';

const SEED = 7;
/** The long run, outside CI, takes 15 minutes (CONTRIBUTING.md). */
const SECONDS = 15;

let result: RunResult;

beforeAll(async () => {
  const lines: string[] = [`seed ${SEED}`];
  try {
    result = await runAttacks({
      seed: SEED,
      seconds: SECONDS,
      rate: 3,
      everyMs: 1500,
      slower: 3,
      report: (line) => void lines.push(line),
    });
    lines.push('', ...linesOfFigures(result.figures));
  } finally {
    console.log(lines.join('\n'));
  }
}, 600_000);

/** Returns the findings against these guarantees. */
function against(...guarantees: Guarantee[]): string[] {
  return result.findings.filter(({ guarantee }) => guarantees.includes(guarantee)).map(({ text }) => text);
}

describe('during attacks by a tenant with every right in one namespace and by a reader of it,', () => {
  it('the tenant and the reader attack without a pause', () => {
    expect(result.figures.tenant.accepted).toBeGreaterThan(20);
    expect(result.figures.reader.answers['2xx']).toBeGreaterThan(3);
  });

  it('Jobs of other namespaces end hardly later than under the built-in controller, at least half of them', () => {
    expect(against('late')).toEqual([]);
    expect(result.figures.pairs).toBeGreaterThan(5);
  });

  it('no service restarts, and each answers /healthz at most 3 s later than an idle process', () => {
    expect(against('restarts', 'health')).toEqual([]);
  });

  it('every service stays within its memory limit in the chart', () => {
    expect(against('memory')).toEqual([]);
  });

  it('the API answers every request, and shows the reader no data of another namespace', () => {
    expect(against('answers')).toEqual([]);
  });

  it('a sink receives the ends of the other Jobs, whatever it answers to messages about the tenant', () => {
    expect(against('sinks')).toEqual([]);
    expect(result.figures.deliveries).toBeGreaterThan(5);
  });

  it('the administrator can retry dead letters, and remove old Jobs and months of events', () => {
    expect(against('administrator')).toEqual([]);
    expect(result.figures.administrator.removed).toBeGreaterThanOrEqual(200);
    expect(result.figures.administrator.appendedAgain).toBeGreaterThanOrEqual(10);
  });

  it('the attacks cause no dead letters, and verify and rebuild find no difference', () => {
    expect(against('set aside', 'verify', 'rebuild')).toEqual([]);
    expect(result.figures.records).toBeGreaterThan(500);
  });

  it('services that start again on the same ledger afterwards run Jobs', () => {
    expect(against('goes on')).toEqual([]);
  });

  it('the API servers rejected no status and denied Jobledger no right', () => {
    expect(against('refusals')).toEqual([]);
  });
});
