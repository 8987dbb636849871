import { expect, it } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { peakMegabytes } from '../bench/controller/meters/processes.ts';
import { activationTimes } from './activation-times.ts';
import type { Installation } from './installation.ts';
import { verifyAll } from './verify.ts';

/** An installation that has run one big Job. */
export interface BigJobRun {
  installation: Installation;
  temporal: Client;
  workflowId: string;
  /** Process id of the worker before the Job was created. */
  worker: number | undefined;
}

/** Adds the tests of what holds after every big Job. They halt the services. */
export function itStaysWithinBounds(
  run: () => BigJobRun,
  { limitMs, print }: { limitMs: number; print: (line: string) => void },
): void {
  it('has had one worker with less than 1 GB', () => {
    const { installation, worker } = run();
    const pid = installation.services.pid('worker') ?? 0;
    expect(pid).toBe(worker);
    const { worker: megabytes } = peakMegabytes([{ name: 'worker', pid }]);
    print(`the worker's peak: ${megabytes} MB`);
    expect(megabytes).toBeLessThan(1024);
  });

  it(
    'has had no activation of a second',
    async () => {
      const { temporal, workflowId } = run();
      const times = await activationTimes(temporal, workflowId);
      print(`${times.length} activations, the longest in CPU seconds: ${times.slice(0, 5).join(', ')}`);
      expect(times.length).toBeGreaterThan(10);
      expect(times[0]).toBeLessThan(1);
    },
    limitMs,
  );

  it(
    'leaves decisions that can all be made again',
    async () => {
      const { installation } = run();
      await installation.haltServices();
      const { exitCode, findings, decisions } = await verifyAll(installation);
      print(`decisions: ${decisions}`);
      expect({ exitCode, findings }).toEqual({ exitCode: 0, findings: [] });
    },
    limitMs,
  );
}
