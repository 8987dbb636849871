import { errorMessage } from '../../services/adapters/errors.ts';

/** The limit ends a test that hangs. It does not time the operation: a busy machine may be slow. */
const LEAST_SECONDS = 120;

/**
 * Repeats `ask` until it returns something other than undefined. @throws the last error after `seconds`, or after 120 s
 * where `seconds` is lower.
 */
export async function eventually<T>(
  what: string,
  seconds: number,
  ask: () => Promise<T | undefined>,
): Promise<T> {
  const patience = Math.max(seconds, LEAST_SECONDS);
  const limit = Date.now() + patience * 1000;
  let last: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== undefined) return answer;
    } catch (error) {
      last = error;
    }
    if (Date.now() > limit) {
      throw new Error(
        `not within ${patience} s: ${what}${last === undefined ? '' : ` (${errorMessage(last)})`}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
