import { it } from '@jest/globals';

/** Registers a test, as `it` does. */
export type Concurrently = (sentence: string, story: () => Promise<void>, timeoutMs?: number) => void;

/**
 * For tests that mostly wait, such as those of different Jobs on one cluster: all of them begin with the first, and
 * each is reported on its own. `beforeAll` has finished by then.
 */
export function sideBySide(): Concurrently {
  const stories: (() => Promise<void>)[] = [];
  let begun: Promise<void>[] | undefined;
  return (sentence, story, timeoutMs = 90_000) => {
    const at = stories.push(story) - 1;
    const own = async (): Promise<void> => {
      begun ??= stories.map(begin);
      await begun[at];
    };
    // oxlint-disable-next-line jest/valid-title, jest/expect-expect -- title and assertions are the story's
    it(sentence, own, timeoutMs);
  };
}

/** Prevents an unhandled rejection when one story fails while another is awaited. */
function begin(story: () => Promise<void>): Promise<void> {
  const running = story();
  running.catch(() => undefined);
  return running;
}
