import { randomInt } from 'node:crypto';
import net from 'node:net';
import { InputError } from '../../services/adapters/errors.ts';
import { textIn, writePrivately } from './files.ts';

export const LOOPBACK = '127.0.0.1';

/**
 * The range of ports to choose from. The default is below the ports that systems lend to outgoing connections, so that a kept
 * port is still free at the next start. Programs that start servers at the same time can have separate ranges.
 */
const VARIABLE = 'JOBLEDGER_LOCAL_PORTS';
const DEFAULT = '20000-31999';

/**
 * The loopback ports of the named servers: chosen once, then stored in `file`.
 * @throws InputError when another program uses a stored port.
 */
export async function reservePorts(
  file: string,
  names: readonly string[],
): Promise<(name: string) => number> {
  const kept = keptPorts(file);
  const chosen: Record<string, number> = { ...kept };
  for (const name of names) {
    const port = kept[name];
    if (port === undefined) chosen[name] = await freePort(Object.values(chosen));
    else if (!(await isFree(port))) throw taken(name, port, file);
  }
  writePrivately(file, `${JSON.stringify(chosen, undefined, 2)}\n`);
  return (name) => chosen[name] ?? 0;
}

function keptPorts(file: string): Record<string, number> {
  try {
    return JSON.parse(textIn(file) ?? '{}') as Record<string, number>;
  } catch (cause) {
    throw new InputError(`${file} is not valid JSON; remove it to choose new ports`, { cause });
  }
}

async function freePort(except: readonly number[]): Promise<number> {
  const { lowest, highest } = choice(process.env[VARIABLE] ?? DEFAULT);
  for (;;) {
    const port = randomInt(lowest, highest + 1);
    if (!except.includes(port) && (await isFree(port))) return port;
  }
}

function choice(range: string): { lowest: number; highest: number } {
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

function taken(name: string, port: number, file: string): InputError {
  return new InputError(
    `port ${port} of ${name} is in use by another program; stop that program, or remove "${name}" from ${file} to choose another port`,
  );
}
