import type { Submissions } from '../../services/api/submission/submissions.ts';

/** Records nothing, as below the feature level. */
export const NO_SUBMISSIONS: Submissions = {
  receive: () => Promise.resolve(null),
  complete: () => Promise.resolve(),
};
