import { messageOf } from '../../services/adapters/errors.ts';

/** A busy machine is slow, not wrong: a limit is there to end a test that hangs, not to time what it waits for. */
const LEAST_SECONDS = 45;

/**
 * Asks again until the answer is not undefined. @throws when that takes longer than `seconds`, or than 45 s where less is
 * given, with the last error.
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
        `not within ${patience} s: ${what}${last === undefined ? '' : ` (${messageOf(last)})`}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
