import { setTimeout as wait } from 'node:timers/promises';
import { countLag } from '../../../../services/api/readiness.ts';
import { InputError } from '../../../../services/adapters/errors.ts';
import type { KafkaConnection } from '../../../../services/adapters/kafka/connection.ts';
import { readEnds } from '../../../../services/adapters/kafka/scan.ts';
import type { Run } from '../../../../services/adapters/postgres/database.ts';
import { sql } from '../../../../services/adapters/postgres/statement.ts';
import { appliedPositions } from '../../../../services/read-model/state/positions.ts';
import type { Snapshot } from './manifest.ts';

/** The projector may need this long to apply what the ledger has, in milliseconds. */
const APPLY_LIMIT_MS = 30_000;
const POLL_MS = 250;

/**
 * Begins a transaction whose snapshot has every event that the ledger has now, and returns the instant in milliseconds since 1970.
 * @throws InputError if the projector does not apply the events in time.
 */
export async function beginSnapshot(run: Run, connection: KafkaConnection): Promise<number> {
  const { ledger } = connection.topics;
  const at = Date.now();
  const ends = await readEnds(connection, ledger);
  for (;;) {
    const missing = countLag(ends, await appliedPositions(run, ledger));
    if (missing === 0n) break;
    if (Date.now() - at > APPLY_LIMIT_MS)
      throw new InputError(
        `the tables lack ${missing} records of the ledger ${ledger}, and an export would lack them too: start a projector, wait until it has applied them, and export again`,
      );
    await wait(POLL_MS);
  }
  await run({ text: 'begin isolation level repeatable read, read only', values: [] });
  return at;
}

/** Reads the state of the ledger in the present transaction. */
export async function readSnapshot(run: Run, topic: string): Promise<Snapshot> {
  const applied = await appliedPositions(run, topic);
  const [retention] = await run<{ horizon: string | null; events_from: string | null }>(
    sql`select horizon, events_from from jobledger.retention`,
  );
  const positions = [...applied].map(([partition, next]) => ({ partition, nextOffset: next.toString() }));
  return { positions, horizon: retention?.horizon ?? null, eventsFrom: retention?.events_from ?? null };
}
