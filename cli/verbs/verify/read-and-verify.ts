import { createStreamVerifier, type StreamChecks } from '../../../workflows/history/verify/verify-stream.ts';
import type { KafkaConnection } from '../../../services/adapters/kafka/connection.ts';
import type { LedgerRecord } from '../../../services/adapters/kafka/subscribe.ts';
import type { Checkpoint } from '../../checkpoint/checkpoint.ts';
import { compareLedger, type LedgerComparison } from '../../checkpoint/compare-ledger.ts';
import { createStreams, type WantedStream } from '../../ledger/streams.ts';
import type { StateDirOption } from '../../options.ts';
import { createAllStreams, createWholeStreams } from './all-streams.ts';
import { comparedCheckpoint } from './compared-checkpoint.ts';
import { openReading, type Reading } from './reading.ts';
import { verifiedStreams, type Verified, type VerifiedDecisions } from './report.ts';

export interface Verify {
  connection: KafkaConnection;
  /** Empty: no decision is made again; the ledger is only compared with the checkpoint. */
  wanted: 'all' | readonly WantedStream[];
  checks: Partial<StreamChecks>;
  checkpoint: Checkpoint | null;
  /** Whether the checkpoint counts as a proof of the records that it covers. */
  isProvedBefore: boolean;
}

/** Reads each event of the ledger once, and compares it with the checkpoint. */
interface Source {
  reading: Reading;
  comparison: LedgerComparison | null;
  isProved: (record: LedgerRecord) => boolean;
}

/** The most streams that are read again completely at the same time. */
const AGAIN_AT_ONCE = 1000;

export async function readAndVerify(
  { connection, wanted, checks, checkpoint, isProvedBefore }: Verify,
  options: StateDirOption,
): Promise<Verified> {
  const begin = performance.now();
  const reading = await openReading(connection);
  const { records, extents } = reading;
  const expires = connection.config.JOBLEDGER_LEDGER_RETENTION_MS >= 0;
  const topic = { topic: connection.topics.ledger, extents, expires };
  const comparison = checkpoint === null ? null : compareLedger(checkpoint, topic);
  const isProved = (record: LedgerRecord): boolean => isProvedBefore && comparison?.covers(record) === true;
  const source = { reading, comparison, isProved };
  const decisions =
    wanted.length === 0 ? await compareOnly(source) : await verifyStreams(wanted, checks, source);
  const seconds = (performance.now() - begin) / 1000;
  const compared = comparison?.result();
  const found =
    checkpoint === null || compared === undefined
      ? null
      : await comparedCheckpoint(checkpoint, compared, { connection, extents }, options);
  return { decisions, checkpoint: found, records, seconds };
}

async function compareOnly({ reading, comparison }: Source): Promise<null> {
  await reading.raw((record) => comparison?.add(record));
  return null;
}

async function verifyStreams(
  wanted: Verify['wanted'],
  checks: Verify['checks'],
  source: Source,
): Promise<VerifiedDecisions> {
  if (wanted === 'all') return verifyAll(checks, source);
  const streams = createStreams(wanted, () => createStreamVerifier(checks));
  const unreadable = await readOnce(source, streams);
  return verifiedStreams(streams.chosen(), unreadable);
}

async function verifyAll(checks: Verify['checks'], source: Source): Promise<VerifiedDecisions> {
  const { reading, isProved } = source;
  const streams = createAllStreams(checks);
  const unreadable = await readOnce(source, streams);
  const results = streams.results();
  const again = streams.incomplete();
  for (let at = 0; at < again.length; at += AGAIN_AT_ONCE) {
    const some = createWholeStreams(checks, new Set(again.slice(at, at + AGAIN_AT_ONCE)));
    await reading.events((event, record) => some.add(event, isProved(record)));
    results.push(...some.results());
  }
  return { jobs: streams.jobs(), cronJobs: streams.cronJobs(), results, unreadable };
}

function readOnce(
  { reading, comparison, isProved }: Source,
  streams: Pick<ReturnType<typeof createAllStreams>, 'add'>,
): Promise<number> {
  return reading.events(
    (event, record) => streams.add(event, isProved(record)),
    (record) => comparison?.add(record),
  );
}
