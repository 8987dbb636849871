import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startControlPlane, type ControlPlane } from '../bench/controller/control-plane/control-plane.ts';
import { measure } from '../bench/controller/measure.ts';
import type { Figures } from '../bench/controller/report/figures.ts';
import { startJobledger } from '../bench/controller/sides/jobledger.ts';
import type { Side } from '../bench/controller/sides/side.ts';

const JOBS = 30;
const report = (): void => undefined;
const newStateDir = (): string => mkdtempSync(join(tmpdir(), 'jobledger-test-'));

let plane: ControlPlane | undefined;
let side: Side | undefined;
let figures: Figures;

beforeAll(async () => {
  plane = await startControlPlane(newStateDir(), report);
  side = await startJobledger(plane, { stateDir: newStateDir(), api: false, temporalOn: 'sqlite', report });
  const load = { jobs: JOBS, pods: 1, parallelism: 1, indexed: false };
  figures = await measure(plane, side, { load, warmUp: 2, verify: true, round: 1 });
}, 110_000);

afterAll(async () => {
  await side?.stop();
  await plane?.stop();
}, 30_000);

/**
 * These are counts, which a slow machine hardly raises. The number of decisions about a Job depends on timing: there are two when its
 * pod ends within the batch period, three when it is seen ready for longer. Most Jobs need two. A change
 * that costs less should lower the bounds; a change that costs more must give a reason.
 */
describe(`each of ${JOBS} Jobs of one pod, created at the same time,`, () => {
  it.each([
    ['API writes a Job', 7],
    ['API reads a Job', 2],
    ['Temporal actions a Job', 4.8],
    ['workflow tasks a Job', 2.8],
    ['history events a Job', 16],
    ['signals a Job', 1.8],
    ['ledger records a Job', 17],
    ['ledger kB a Job', 14],
    ['live topic records a Job', 7.5],
    ['Postgres transactions a Job', 4],
  ])('costs at most the expected number of %s (%d)', (name, most) => {
    expect(figures[name]).toBeGreaterThanOrEqual(0);
    expect(figures[name]).toBeLessThanOrEqual(most);
  });

  it('costs exactly one pod creation', () => expect(figures['pods a Job']).toBe(1));
});
