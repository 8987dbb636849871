import type { LedgerRecord } from '../../../services/adapters/kafka/subscription.ts';
import type { PartitionChain } from '../../../cli/checkpoint/checkpoint.ts';
import { compareChain, type ChainDeviation } from '../../../cli/checkpoint/compare-chain.ts';
import { emptyChain, extendChain } from '../../../cli/checkpoint/extend-chain.ts';

export function aRecord(offset: number, fields: Partial<LedgerRecord> = {}): LedgerRecord {
  const content = { key: `east/job-${offset % 3}`, value: Buffer.from(`{"id":"event-${offset}"}`) };
  return { partition: 0, offset: BigInt(offset), ...content, ...fields };
}

export function records(count: number): LedgerRecord[] {
  return Array.from({ length: count }, (_none, offset) => aRecord(offset));
}

/** The records as they come after a change of the log: without gaps between offsets. */
export function renumbered(some: readonly LedgerRecord[]): LedgerRecord[] {
  return some.map((record, offset) => ({ ...record, offset: BigInt(offset) }));
}

export function chainRecords(
  some: readonly LedgerRecord[],
  from: PartitionChain = emptyChain(0),
): PartitionChain {
  const extension = extendChain(from);
  for (const record of some) extension.add(record);
  return extension.result();
}

export function listDeviations(chain: PartitionChain, some: readonly LedgerRecord[]): ChainDeviation[] {
  const comparison = compareChain(chain);
  for (const record of some) comparison.add(record);
  return comparison.deviations();
}
