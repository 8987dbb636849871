import { createHash } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson } from '../../workflows/ledger/digest.ts';
import { InputError } from '../../services/adapters/errors.ts';

export const FORMAT = 'jobledger-checkpoint/1';

const offset = z.string().regex(/^\d{1,19}$/);
/** A schema for a text with this number of hexadecimal digits. */
const hex = (digits: number) => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`));

/** The chain at one record. */
const mark = z.strictObject({
  /** Number of records of the partition up to this record, which is included. */
  records: z.number().int().positive(),
  offset,
  /** The beginning of this record's hash. */
  record: hex(12),
  /** The chain after this record. */
  chain: hex(64),
});
export type Mark = z.infer<typeof mark>;

/**
 * Marks of the first record, of every `every`-th record and of the last record, in ascending order. The list is empty for a
 * partition without records.
 */
const partition = z.strictObject({
  partition: z.number().int().min(0),
  every: z.number().int().positive(),
  marks: z.array(mark),
});
export type PartitionChain = z.infer<typeof partition>;

const content = z.strictObject({
  format: z.literal(FORMAT),
  /**
   * The topic at the time of the checkpoint. The name is for information only, because a ledger may be copied to a
   * topic of another name.
   */
  ledger: z.string(),
  /** RFC 3339. */
  madeAt: z.iso.datetime(),
  /** The number of all records that the checkpoint covers. */
  records: z.number().int().min(0),
  /**
   * SHA-256 of the signed content of the checkpoint that this checkpoint continues; null if this checkpoint was made
   * from the whole ledger.
   */
  previous: hex(64).nullable(),
  partitions: z.array(partition),
  /** The beginning of the SHA-256 of the public key (SubjectPublicKeyInfo, DER). */
  keyId: hex(16),
});
export type CheckpointContent = z.infer<typeof content>;

const checkpoint = content.extend({
  /** Ed25519, base64. */
  signature: z.base64(),
});
/** A signed statement of the contents of each partition of a ledger up to an offset. */
export type Checkpoint = z.infer<typeof checkpoint>;

/** Reads the text of a checkpoint; its signature is not verified yet. @throws InputError, with `name` in its message. */
export function parseCheckpoint(name: string, text: string): Checkpoint {
  const { format } = (parseJson(name, text) ?? {}) as { format?: unknown };
  if (typeof format === 'string' && format !== FORMAT && format.startsWith('jobledger-checkpoint/'))
    throw new InputError(`${name} has the format ${format}, which only a newer version of Jobledger reads`);
  const parsed = checkpoint.safeParse(parseJson(name, text));
  if (parsed.success && isAscending(parsed.data)) return parsed.data;
  const [issue] = parsed.error?.issues ?? [];
  const where =
    issue === undefined ? 'its marks are not ascending' : `${issue.path.join('.')}: ${issue.message}`;
  throw new InputError(`${name} is not a checkpoint of Jobledger (${where})`);
}

/** The signed text: canonical JSON after a first line that identifies a checkpoint, so that no other signature of the key fits. */
export function signedText({
  signature: _signature,
  ...signed
}: CheckpointContent & { signature?: string }): Buffer {
  return Buffer.from(`${FORMAT}\n${canonicalJson(signed)}`, 'utf8');
}

/** Identifies a checkpoint. */
export function digestOfCheckpoint(of: Checkpoint): string {
  return createHash('sha256').update(signedText(of)).digest('hex');
}

/** Parses the JSON of a checkpoint. @throws InputError, with `name` in its message. */
function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InputError(`${name} is not a checkpoint of Jobledger: it is not JSON`);
  }
}

/** True when the marks of each partition are in ascending order. */
function isAscending({ partitions }: Checkpoint): boolean {
  return partitions.every(({ marks }) =>
    marks.every((each, at) => {
      const before = marks[at - 1];
      if (before === undefined) return each.records === 1;
      return each.records > before.records && BigInt(each.offset) > BigInt(before.offset);
    }),
  );
}
