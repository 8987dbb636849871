import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { reservePorts } from '../../../../infra/local/state/ports.ts';

const RANGE = { lowest: 18_200, highest: 18_209 };
const NAMES = ['a', 'b', 'c', 'd', 'e'];
const before = { ...process.env };

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'jobledger-ports-'));
  process.env['XDG_CACHE_HOME'] = folder;
  process.env['JOBLEDGER_LOCAL_PORTS'] = `${RANGE.lowest}-${RANGE.highest}`;
});
afterEach(() => {
  process.env = { ...before };
  rmSync(folder, { recursive: true });
});

function portsFile(stateDirectory: string): string {
  return join(folder, stateDirectory, 'ports.json');
}

/** The ports that a state directory has, chosen now or before. */
async function reserve(stateDirectory: string, names = NAMES): Promise<number[]> {
  const port = await reservePorts(portsFile(stateDirectory), names);
  return names.map(port);
}

/** The reservations were made long ago. */
function age(ports: readonly number[]): void {
  for (const port of ports) utimesSync(join(folder, 'jobledger', 'ports', String(port)), 0, 0);
}

describe('the ports of state directories', () => {
  it('are stored, and are the same at the next start', async () => {
    const chosen = await reserve('one');
    expect(await reserve('one')).toEqual(chosen);
    expect(Object.values(JSON.parse(readFileSync(portsFile('one'), 'utf8')) as object)).toEqual(chosen);
  });

  it('differ between the directories, although no server listens yet', async () => {
    const all = (await Promise.all([reserve('one'), reserve('two')])).flat();
    expect(new Set(all).size).toBe(2 * NAMES.length);
  });

  it('stay reserved while a state directory stores them, and are free when the directory is deleted', async () => {
    const [one, two] = [await reserve('one'), await reserve('two')];
    age([...one, ...two]);
    await expect(reserve('three')).rejects.toThrow(
      'no port from 18200 to 18209 is free; give another range in JOBLEDGER_LOCAL_PORTS',
    );
    rmSync(join(folder, 'one'), { recursive: true });
    expect(new Set(await reserve('three'))).toEqual(new Set(one));
  });

  it('are reserved before the state directory stores them', async () => {
    const reservations = join(folder, 'jobledger', 'ports');
    mkdirSync(reservations, { recursive: true });
    for (let port = RANGE.lowest; port < RANGE.highest; port += 1)
      writeFileSync(join(reservations, String(port)), portsFile('starting'));
    expect(await reserve('one', ['a'])).toEqual([RANGE.highest]);
  });

  it('are never ports on which a program listens', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(RANGE.lowest, '127.0.0.1', resolve));
    try {
      const all = await reserve('one', [...NAMES, 'f', 'g', 'h', 'i']);
      expect(Math.min(...all)).toBe(RANGE.lowest + 1);
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
  });
});
