import type { ApiFailure } from '../../../workflows/decision/api-failure.ts';
import { textWithoutValues } from '../../adapters/kubernetes/error-text.ts';

/**
 * An outcome for the ledger. The failures in the outcome, including the failures of pods and Jobs, quote no values of
 * objects.
 */
export function recordableOutcome<O extends object>(outcome: O): O {
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
