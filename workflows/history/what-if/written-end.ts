import { endingAmong } from '../../job/definitions/ending-writes.ts';
import type { JobDecided, JobEvent } from '../../job/events.ts';
import type { Condition } from '../../kubernetes/objects.ts';
import { standingDecisions } from '../../job/record/folding.ts';

/**
 * The stream up to the decision that ended the Job, if that was carried out and then superseded: Temporal ran the step again, and
 * by then the end was a fact that needed no decision.
 */
export function upToWrittenEnd(stream: readonly JobEvent[]): readonly JobEvent[] {
  const written = endsWrittenIn(stream);
  const [ending] = stream
    .filter((event) => event.type === 'job.decided')
    .filter((decision) => written.has(endOf(decision) ?? ''))
    .toSorted((a, b) => a.data.now - b.data.now);
  if (ending === undefined || standingDecisions(stream).some(({ id }) => id === ending.id)) return stream;
  return stream.filter((event) => event.type !== 'job.decided' || event.data.now <= ending.data.now);
}

/** The conditions that end the Job and that its observed status has; the instant is that of the decision. */
function endsWrittenIn(stream: readonly JobEvent[]): Set<string> {
  return new Set(
    stream.flatMap((event) =>
      event.type === 'job.observed' ? (event.data.object.status?.conditions ?? []).map(keyOf) : [],
    ),
  );
}

function endOf({ data }: JobDecided): string | null {
  const ending = endingAmong(data.commands);
  return ending === null ? null : keyOf(ending.condition);
}

function keyOf({ type, lastTransitionTime }: Condition): string {
  return `${type} ${lastTransitionTime}`;
}
