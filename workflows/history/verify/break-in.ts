import type { LedgerEvent } from '../../ledger-event.ts';
import { refusal, type Refused } from '../refused.ts';
import { verifyStream } from './verify-stream.ts';

/**
 * The reason why a stream is unusable: a necessary record is missing or changed; null when the stream is intact.
 */
export function findBreak(stream: readonly LedgerEvent[]): Refused | null {
  const { findings } = verifyStream(stream, { seals: false });
  const newer = findings.find(({ type }) => type === 'newer');
  if (newer !== undefined) return refusal('newer', newer.message);
  const broken = findings.find(({ type }) => type === 'broken');
  if (broken === undefined) return null;
  return refusal(
    'broken',
    `the stream is broken at ${broken.event}: ${broken.message}; "jobledger admin verify" asks the ledger itself`,
  );
}
