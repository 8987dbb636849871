import { messageOf } from '../../services/adapters/errors.ts';

/** Asks again until the answer is not undefined. @throws when that takes longer than `seconds`, with the last error. */
export async function eventually<T>(
  what: string,
  seconds: number,
  ask: () => Promise<T | undefined>,
): Promise<T> {
  const limit = Date.now() + seconds * 1000;
  let last: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== undefined) return answer;
    } catch (error) {
      last = error;
    }
    if (Date.now() > limit) {
      throw new Error(`not within ${seconds} s: ${what}${last === undefined ? '' : ` (${messageOf(last)})`}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
