import { closeSync, createReadStream, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { LedgerRecord } from '../../../services/adapters/kafka/subscription.ts';

/**
 * Temporary files by partition: Kafka delivers the partitions concurrently, but an export contains one partition after the other.
 */
export interface Spool {
  lay(record: LedgerRecord): void;
  /** Writes all records as lines: partition by partition, each in offset order. */
  bindInto(output: Writable): Promise<void>;
  /** Deletes the temporary files. */
  discard(): void;
}

/** Creates the temporary files in `folder`, which needs room for all records. */
export function createSpool(folder: string): Spool {
  const place = mkdtempSync(join(folder, '.jobledger-export-'));
  const files = new Map<number, number>();
  // The path of the temporary file of a partition.
  const filePath = (partition: number): string => join(place, String(partition));
  // The open temporary file of a partition, which is created at the first call.
  const openFileOf = (partition: number): number => {
    const file = files.get(partition) ?? openSync(filePath(partition), 'a');
    files.set(partition, file);
    return file;
  };
  return {
    lay: ({ partition, value }) => void writeSync(openFileOf(partition), `${toLine(value)}\n`),
    bindInto: (output) => pipeline(readLines([...files.keys()], filePath), output, { end: false }),
    discard() {
      for (const file of files.values()) closeSync(file);
      rmSync(place, { recursive: true, force: true });
    },
  };
}

/** Reads one file after the other, in the order of the partitions. */
async function* readLines(
  partitions: readonly number[],
  filePath: (partition: number) => string,
): AsyncGenerator<Buffer> {
  for (const partition of partitions.toSorted((a, b) => a - b)) yield* createReadStream(filePath(partition));
}

/** A record as one line. Line breaks in JSON occur only between tokens, so spaces can replace them. */
function toLine(value: Buffer | null): string {
  return (value?.toString() ?? '').replaceAll(/[\n\r]/g, ' ');
}
