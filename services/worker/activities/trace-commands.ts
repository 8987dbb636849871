import { commandCauseId } from '../../../workflows/history/why/cause-id.ts';
import type { CronDecisionContent } from '../../../workflows/cron-job/events.ts';
import type { DecisionContent } from '../../../workflows/job/events.ts';
import type { PlacementDecisionContent } from '../../../workflows/placement/events.ts';
import { streamKey, type TracedStream } from '../../adapters/tracing/ids.ts';
import { withPurpose } from '../../adapters/tracing/traced-client.ts';
import type { RecordSpan } from '../../adapters/tracing/span.ts';

/** A decision of any kind, before it is recorded. */
export interface TracedDecision {
  id: string;
  data: DecisionContent | CronDecisionContent | PlacementDecisionContent;
}

/**
 * Records the spans of one decision: for the decision, for its append, for each command with its requests, and for each
 * outcome.
 */
export interface DecisionTrace {
  appended(start: number): void;
  /** Runs a command, and makes the spans of its requests to the cluster children of the command's span. */
  command<T>(at: number, kind: string, work: () => Promise<T>): Promise<T>;
  outcome(at: number, id: string, start: number): void;
  ended(): void;
}

export type TraceDecision = (decision: TracedDecision) => DecisionTrace;

export function traceCommands(record: RecordSpan): TraceDecision {
  return ({ id, data }) => {
    const stream = decisionStream(data);
    const causes = data.folded.map((each) => each.id);
    const span = { stream, parent: id };
    return {
      appended: (start) =>
        record({ ...span, name: 'append decision', kind: 'producer', start, end: Date.now() }),
      async command(at, kind, work) {
        const start = Date.now();
        const of = commandCauseId(id, at);
        const { rule } = data.commands[at]?.why ?? { rule: '' };
        const attributes = { 'jobledger.rule': rule };
        try {
          return await withPurpose({ stream, id: of }, work);
        } finally {
          record({ ...span, name: kind, kind: 'internal', of, start, end: Date.now(), attributes });
        }
      },
      outcome: (at, of, start) =>
        record({
          stream,
          name: 'append outcome',
          kind: 'producer',
          of,
          parent: commandCauseId(id, at),
          start,
          end: Date.now(),
        }),
      // The span begins when the workflow decided, and the last folded event is its cause.
      ended: () =>
        record({
          stream,
          name: `decision ${data.number}`,
          kind: 'internal',
          of: id,
          parent: causes.at(-1) ?? streamKey(stream),
          links: causes.slice(0, -1),
          start: data.now,
          end: Date.now(),
          attributes: { 'jobledger.decision': id, 'jobledger.core': data.core },
        }),
    };
  };
}

function decisionStream(data: TracedDecision['data']): TracedStream {
  return { cluster: data.cluster, uid: 'jobUid' in data ? data.jobUid : data.cronJobUid };
}
