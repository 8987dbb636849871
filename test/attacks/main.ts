import { parseArgs } from 'node:util';
import { linesOfFigures } from './figures.ts';
import { runAttacks } from './run.ts';

/** `npm run test:attacks -- --minutes 15`: both attackers for long. The exit status becomes 1 when something is not as it must be. */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '15' },
    seed: { type: 'string', default: '7' },
    rate: { type: 'string', default: '6' },
  },
});
const report = (line: string): void => void process.stdout.write(`${line}\n`);
const { figures, findings } = await runAttacks({
  seed: Number(values.seed),
  seconds: Number(values.minutes) * 60,
  rate: Number(values.rate),
  everyMs: 1500,
  report,
});
linesOfFigures(figures).forEach(report);
if (findings.length > 0) process.exitCode = 1;
