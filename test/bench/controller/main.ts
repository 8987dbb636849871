import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startControlPlane, type ControlPlane } from './control-plane/control-plane.ts';
import type { Round } from './figures.ts';
import { machine } from './machine.ts';
import { measure } from './measure.ts';
import { loadInWords, readOptions, schedule, type SideName } from './options.ts';
import { CORES, startedOn } from './pin.ts';
import { tableOf } from './report.ts';
import { startBuiltIn } from './sides/built-in.ts';
import { startJobledger } from './sides/jobledger.ts';
import type { Side } from './sides/side.ts';

// `npm run bench:controller -- --help`: the built-in Job controller and Jobledger in turn, on one load (docs/benchmarks.md).
const options = readOptions(process.argv.slice(2));
const { load, pinned, verify, warmUp } = options;
const say = (line: string): void => void process.stderr.write(`${line}\n`);

const plane = await startedOn(CORES.controlPlane, pinned, () =>
  startControlPlane(mkdtempSync(path.join(tmpdir(), 'jobledger-bench-')), say),
);
const rounds: Round[] = [];
try {
  for (const { round, side: name } of schedule(options.sides, options.rounds)) {
    say(`round ${round}: ${name}`);
    const side = await startedOn(CORES.controller, pinned, () => startSide(name, plane));
    try {
      rounds.push({
        side: name,
        round,
        figures: await measure(plane, side, { load, warmUp, verify, round }),
      });
    } finally {
      await side.stop();
    }
  }
} finally {
  await plane.stop();
}
const about = { machine: machine(), load: loadInWords(load), pinned, warmUp, rounds: options.rounds };
process.stdout.write(
  `${about.load}, ${pinned ? 'control plane on one core, controller on another' : 'not pinned'}, ${options.rounds} rounds\n${JSON.stringify(about.machine)}\n\n${tableOf(rounds)}`,
);
if (options.json !== undefined)
  writeFileSync(options.json, `${JSON.stringify({ ...about, measured: rounds }, undefined, 2)}\n`);
process.exit();

function startSide(name: SideName, on: ControlPlane): Promise<Side> {
  return name === 'jobledger' ? startJobledger(on, { api: options.api, say }) : startBuiltIn(name, on, say);
}
