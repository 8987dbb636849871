import { printableLine } from '../../../services/adapters/printable.ts';
import type { GapView } from '../../../services/read-model/stream.ts';
import type { TimelineLine } from '../../../workflows/history/timeline/line.ts';

const ABOUT_WIDTH = 24;

export function lineText({ time, about, words, below = [] }: TimelineLine): string {
  const margin = ' '.repeat(time.length + 2);
  const first = `${time}  ${about.padEnd(ABOUT_WIDTH)}  ${words}`.trimEnd();
  const lines = [first, ...below.map((line) => `${margin}${' '.repeat(ABOUT_WIDTH)}  ${line}`)];
  return lines.map(printableLine).join('\n');
}

export function gapLine(gap: GapView): TimelineLine {
  const reason = gap.reason === null ? '' : ` (${gap.reason})`;
  return {
    time: gap.gap_to,
    about: 'gap',
    words: `changes of ${gap.resource} since ${gap.gap_from} may have been missed${reason}`,
  };
}
