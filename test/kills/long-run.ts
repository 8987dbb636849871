import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { record, recordedRuns } from './figures.ts';
import type { RunOptions } from './play-rounds.ts';

interface LongRun<F extends { rounds: number }> {
  /** The defaults of the arguments. */
  defaults: { rounds: string; seed: string; each: string; json: string };
  run: (options: RunOptions) => Promise<{ figures: F; findings: readonly unknown[] }>;
  figureLines: (figures: F) => string[];
  /** The figures of several runs together. */
  sumRuns: (runs: readonly [F, ...F[]]) => F;
}

/**
 * A suite for long, on servers of its own. Continues after the last recorded round of the seed, or at `--from`. New servers every
 * few rounds (`--each`), after which everything is checked and the figures are added to a file (`--json`; `--json none` records
 * nothing). The exit status becomes 1 when something is not as it must be.
 */
export async function longRun<F extends { rounds: number }>({
  defaults,
  run,
  figureLines,
  sumRuns,
}: LongRun<F>): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: defaults.rounds },
      seed: { type: 'string', default: defaults.seed },
      from: { type: 'string' },
      each: { type: 'string', default: defaults.each },
      json: { type: 'string', default: defaults.json },
    },
  });
  const file = values.json === 'none' ? undefined : values.json;
  const recorded = file === undefined ? [] : recordedRuns<F>(file);
  const seed = wholeNumber('seed', values.seed);
  const ends = recorded.filter((each) => each.seed === seed).map((each) => each.from + each.figures.rounds);
  const from = values.from === undefined ? Math.max(0, ...ends) : wholeNumber('from', values.from);
  const end = from + wholeNumber('rounds', values.rounds);
  const each = Math.max(1, wholeNumber('each', values.each));
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();

  for (let first = from; first < end; first += each) {
    const rounds = Math.min(each, end - first);
    const { figures, findings } = await run({ seed, from: first, rounds, report });
    report(`\nseed ${seed}, rounds ${first} to ${first + rounds - 1}:`);
    figureLines(figures).forEach(report);
    if (findings.length > 0) process.exitCode = 1;
    if (file !== undefined)
      record(file, { at: new Date().toISOString(), commit, seed, from: first, figures });
  }
  const [one, ...others] = file === undefined ? [] : recordedRuns<F>(file).map(({ figures }) => figures);
  if (one === undefined) return;
  report(`\nall ${others.length + 1} runs in ${file}:`);
  figureLines(sumRuns([one, ...others])).forEach(report);
}

function report(line: string): void {
  process.stdout.write(`${line}\n`);
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} is "${text}"; give a whole number`);
  return Number(text);
}
