import { sumFigures } from '../kills/figures.ts';
import { longRun } from '../kills/long-run.ts';
import { FAULTS, createRound, type EngineRound } from './rounds.ts';
import { linesOfEngineFigures, runOnEngines } from './run.ts';

/** The faults of `--short`, one round each. */
const SHORT = FAULTS.filter((fault) =>
  ['broker killed', 'Temporal server killed', 'standby promoted'].includes(fault),
);

/**
 * `npm run test:engines -- --rounds 20 --seed 7`: faults of real engines (CONTRIBUTING.md). `--short`: a broker and a Temporal
 * server are killed and the standby is promoted, once each; nothing is recorded.
 */
if (process.argv.includes('--short')) await shortRun();
else
  await longRun({
    defaults: { rounds: '20', seed: '7', each: '10', json: 'docs/benchmarks/engines.json' },
    run: runOnEngines,
    figureLines: linesOfEngineFigures,
    sumRuns: sumFigures,
  });

async function shortRun(): Promise<void> {
  const report = (line: string): void => void process.stdout.write(`${line}\n`);
  const shortRound = (seed: number, number: number): EngineRound => {
    const round = createRound(seed, number);
    return { ...round, fault: SHORT[number % SHORT.length] ?? round.fault };
  };
  const options = { seed: 7, from: 0, rounds: SHORT.length, createRound: shortRound, report };
  const { figures, findings } = await runOnEngines(options);
  linesOfEngineFigures(figures).forEach(report);
  if (findings.length > 0) process.exitCode = 1;
}
