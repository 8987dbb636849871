import { keyAt } from './retry-key.ts';
import type { PlacementGrant, PlacementState } from '../state.ts';

/** After this number of errors in a row, about seven seconds, home reports the cluster. */
const REPORTED_AFTER = 3;

/** The error with which a cluster has answered the last commands of this key, or why it gave no answer; null for a few. */
export function lastingError({ retries }: Pick<PlacementState, 'retries'>, key: string): string | null {
  const { errors = 0, message = '', isFailed, isUnanswered } = retries[key] ?? {};
  return errors >= REPORTED_AFTER && (isFailed ?? isUnanswered) === true ? message : null;
}

/** Why it is not known whether the member of a grant was created, as text; null when it is, or may be in a moment (J-16.6). */
export function unknownCreation(
  { retries, job }: Pick<PlacementState, 'retries' | 'job'>,
  { cluster, name, member, requests }: PlacementGrant,
): string | null {
  if (member !== null || requests === 0) return null;
  const error =
    lastingError({ retries }, keyAt('LookUpMember', cluster)) ??
    lastingError({ retries }, keyAt('CreateMember', cluster));
  const message = `whether the cluster ${cluster} has created ${job?.namespace}/${name} is not known`;
  return error === null ? null : `${message}: ${error}`;
}
