import { keyAt } from './retry-key.ts';
import type { PlacementGrant, PlacementState } from '../state.ts';

/** The number of consecutive errors, within about seven seconds, after which the home reports the cluster. */
const REPORTED_AFTER = 3;

/** The error with which a cluster has answered the last commands of this key, or the reason why it gave no answer; null after only a few errors. */
export function lastingError({ retries }: Pick<PlacementState, 'retries'>, key: string): string | null {
  const { errors = 0, message = '', isFailed, isUnanswered } = retries[key] ?? {};
  return errors >= REPORTED_AFTER && (isFailed ?? isUnanswered) === true ? message : null;
}

/**
 * The reason why it is not known whether the member of a grant was created, as text; null when this is known, or may
 * soon be known (J-16.6).
 */
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
