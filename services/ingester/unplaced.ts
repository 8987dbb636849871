import { PLACEMENT_MANAGER } from '../../workflows/kubernetes/names.ts';
import { PLACEMENT_FROM_LEVEL } from '../adapters/events/feature-levels.ts';
import type { Log } from '../adapters/process/log.ts';
import type { CountChange } from './metrics.ts';

interface UnplacedDependencies {
  cluster: string;
  /** This process records placed Jobs as such. */
  placement: boolean;
  /** The feature level of the installation. */
  level: () => number;
  log: Pick<Log, 'warn'>;
}

/**
 * Tells the operator once that the cluster has placed Jobs which nothing places: the installation is below their feature level, or
 * has reached it since this process started, which is said once more.
 */
export function warnOfUnplaced({ cluster, placement, level, log }: UnplacedDependencies): CountChange {
  let last = '';
  return (_before, change) => {
    if (placement || change.resource !== 'jobs' || change.entry?.managedBy !== PLACEMENT_MANAGER) return;
    const why = reasonAt(level());
    if (why === last) return;
    last = why;
    const { namespace, name } = change.entry;
    log.warn({ cluster }, `${namespace}/${name} is a placed Job, which belongs to no controller ${why}`);
  };
}

function reasonAt(level: number): string {
  return level < PLACEMENT_FROM_LEVEL
    ? `below feature level ${PLACEMENT_FROM_LEVEL}, and this installation is at ${level}: run "jobledger upgrade --finalize", then restart the ingesters`
    : `yet, because the installation reached feature level ${PLACEMENT_FROM_LEVEL} after this ingester had started: restart it`;
}
