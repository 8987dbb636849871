import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { whenAborted, stopRequest } from '../../../cli/stop-request.ts';
import { startControlPlane, type ControlPlane } from './control-plane/control-plane.ts';
import type { Round } from './report/figures.ts';
import { machine } from './report/machine.ts';
import { measure, removeRound } from './measure.ts';
import { loadText, readOptions, schedule, type SideName } from './options.ts';
import { CORES, startedOn } from './pin.ts';
import { figuresTable } from './report/report.ts';
import { startBuiltIn } from './sides/built-in.ts';
import { startJobledger } from './sides/jobledger.ts';
import type { Side } from './sides/side.ts';

// `npm run bench:controller -- --help`: the built-in Job controller and Jobledger in turn, on one load (docs/benchmarks.md).
const options = readOptions(process.argv.slice(2));
const { load, pinned, verify, warmUp } = options;
const reportLine = (line: string): void => void process.stderr.write(`${line}\n`);
const stopped = whenAborted(stopRequest()).then(() => {
  throw new Error('stopped before the end');
});
stopped.catch(() => undefined);

const plane = await startedOn(CORES.controlPlane, pinned, () => startControlPlane(newStateDir(), reportLine));
const rounds: Round[] = [];
try {
  for (const { round, side: name } of schedule(options.sides, options.rounds)) {
    reportLine(`round ${round}: ${name}`);
    const side = await startedOn(CORES.controller, pinned, () => startSide(name, plane));
    try {
      const measured = measure(plane, side, { load, warmUp, verify, round });
      rounds.push({ side: name, round, figures: await Promise.race([measured, stopped]) });
    } finally {
      await side.stop();
    }
    await removeRound(plane, name, round);
  }
  report();
} catch (error) {
  reportLine(String(error));
  process.exitCode = 1;
} finally {
  await plane.stop();
}
process.exit();

function report(): void {
  const about = { machine: machine(), load: loadText(load), pinned, warmUp, rounds: options.rounds };
  const cores = pinned ? 'control plane on one core, controller on another' : 'not pinned';
  process.stdout.write(
    `${about.load}; ${cores}; ${options.rounds} rounds; ${JSON.stringify(about.machine)}\n`,
  );
  process.stdout.write(`\n${figuresTable(rounds)}`);
  if (options.json !== undefined)
    writeFileSync(options.json, `${JSON.stringify({ ...about, measured: rounds }, fiveDigits, 2)}\n`);
}

function fiveDigits(_name: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(5)) : value;
}

function startSide(name: SideName, on: ControlPlane): Promise<Side> {
  return name === 'jobledger'
    ? startJobledger(on, {
        stateDir: newStateDir(),
        api: options.api,
        temporalOn: options.temporalOn,
        report: reportLine,
      })
    : startBuiltIn(name, on, reportLine);
}

function newStateDir(): string {
  return mkdtempSync(path.join(tmpdir(), 'jobledger-bench-'));
}
