import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createLog } from '../../services/adapters/process/log.ts';
import { createMetrics } from '../../services/adapters/metrics/metrics.ts';
import { sql } from '../../services/adapters/postgres/statement.ts';
import { elapsedRatio, guardsByCluster, showGuards } from '../../services/projector/guards.ts';
import type { PlacementCommand } from '../../workflows/placement/commands.ts';
import { aPlacedLife } from '../history/a-placed-life.ts';
import {
  aProjector,
  emptied,
  toRecords,
  startPostgres,
  type RealPostgres,
} from '../projector/real-postgres.ts';
import { START } from '../support/builders.ts';
import { eventually } from '../support/eventually.ts';

jest.setTimeout(120_000);

let postgres: RealPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.close());
beforeEach(async () => {
  await emptied(postgres.database);
  await postgres.database.run(
    sql`insert into jobledger.clusters (name, gap_count) values (${'west'}, 0), (${'north'}, 0)`,
  );
});

const ABOUT = { cluster: 'west', grant: 1, name: 'pi' };
const renewal = (uid?: string): PlacementCommand => ({
  kind: 'RenewGuard',
  ...ABOUT,
  leaseSeconds: 300,
  ...(uid !== undefined && { uid }),
  why: { rule: 'J-16.16', message: 'the guard is renewed every 100 s' },
});
const DONE = { kind: 'RenewGuard', result: 'done', uid: 'guard-uid', isStarted: true };

/** Returns the life of a placed Job whose guard in west was created at 1 s and renewed at 100 s, with a lease of 300 s. */
function aGuardedLife() {
  const life = aPlacedLife();
  life.placed(0);
  life.decides(1, [renewal()]);
  life.answers(1, DONE);
  life.gives(2, 'west', 1);
  life.created(3, 'west', 1);
  life.decides(100, [renewal('guard-uid')]);
  life.answers(100, DONE);
  return life;
}

async function guardsAfter({ events }: ReturnType<typeof aPlacedLife>) {
  const { project, fatal } = aProjector(postgres.database);
  await project(toRecords(events));
  expect(fatal).toEqual([]);
  return postgres.database.run<Parameters<typeof elapsedRatio>[0]>(guardsByCluster());
}

const NONE = { guards: 0, renewed_at: null, lease_seconds: null };
const IN_NORTH = { cluster: 'north', ...NONE };

describe('the guards in a cluster, as the tables and metrics count them (J-16.16)', () => {
  it('have the instant of the last renewal that the API server accepted', async () => {
    const [north, west] = await guardsAfter(aGuardedLife());
    expect(north).toEqual(IN_NORTH);
    expect(west).toEqual({ cluster: 'west', guards: 1, renewed_at: START / 1000 + 100, lease_seconds: 300 });
    if (west === undefined || north === undefined) throw new Error('a cluster is missing');
    expect(elapsedRatio(west, START + 250_000)).toBeCloseTo(0.5);
    expect(elapsedRatio(north, START + 250_000)).toBe(0);
  });

  it('keep the instant of the last accepted renewal when a further renewal gets no answer', async () => {
    const life = aGuardedLife();
    life.decides(200, [renewal('guard-uid')]);
    life.answers(201, { kind: 'RenewGuard', result: 'unanswered', message: 'no answer' });
    expect((await guardsAfter(life))[1]).toMatchObject({ guards: 1, renewed_at: START / 1000 + 100 });
  });

  it('are counted once for each member of a spread Job (J-17.1)', async () => {
    const life = aGuardedLife();
    const north = { cluster: 'north', grant: 2, name: 'pi-m2' };
    life.decides(150, [{ ...renewal(), ...north }]);
    life.answers(150, DONE);
    life.gives(151, 'north', 2);
    life.created(152, 'north', 2);
    expect(await guardsAfter(life)).toMatchObject([
      { cluster: 'north', guards: 1, renewed_at: START / 1000 + 150 },
      { cluster: 'west', guards: 1, renewed_at: START / 1000 + 100 },
    ]);
  });

  it.each([
    [
      'released',
      (life: ReturnType<typeof aPlacedLife>) => {
        const why = { rule: 'J-16.16', message: 'the member needs no guard any more' } as const;
        life.decides(150, [{ kind: 'ReleaseGuard', ...ABOUT, uid: 'guard-uid', why }]);
        life.answers(151, { kind: 'ReleaseGuard', result: 'done' });
      },
    ],
    [
      'deleted by another client',
      (life: ReturnType<typeof aPlacedLife>) => {
        life.decides(150, [renewal('guard-uid')]);
        life.answers(151, { kind: 'RenewGuard', result: 'gone' });
      },
    ],
    [
      'of a grant that has ended',
      (life: ReturnType<typeof aPlacedLife>) => life.ends(150, 'west', 1, 'guarded'),
    ],
  ])('are not counted when they are %s', async (_what, happens) => {
    const life = aGuardedLife();
    happens(life);
    expect(await guardsAfter(life)).toEqual([IN_NORTH, { cluster: 'west', ...NONE }]);
  });

  it('are shown in the metrics of the projector, with an elapsed ratio that rises without a renewal', async () => {
    await guardsAfter(aGuardedLife());
    const metrics = createMetrics();
    const stop = new AbortController();
    const log = createLog('test');
    log.level = 'silent';
    showGuards(metrics, { run: postgres.database.run, log, signal: stop.signal });
    try {
      const ratio = async (): Promise<number | undefined> => {
        const [, value] =
          /^jobledger_guard_lease_elapsed_ratio\{cluster="west"\} (.+)$/m.exec(await metrics.text()) ?? [];
        return value === undefined ? undefined : Number(value);
      };
      const first = await eventually('the guards are read', 20, ratio);
      expect(first).toBeGreaterThan(0.5);
      await eventually('the ratio rises', 20, async () => ((await ratio()) ?? 0) > first || undefined);
      expect(await metrics.text()).toContain('jobledger_guards{cluster="west"} 1');
      expect(await metrics.text()).toContain('jobledger_guard_lease_elapsed_ratio{cluster="north"} 0');
    } finally {
      stop.abort();
    }
  });
});
