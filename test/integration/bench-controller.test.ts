import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startControlPlane, type ControlPlane } from '../bench/controller/control-plane/control-plane.ts';
import { measure } from '../bench/controller/measure.ts';
import type { Figures } from '../bench/controller/report/figures.ts';
import { startJobledger } from '../bench/controller/sides/jobledger.ts';
import type { Side } from '../bench/controller/sides/side.ts';

const JOBS = 30;
const say = (): void => undefined;
const newStateDir = (): string => mkdtempSync(join(tmpdir(), 'jobledger-test-'));

let plane: ControlPlane | undefined;
let side: Side | undefined;
let figures: Figures;

beforeAll(async () => {
  plane = await startControlPlane(newStateDir(), say);
  side = await startJobledger(plane, { stateDir: newStateDir(), api: false, say });
  const load = { jobs: JOBS, pods: 1, parallelism: 1, indexed: false };
  figures = await measure(plane, side, { load, warmUp: 2, verify: true, round: 1 });
}, 110_000);

afterAll(async () => {
  await side?.stop();
  await plane?.stop();
}, 30_000);

/**
 * Only counts, which a slow machine does not raise. How many decisions a Job needs depends on timing, though: two when its
 * pod is seen ready and succeeded at once, three when one after the other. The bounds are a little above three. A change
 * that costs less should lower them; one that costs more has to say what for.
 */
describe(`${JOBS} Jobs of one pod, created at once, cost for each Job`, () => {
  it.each([
    ['API writes a Job', 7.5],
    ['API reads a Job', 3.5],
    ['workflow tasks a Job', 3.5],
    ['history events a Job', 21],
    ['signals a Job', 4],
    ['ledger records a Job', 19],
    ['live topic records a Job', 8.5],
    ['Postgres transactions a Job', 5],
  ])('at most: %s, %d', (name, most) => {
    expect(figures[name]).toBeGreaterThanOrEqual(0);
    expect(figures[name]).toBeLessThanOrEqual(most);
  });

  it('one pod', () => expect(figures['pods a Job']).toBe(1));
});
