import { parseArgs } from 'node:util';
import { badLives, LIVES } from './lives.ts';

/**
 * `npm run test:lives -- --lives 20000`: random lives of each kind, seed by seed, with their problems. `--from`: the first seed; `--of`: only this
 * kind; `--log`: also the events of a life with a problem. The exit status becomes 1 when there is one.
 */
const { values } = parseArgs({
  options: {
    lives: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    of: { type: 'string' },
    log: { type: 'boolean', default: false },
  },
});
/** The number of lives between two lines about the progress. */
const AT_ONCE = 1000;

const kinds = Object.entries(LIVES).filter(([kind]) => values.of === undefined || values.of === kind);
if (kinds.length === 0)
  throw new Error(`--of is "${values.of}"; give one of ${Object.keys(LIVES).join(', ')}`);
const [lives, first] = [wholeNumber('lives', values.lives), wholeNumber('from', values.from)];
for (const [kind, live] of kinds) {
  let problems = 0;
  for (let from = first; from < first + lives; from += AT_ONCE) {
    const bad = await badLives(live, { from, lives: Math.min(AT_ONCE, first + lives - from) });
    problems += bad.length;
    for (const { seed, problems: found, log } of bad) {
      report(`${kind}, seed ${seed}:`);
      for (const problem of found.slice(0, 3)) report(`  ${problem}`);
      if (values.log) for (const line of log) report(`    ${line}`);
    }
    report(
      `${kind}: seeds ${first} to ${Math.min(first + lives, from + AT_ONCE) - 1}, ${problems} with a problem`,
    );
  }
  if (problems > 0) process.exitCode = 1;
}

function report(line: string): void {
  process.stdout.write(`${line}\n`);
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} is "${text}"; give a whole number`);
  return Number(text);
}
