import { errorMessage } from '../../../services/adapters/errors.ts';
import { readKafkaCluster } from '../../../services/installation/installation.ts';
import { areOfOtherCluster } from '../../../services/read-model/state/same-cluster.ts';
import type { KafkaConnection } from '../../../services/adapters/kafka/connection.ts';
import type { Extent } from '../../../services/adapters/kafka/scan.ts';
import type { Checkpoint } from '../../checkpoint/checkpoint.ts';
import type { ComparedLedger } from '../../checkpoint/compare-ledger.ts';
import type { CheckpointFinding } from '../../checkpoint/findings.ts';
import { nameRecords } from '../../checkpoint/name-records.ts';
import type { StateDirOption } from '../../options.ts';
import { withDatabase } from '../../with-database.ts';

/** The result of a comparison with a checkpoint, as `-o json` prints it. */
export interface ComparedCheckpoint {
  madeAt: string;
  keyId: string;
  /** The number of records that the checkpoint covers. */
  records: number;
  findings: readonly CheckpointFinding[];
  /** Notes about records that could not be compared, one line each. */
  notes: readonly string[];
}

/** Names the records of each finding, with the tables when they can be read. */
export async function comparedCheckpoint(
  { madeAt, keyId, records }: Checkpoint,
  { deviations, misdated, expired }: ComparedLedger,
  ledger: { connection: KafkaConnection; extents: ReadonlyMap<number, Extent> },
  options: StateDirOption,
): Promise<ComparedCheckpoint> {
  const compared = { madeAt, keyId, records };
  if (deviations.length === 0) return { ...compared, findings: misdated, notes: expired };
  try {
    const cluster = await readKafkaCluster(ledger.connection);
    const { topics } = ledger.connection;
    const findings = await withDatabase(options, async (run) => {
      const isOther = await areOfOtherCluster(run, topics.ledger, cluster);
      return nameRecords(deviations, ledger, isOther ? null : run);
    });
    return { ...compared, findings: [...findings, ...misdated], notes: expired };
  } catch (error) {
    const note = `the tables, which would name the records, cannot be read (${errorMessage(error)})`;
    const findings = [...(await nameRecords(deviations, ledger, null)), ...misdated];
    return { ...compared, findings, notes: [...expired, note] };
  }
}
