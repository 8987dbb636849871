import { PLACEMENT_MANAGER } from '../../../workflows/kubernetes/names.ts';
import { messageOf } from '../../adapters/errors.ts';
import { PLACEMENT_FROM_LEVEL } from '../../adapters/events/feature-levels.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import type { Run } from '../../adapters/postgres/database.ts';
import { sql } from '../../adapters/postgres/statement.ts';
import type { Log } from '../../adapters/process/log.ts';
import { pause } from '../../adapters/waiting/pause.ts';
import { emitEvents } from '../activities/emit-events.ts';

/** How often the tables are read, in milliseconds. */
const LOOK_MS = 5000;
/** The most Jobs that get an Event at a time. */
const MOST = 100;

interface SayNotPlacedDependencies {
  client: KubernetesClient;
  /** The only namespaces whose Jobs get an Event; empty: all. */
  namespaces: readonly string[];
  /** The projector's tables. */
  run: Run;
  /** The feature level of the installation. */
  level: () => number;
  log: Log;
  now: () => number;
  signal: AbortSignal;
}

interface UnplacedJob {
  uid: string;
  namespace: string;
  name: string;
}

/**
 * Below the feature level of placed Jobs, these have no stream and no controller. Says so by an Event on each open one, once, until
 * the installation reaches the level. Best effort: without the tables nothing is said.
 */
export async function sayNotPlaced(dependencies: SayNotPlacedDependencies): Promise<void> {
  const { client, log, level, signal } = dependencies;
  const told = new Set<string>();
  while (!signal.aborted && level() < PLACEMENT_FROM_LEVEL) {
    try {
      await tell(dependencies, told);
    } catch (error) {
      log.debug(
        { cluster: client.cluster, error: messageOf(error) },
        'placed Jobs that wait for the feature level cannot be read from the tables; trying again',
      );
    }
    await pause(LOOK_MS, signal);
  }
}

async function tell(
  { client, namespaces, run, level, log, now, signal }: SayNotPlacedDependencies,
  told: Set<string>,
): Promise<void> {
  const { cluster } = client;
  const jobs = await run<UnplacedJob>(
    sql`select uid, namespace, name from jobledger.jobs where cluster = ${cluster} and managed_by = ${PLACEMENT_MANAGER} and finished_at is null and deleted_at is null and uid <> all(${[...told]}) and (cardinality(${namespaces}::text[]) = 0 or namespace = any(${namespaces})) limit ${MOST}`,
  );
  for (const { uid, namespace, name } of jobs) {
    signal.throwIfAborted();
    told.add(uid);
    const eventKey = { decision: `not-placed/${uid}`, now: now(), command: 0 };
    const of = { client, job: { cluster, uid, namespace, name }, signal, log, now, eventKey };
    const about = { kind: 'Job', resourceVersion: '', component: 'jobledger-placement' } as const;
    await emitEvents({ ...of, ...about }, [
      {
        type: 'Warning',
        reason: 'NotPlaced',
        message: `placed Jobs begin at feature level ${PLACEMENT_FROM_LEVEL}, and this installation is at ${level()}: nothing runs this Job until the operator has run "jobledger upgrade --finalize" and restarted the ingesters`,
      },
    ]);
  }
}
