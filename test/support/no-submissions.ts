import type { Submissions } from '../../services/api/submission/submissions.ts';

/** Records nothing. */
export const NO_SUBMISSIONS: Submissions = {
  receive: () => Promise.resolve('not-recorded'),
  complete: () => Promise.resolve(),
};
