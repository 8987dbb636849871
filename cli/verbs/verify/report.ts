import { printableLine } from '../../../services/adapters/printable.ts';
import type { Finding, Verification } from '../../../workflows/history/verify/finding.ts';
import type { StreamVerifier } from '../../../workflows/history/verify/verify-stream.ts';
import type { PlacementProof } from '../../../workflows/history/placements/types.ts';
import { placementLines } from './placement-lines.ts';
import { countText } from '../../print/counted.ts';
import { streamName, type LedgerStream } from '../../ledger/streams.ts';
import type { ComparedCheckpoint } from './compared-checkpoint.ts';
import { SHOWN } from './shown.ts';

/** The result of one stream. */
export interface StreamResult extends Verification {
  stream: string;
  /** The streams are reported in the order of this number. */
  number: number;
}

/** What was verified. */
export interface Verified {
  /** The value is null when no decision was repeated. */
  decisions: VerifiedDecisions | null;
  /** The value is null when the user did not ask for the proof about placed Jobs. */
  placements: PlacementProof | null;
  checkpoint: ComparedCheckpoint | null;
  /** The number of all records of the ledger. */
  records: number;
  seconds: number;
}

export interface VerifiedDecisions {
  /** The numbers of the wanted Jobs and CronJobs; if all are wanted, the numbers of Jobs and CronJobs with recorded decisions. */
  jobs: number;
  cronJobs: number;
  results: readonly StreamResult[];
  /** Unreadable records, in any stream. */
  unreadable: number;
}

/** The result of a verification, as `-o json` prints it. */
export interface Report {
  decisions: number;
  jobs: number;
  cronJobs: number;
  /** Decisions whose inputs are changed or missing, or whose core is not in this version. */
  unchecked: number;
  /** Unreadable records, in any stream. */
  unreadable: number;
  findings: (Finding & { stream: string })[];
  placements: PlacementProof | null;
  checkpoint: ComparedCheckpoint | null;
  records: number;
  seconds: number;
}

/** The results of the verified streams, with the numbers of their Jobs and CronJobs. */
export function verifiedStreams(
  streams: readonly LedgerStream<StreamVerifier>[],
  unreadable: number,
): VerifiedDecisions {
  return {
    jobs: streams.filter(({ kind }) => kind === 'job').length,
    cronJobs: streams.filter(({ kind }) => kind === 'cronjob').length,
    results: streams.map((stream, number) => ({
      stream: streamName(stream),
      number,
      ...stream.reader.result(),
    })),
    unreadable,
  };
}

/** The report about a verification. */
export function toReport({
  decisions: verified,
  placements,
  checkpoint,
  records,
  seconds,
}: Verified): Report {
  const { jobs, cronJobs, results, unreadable } = verified ?? {
    jobs: 0,
    cronJobs: 0,
    results: [],
    unreadable: 0,
  };
  const found = results.filter(({ findings }) => findings.length > 0);
  return {
    decisions: sum(results.map((each) => each.decisions)),
    jobs,
    cronJobs,
    unchecked: sum(results.map((each) => each.unchecked)),
    unreadable,
    findings: found
      .toSorted((a, b) => a.number - b.number)
      .flatMap(({ stream, findings }) => findings.map((finding) => ({ stream, ...finding }))),
    placements,
    checkpoint,
    records,
    seconds,
  };
}

/** The report as text: the comparison with the checkpoint, each finding with its context, the proof about placed Jobs, and the totals. */
export function reportText(verified: Verified): string {
  const report = toReport(verified);
  return [
    ...(report.checkpoint === null ? [] : checkpointLines(report.checkpoint)),
    ...(verified.decisions === null ? [] : decisionLines(report)),
    ...(report.placements === null ? [] : placementLines(report.placements)),
    `${countText(report.records, 'record')} read, ${rateText(report)}`,
  ].join('\n');
}

/** The lines about the comparison with a checkpoint. */
function checkpointLines({ madeAt, keyId, records, findings, notes }: ComparedCheckpoint): string[] {
  const covered = `the ${countText(records, 'record')} of the checkpoint of ${madeAt}, signed by the key ${keyId}`;
  return [
    ...findings.flatMap(({ partition, message, context }) => [
      printableLine(`partition ${partition}: ${message}`),
      ...context.map((line) => printableLine(`  ${line}`)),
    ]),
    ...notes,
    `${covered}: ${findings.length === 0 ? 'unchanged' : countText(findings.length, 'finding')}`,
  ];
}

/** The lines about the repeated decisions. */
function decisionLines({ decisions, jobs, cronJobs, unchecked, unreadable, findings }: Report): string[] {
  return [
    ...findings
      .slice(0, SHOWN)
      .flatMap(({ stream, event, message, context }) => [
        printableLine(`${stream}: ${event}`),
        printableLine(`  ${message}`),
        ...context.map((line) => printableLine(`    ${line}`)),
      ]),
    ...(findings.length > SHOWN ? [`and ${findings.length - SHOWN} more`] : []),
    `${countText(decisions - unchecked, 'decision')} of ${ownersText(jobs, cronJobs)} repeated: ${outcomeText(findings.length)}`,
    ...(unchecked > 0
      ? [
          `${countText(unchecked, 'decision')} not checked, because their inputs were changed or are missing, or because this version does not have their core`,
        ]
      : []),
    ...(unreadable > 0
      ? [`${countText(unreadable, 'record')} of the ledger could not be read and were skipped`]
      : []),
  ];
}

/** The numbers of Jobs and CronJobs as text. */
function ownersText(jobs: number, cronJobs: number): string {
  if (cronJobs === 0) return countText(jobs, 'Job');
  return `${countText(jobs, 'Job')} and ${countText(cronJobs, 'CronJob')}`;
}

/** The duration, and the number of records per second. */
function rateText({ records, seconds }: Report): string {
  return `in ${seconds.toFixed(1)} s: ${(records / seconds).toFixed(0)} a second`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** `no difference`, or the number of findings. */
function outcomeText(findings: number): string {
  if (findings === 0) return 'no difference';
  return countText(findings, 'finding');
}
