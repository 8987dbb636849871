import type { ObjectRef } from '../../../workflows/activities.ts';
import type { ApiFailure } from '../../../workflows/decision/api-failure.ts';
import { outcomeId } from '../../../workflows/decision/decision-id.ts';
import { objectFields, type Kind } from '../../../workflows/kind.ts';
import { computeDigest } from '../../../workflows/ledger/digest.ts';
import { textWithoutValues } from '../../adapters/kubernetes/error-text.ts';
import type { Unrecorded } from './order.ts';

/** The record of the outcome of a command. */
export function outcomeEvent(
  kind: Kind,
  { job, decided }: { job: ObjectRef; decided: Unrecorded },
  answer: { command: number; attempt: number; outcome: object },
): Unrecorded {
  const { id: decision, source, subject } = decided;
  const outcome = recordableOutcome(answer.outcome);
  const data = { ...objectFields(kind, job), decision, ...answer, outcome };
  const id = outcomeId(decision, answer.command, data);
  return { id, type: 'outcome.recorded', source, subject, digest: computeDigest(data), data } as Unrecorded;
}

/**
 * An outcome for the ledger. The failures in the outcome, including the failures of pods and Jobs, quote no values of
 * objects.
 */
function recordableOutcome<O extends object>(outcome: O): O {
  const parts = Object.entries(outcome).map(([name, value]: [string, unknown]) => [
    name,
    name === 'error' ? removeValues(value as ApiFailure) : recordableParts(value),
  ]);
  return Object.fromEntries(parts) as O;
}

function recordableParts(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((part: unknown) => (hasFailure(part) ? recordableOutcome(part) : part));
}

function hasFailure(part: unknown): part is { error: ApiFailure } {
  return typeof part === 'object' && part !== null && 'error' in part;
}

function removeValues(failure: ApiFailure): ApiFailure {
  return { ...failure, message: textWithoutValues(failure) };
}
