import { JobledgerError } from '../../services/adapters/errors.ts';
import type { Extent } from '../../services/adapters/kafka/scan.ts';
import type { LedgerRecord } from '../../services/adapters/kafka/subscription.ts';
import type { Checkpoint, PartitionChain } from './checkpoint.ts';
import { compareChain, type ChainDeviation } from './compare-chain.ts';
import { toFinding, misdatedFinding, type CheckpointFinding } from './findings.ts';
import { isSignedBefore, recordTime } from './ledger-time.ts';

/** Compares all partitions of a ledger with a checkpoint. */
export interface LedgerComparison {
  add(record: LedgerRecord): void;
  /** True when the checkpoint covers the record. */
  covers(record: LedgerRecord): boolean;
  /**
   * The caller calls this at the end of the ledger. @throws JobledgerError if the checkpoint belongs to another ledger.
   */
  result(): ComparedLedger;
}

export interface ComparedLedger {
  deviations: FoundDeviation[];
  /** Partitions whose newest covered record is later than the checkpoint. */
  misdated: CheckpointFinding[];
  /** Records that Kafka deleted because they exceeded the ledger's retention, a line for each partition. */
  expired: string[];
}

export interface FoundDeviation extends ChainDeviation {
  chain: PartitionChain;
  finding: CheckpointFinding;
}

interface ComparedTopic {
  topic: string;
  extents: ReadonlyMap<number, Extent>;
  /** True when Kafka deletes old records by configuration. */
  expires: boolean;
}

/** Creates the comparison of a ledger with a checkpoint. */
export function compareLedger(
  checkpoint: Checkpoint,
  { topic, extents, expires }: ComparedTopic,
): LedgerComparison {
  const compared = checkpoint.partitions.map((chain) => ({
    chain,
    end: BigInt(chain.marks.at(-1)?.offset ?? '-1'),
    comparison: compareChain(chain),
  }));
  const byPartition = new Map(compared.map((each) => [each.chain.partition, each]));
  const misdated: CheckpointFinding[] = [];
  return {
    add(record) {
      const part = byPartition.get(record.partition);
      part?.comparison.add(record);
      const appended = record.offset === part?.end ? recordTime(record) : null;
      if (appended !== null && isSignedBefore(checkpoint.madeAt, appended))
        misdated.push(misdatedFinding(record.partition, String(record.offset), appended));
    },
    covers: ({ partition, offset }) => offset <= (byPartition.get(partition)?.end ?? -1n),
    result() {
      const isEmpty = [...extents.values()].every(({ first, end }) => first === end);
      const isKnown = checkpoint.records === 0 || compared.some(({ comparison }) => comparison.isKnown());
      if (!isKnown && !isEmpty && !expires)
        throw new JobledgerError(
          `the checkpoint belongs to another ledger (topic ${checkpoint.ledger}), or every record in it was replaced: the topic ${topic} has none of these records`,
        );
      const all = compared.flatMap(({ chain, comparison }) =>
        comparison.deviations().map((each) => ({ ...each, chain })),
      );
      // True for records at the beginning of a partition that Kafka has deleted by its retention.
      const isExpired = ({ chain, after }: FoundPart): boolean =>
        expires && after === null && firstOffset(extents, chain) > BigInt(chain.marks[0]?.offset ?? '0');
      return {
        deviations: all
          .filter((each) => !isExpired(each))
          .map((each) => ({ ...each, finding: toFinding(each.chain, each) })),
        misdated,
        expired: all.filter(isExpired).map(expiredText),
      };
    },
  };
}

type FoundPart = ChainDeviation & { chain: PartitionChain };

/** The first existing offset of a partition; 0 if the partition is unknown. */
function firstOffset(extents: ReadonlyMap<number, Extent>, { partition }: PartitionChain): bigint {
  return extents.get(partition)?.first ?? 0n;
}

/** The line about the records of a partition that Kafka has deleted by its retention. */
function expiredText({ chain, before }: FoundPart): string {
  const upTo = before === null ? `offset ${chain.marks.at(-1)?.offset}` : `offset ${before}`;
  return `partition ${chain.partition}: Kafka has deleted old records, so the records up to ${upTo} cannot be checked`;
}
