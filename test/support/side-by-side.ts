import { it } from '@jest/globals';

/** Registers a test of its own, as `it` does. */
export type Tell = (sentence: string, story: () => Promise<void>, timeoutMs?: number) => void;

/**
 * Tests that wait much more than they work, such as those of different Jobs on one cluster: all of them begin as soon
 * as the first is run, and each ends as its own. Whatever `beforeAll` prepares is there by then.
 */
export function sideBySide(): Tell {
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

/** A story that fails while another is awaited is no unhandled rejection. */
function begin(story: () => Promise<void>): Promise<void> {
  const told = story();
  told.catch(() => undefined);
  return told;
}
