import { printableLine } from '../../../services/adapters/printable.ts';
import type { GapView } from '../../../services/read-model/streams/stream.ts';
import type { TimelineLine } from '../../../workflows/history/timeline/line.ts';

const ABOUT_WIDTH = 24;

/** A line of the timeline as text, with its further lines indented below it. */
export function lineText({ time, about, message, below = [] }: TimelineLine): string {
  const margin = ' '.repeat(time.length + 2);
  const first = `${time}  ${about.padEnd(ABOUT_WIDTH)}  ${message}`.trimEnd();
  const lines = [first, ...below.map((line) => `${margin}${' '.repeat(ABOUT_WIDTH)}  ${line}`)];
  return lines.map(printableLine).join('\n');
}

/** The messages whose repeats are printed as one line, also if they concern different objects. */
const SEEN_AGAIN = /^seen again: /;

/**
 * Writes lines, and prints repeats of a line as one line with their number and last time: a new list of the cluster may record every pod of a Job
 * again.
 */
export function foldedLines(write: (text: string) => void): { add(line: TimelineLine): void; end(): void } {
  let last: TimelineLine | null = null;
  let objects = new Set<string>();
  let [times, until] = [0, ''];
  // Writes the last line, with the number of its repeats.
  const end = (): void => {
    if (last === null) return;
    const about = objects.size === 1 ? last.about : `${objects.size} objects`;
    const message = times === 1 ? last.message : `${last.message}, ${times} times until ${until}`;
    write(lineText({ ...last, about, message }));
    last = null;
  };
  // True when a line repeats the last line.
  const repeats = (line: TimelineLine): boolean =>
    last !== null &&
    (last.below ?? []).length + (line.below ?? []).length === 0 &&
    last.message === line.message &&
    (last.about === line.about || SEEN_AGAIN.test(line.message));
  return {
    add(line) {
      if (!repeats(line)) {
        end();
        last = line;
        objects = new Set();
        times = 0;
      }
      objects.add(line.about);
      times += 1;
      until = line.time;
    },
    end,
  };
}

/** The line of the timeline about a gap. */
export function gapLine(gap: GapView): TimelineLine {
  const reason = gap.reason === null ? '' : ` (${gap.reason})`;
  return {
    time: gap.until,
    about: 'gap',
    message: `changes of ${gap.resource} since ${gap.since} may have been missed${reason}`,
  };
}
