import { rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import type { Installation } from '../support/installation.ts';
import { freeze } from '../support/processes.ts';
import type { Outage } from './outages.ts';
import type { Round } from './rounds.ts';

/** A part that does not reach its fault point by then is killed wherever it is. */
const REACHES_WITHIN_MS = 5000;
const LOOK_EVERY_MS = 20;

/** Longer than any time-out after which another process goes on with the work of one that does not answer. */
export const STOPPED_MS = 12_000;

/** Kills the round's part, or stops it for a while, and waits until it answers again; returns when it was away. */
export async function strike(installation: Installation, round: Round): Promise<Outage> {
  const { part, fault } = round;
  if (round.strike === 'stop') return stopped(installation, part);
  const isDead = fault !== undefined && (await diesAt(installation, part, fault));
  const from = Date.now();
  if (!isDead) await installation.kill(part);
  await installation.answers(part);
  return { from, to: Date.now() };
}

/** Stops a part with SIGSTOP for a while. */
export async function stopped({ services, servers, answers }: Installation, part: string): Promise<Outage> {
  const pid = servers.names.includes(part) ? servers.pid(part) : services.pid(part);
  if (pid === undefined) throw new Error(`${part} does not run`);
  const from = Date.now();
  await freeze(pid, STOPPED_MS);
  if (part.startsWith('worker'))
    await eventually('the worker that stood still has ended', 10, () =>
      Promise.resolve(services.pid(part) === pid ? undefined : true),
    );
  await answers(part);
  return { from, to: Date.now() };
}

/** False when it did not reach the point. */
async function diesAt({ services, faultFile }: Installation, part: string, fault: string): Promise<boolean> {
  const before = services.pid(part);
  writeFileSync(faultFile, fault);
  const limit = Date.now() + REACHES_WITHIN_MS;
  while (Date.now() < limit) {
    if (services.pid(part) !== before) return true;
    await delay(LOOK_EVERY_MS);
  }
  rmSync(faultFile, { force: true });
  return services.pid(part) !== before;
}
