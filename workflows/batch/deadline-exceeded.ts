/** The reason and the message of the conditions of a Job whose deadline has passed (J-6.5). */
export const DEADLINE_EXCEEDED = {
  reason: 'DeadlineExceeded',
  message: 'Job was active longer than specified deadline',
} as const;
