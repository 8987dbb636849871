import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { linesOfFigures, record, recordedRuns, sumOf } from './figures.ts';
import { runRounds } from './run.ts';

/**
 * `npm run test:kills -- --rounds 200 --seed 7`: the kill suite for long, on servers of its own. Continues after the last
 * recorded round of the seed, or at `--from`. New servers every 100 rounds (`--each`), after which everything is checked and the
 * figures are added to docs/benchmarks/kills.json (`--json`; `--json none` records nothing). Exits with status 1 when something
 * is not as it must be.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    seed: { type: 'string', default: '7' },
    from: { type: 'string' },
    each: { type: 'string', default: '100' },
    json: { type: 'string', default: 'docs/benchmarks/kills.json' },
  },
});
const file = values.json === 'none' ? undefined : values.json;
const seed = wholeNumber('seed', values.seed);
const from = values.from === undefined ? nextRound() : wholeNumber('from', values.from);
const end = from + wholeNumber('rounds', values.rounds);
const each = Math.max(1, wholeNumber('each', values.each));
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();

for (let first = from; first < end; first += each) {
  const rounds = Math.min(each, end - first);
  const { figures, findings } = await runRounds({ seed, from: first, rounds, say });
  say(`\nseed ${seed}, rounds ${first} to ${first + rounds - 1}:`);
  linesOfFigures(figures).forEach(say);
  if (findings.length > 0) process.exitCode = 1;
  if (file !== undefined) record(file, { at: new Date().toISOString(), commit, seed, from: first, figures });
}
sayAll();

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function sayAll(): void {
  const [first, ...others] = file === undefined ? [] : recordedRuns(file).map(({ figures }) => figures);
  if (first === undefined) return;
  say(`\nall ${others.length + 1} runs in ${file}:`);
  linesOfFigures(sumOf([first, ...others])).forEach(say);
}

function nextRound(): number {
  const ends = (file === undefined ? [] : recordedRuns(file))
    .filter((run) => run.seed === seed)
    .map((run) => run.from + run.figures.rounds);
  return Math.max(0, ...ends);
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} is "${text}"; give a whole number`);
  return Number(text);
}
