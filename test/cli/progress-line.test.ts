import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { progressLine } from '../../cli/print/progress-line.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** What work prints that takes this many seconds for each tenth. */
function printed(secondsForATenth: number, isTTY: boolean): string {
  let text = '';
  const write = (each: string): boolean => {
    text += each;
    return true;
  };
  const progress = progressLine({ isTTY, write } as unknown as NodeJS.WriteStream, 'records');
  for (let done = 1; done <= 10; done += 1) {
    jest.advanceTimersByTime(secondsForATenth * 1000);
    progress.show(done, 10);
  }
  progress.end();
  return text;
}

describe('the progress of a task', () => {
  it.each([true, false])('is not shown when the task is short (terminal: %j)', (isTTY) => {
    expect(printed(0.01, isTTY)).toBe('');
  });

  it('is a line every five seconds in a file, and a line at the end', () => {
    expect(printed(3, false)).toBe(
      [2, 4, 6, 8, 10].map((done) => `${done} of 10 records (${done * 10} %)\n`).join(''),
    );
  });

  it('is a single line on a terminal, which also shows the end', () => {
    const text = printed(0.13, true);
    expect(text.split('\r').slice(1, 2)).toEqual(['2 of 10 records (20 %)']);
    expect(text).toMatch(/\r10 of 10 records \(100 %\)\n$/);
  });
});
