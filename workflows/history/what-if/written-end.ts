import { endingAmong } from '../../job/definitions/ending-writes.ts';
import type { JobDecided, JobEvent } from '../../job/events.ts';
import type { Condition } from '../../kubernetes/objects.ts';
import { effectiveDecisions } from '../../decision/folding.ts';

/**
 * The stream up to the decision that ended the Job, if the decision was carried out and then superseded: Temporal
 * repeated the step after the end had become a fact, so no further decision was needed.
 */
export function upToWrittenEnd(stream: readonly JobEvent[]): readonly JobEvent[] {
  const written = endsWrittenIn(stream);
  const [ending] = stream
    .filter((event) => event.type === 'job.decided')
    .filter((decision) => written.has(writtenEndKey(decision) ?? ''))
    .toSorted((a, b) => a.data.now - b.data.now);
  if (ending === undefined || effectiveDecisions(stream).some(({ id }) => id === ending.id)) return stream;
  return stream.filter((event) => event.type !== 'job.decided' || event.data.now <= ending.data.now);
}

/** The conditions in the observed status that end the Job; the instant is the instant of the decision. */
function endsWrittenIn(stream: readonly JobEvent[]): Set<string> {
  return new Set(
    stream.flatMap((event) =>
      event.type === 'job.observed' ? (event.data.object.status?.conditions ?? []).map(conditionKey) : [],
    ),
  );
}

/** The key of the condition with which a decision ends the Job; null when the decision does not end it. */
function writtenEndKey({ data }: JobDecided): string | null {
  const ending = endingAmong(data.commands);
  return ending === null ? null : conditionKey(ending.condition);
}

/** The key of a condition: its type and its time. */
function conditionKey({ type, lastTransitionTime }: Condition): string {
  return `${type} ${lastTransitionTime}`;
}
