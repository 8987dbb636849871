import type { StreamVerifier } from '../../../../workflows/history/verify/verify-stream.ts';
import { findingJson, type WithFormerKind } from '../../../contracts/former-names.ts';
import { counted } from '../../print/counted.ts';
import { streamName, type LedgerStream } from '../../ledger/streams.ts';

/** The most findings printed; the others are counted. */
const SHOWN = 20;

/** The result of a verification, as `-o json` prints it. */
export interface Report {
  decisions: number;
  jobs: number;
  /** Decisions whose inputs are changed or missing, or whose core is not in this version. */
  unchecked: number;
  /** Unreadable records, in any stream. */
  unreadable: number;
  findings: (WithFormerKind & { stream: string })[];
}

export function reportOf(streams: readonly LedgerStream<StreamVerifier>[], unreadable: number): Report {
  const results = streams.map((stream) => ({ stream: streamName(stream), ...stream.reader.result() }));
  return {
    decisions: sum(results.map((each) => each.decisions)),
    jobs: streams.filter(({ uid }) => uid !== null).length,
    unchecked: sum(results.map((each) => each.unchecked)),
    unreadable,
    findings: results.flatMap(({ stream, findings }) =>
      findings.map((finding) => ({ stream, ...findingJson(finding) })),
    ),
  };
}

/** Each finding with its context, then the totals. */
export function reportText(report: Report): string {
  const { decisions, jobs, unchecked, unreadable, findings } = report;
  return [
    ...findings
      .slice(0, SHOWN)
      .flatMap(({ stream, event, words, context }) => [
        `${stream}: ${event}`,
        `  ${words}`,
        ...context.map((line) => `    ${line}`),
      ]),
    ...(findings.length > SHOWN ? [`and ${findings.length - SHOWN} more`] : []),
    `${counted(decisions - unchecked, 'decision')} of ${counted(jobs, 'Job')} repeated: ${outcomeOf(findings.length)}`,
    ...(unchecked > 0
      ? [
          `${counted(unchecked, 'decision')} not checked: their inputs were changed or are missing, or their core is not in this version`,
        ]
      : []),
    ...(unreadable > 0
      ? [`${counted(unreadable, 'record')} of the ledger could not be read and were skipped`]
      : []),
  ].join('\n');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function outcomeOf(findings: number): string {
  if (findings === 0) return 'no difference';
  return counted(findings, 'finding');
}
