import type { GapView } from '../../../adapters/postgres/queries/stream.ts';

/** One line of a time line, and what belongs below it. */
export interface Line {
  time: string;
  /** What it is about: job, pod pi-x, decision 3, answer 3.1, request, gap. */
  about: string;
  words: string;
  below?: readonly string[];
}

const ABOUT_WIDTH = 24;

export function lineText({ time, about, words, below = [] }: Line): string {
  const margin = ' '.repeat(time.length + 2);
  const first = `${time}  ${about.padEnd(ABOUT_WIDTH)}  ${words}`.trimEnd();
  return [first, ...below.map((line) => `${margin}${' '.repeat(ABOUT_WIDTH)}  ${line}`)].join('\n');
}

export function gapLine(gap: GapView): Line {
  const reason = gap.reason === null ? '' : ` (${gap.reason})`;
  return {
    time: gap.gap_to,
    about: 'gap',
    words: `changes of ${gap.resource} since ${gap.gap_from} may not have been seen${reason}`,
  };
}

/** At most that many of a list, and how many more there are. */
export function few(list: readonly string[], most = 10): string {
  if (list.length <= most) return list.join(', ');
  return `${list.slice(0, most).join(', ')} and ${list.length - most} more`;
}
