import type { ContinuedFailures, IndexFailures } from '../../batch/facts.ts';

/**
 * Reads the annotation of a member with the failures that it continues (J-16.23); returns null for an invalid
 * annotation.
 */
export function continuedFailuresIn(text: string): ContinuedFailures | null {
  const value = tryParseJson(text);
  if (!isObject(value)) return null;
  const { consecutive = [], indexes = {}, ...others } = value;
  const isRead =
    Object.keys(others).length === 0 &&
    Array.isArray(consecutive) &&
    consecutive.every(isCount) &&
    isObject(indexes) &&
    Object.entries(indexes).every(([index, of]) => /^\d{1,9}$/.test(index) && isIndexFailures(of));
  return isRead ? value : null;
}

/** True for the continued failures of an index in the form of the annotation. */
function isIndexFailures(value: unknown): value is IndexFailures {
  return (
    isObject(value) &&
    Object.keys(value).length === 3 &&
    [value['failureCount'], value['ignoredFailureCount'], value['at']].every(isCount)
  );
}

/** True for an object that is no list. */
function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for a whole number that is not negative. */
function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** The value of a JSON text; null for invalid JSON. */
function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
