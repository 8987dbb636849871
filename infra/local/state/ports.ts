import { randomInt } from 'node:crypto';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { InputError } from '../../../services/adapters/errors.ts';
import { makeDirectory } from '../../../services/adapters/make-directory.ts';
import { cachePath } from '../tools/cache.ts';
import { textIn, writePrivately } from './files.ts';

export const LOOPBACK = '127.0.0.1';

/**
 * The range of ports to choose from. The default is below the ports that systems lend to outgoing connections, so that a kept
 * port is still free at the next start. Programs that start servers at the same time can have separate ranges.
 */
const VARIABLE = 'JOBLEDGER_LOCAL_PORTS';
const DEFAULT = '20000-31999';

/** A new reservation is valid for this time even though the file of its state directory does not have the port yet. */
const RESERVED_MS = 60_000;

/**
 * The loopback ports of the named servers: chosen once, then stored in `file`. A port that any state directory of
 * this user stores is not chosen again, even while no server listens on it. @throws InputError when another program
 * uses a stored port, and when no port is left.
 */
export async function reservePorts(
  file: string,
  names: readonly string[],
): Promise<(name: string) => number> {
  const owner = path.resolve(file);
  const kept = storedPorts(file);
  const chosen: Record<string, number> = { ...kept };
  for (const name of names) {
    const port = kept[name];
    if (port === undefined) chosen[name] = await freePort(owner);
    else if (!(await isFree(port))) throw takenPortError(name, port, file);
  }
  writePrivately(file, `${JSON.stringify(chosen, undefined, 2)}\n`);
  return (name) => chosen[name] ?? 0;
}

function storedPorts(file: string): Record<string, number> {
  try {
    return JSON.parse(textIn(file) ?? '{}') as Record<string, number>;
  } catch (cause) {
    throw new InputError(`${file} is not valid JSON; remove it to choose new ports`, { cause });
  }
}

async function freePort(owner: string): Promise<number> {
  const { lowest, highest } = parseRange(process.env[VARIABLE] ?? DEFAULT);
  const count = highest - lowest + 1;
  const first = randomInt(count);
  for (let tried = 0; tried < count; tried += 1) {
    const port = lowest + ((first + tried) % count);
    // The port is reserved before the probe, because a probe of a port that another state directory has reserved could
    // prevent the server of that port from listening.
    if (!tryReserve(owner, port)) continue;
    if (await isFree(port)) return port;
    rmSync(reservationFile(port), { force: true });
  }
  throw new InputError(`no port from ${lowest} to ${highest} is free; give another range in ${VARIABLE}`);
}

/** The reservation of a port: a file with the path of the `ports.json` that contains the port. */
function reservationFile(port: number): string {
  return cachePath('ports', String(port));
}

/** Reserves a port, and returns false if another state directory has reserved it. */
function tryReserve(owner: string, port: number): boolean {
  const reservation = reservationFile(port);
  if (isAbandoned(reservation, port)) rmSync(reservation, { force: true });
  makeDirectory(path.dirname(reservation));
  try {
    writeFileSync(reservation, owner, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function isAbandoned(reservation: string, port: number): boolean {
  const owner = textIn(reservation);
  const since = statSync(reservation, { throwIfNoEntry: false })?.mtimeMs;
  if (owner === undefined || since === undefined || Date.now() - since < RESERVED_MS) return false;
  return !new RegExp(`\\b${port}\\b`).test(textIn(owner) ?? '');
}

function parseRange(range: string): { lowest: number; highest: number } {
  const [lowest = 0, highest = 0] = (/^\d{4,5}-\d{4,5}$/.test(range) ? range : '').split('-').map(Number);
  if (lowest === 0 || highest < lowest || highest > 65_535)
    throw new InputError(`${VARIABLE} is "${range}"; give a range of ports such as ${DEFAULT}`);
  return { lowest, highest };
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = net.createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, LOOPBACK, () => probe.close(() => resolve(true)));
  });
}

function takenPortError(name: string, port: number, file: string): InputError {
  return new InputError(
    `port ${port} of ${name} is in use by another program; stop that program, or remove "${name}" from ${file} to choose another port`,
  );
}
