import { fork } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { install, type Installation } from '../support/installation.ts';

/** Only root can change to another account. */
const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

let installation: Installation;

beforeAll(async () => {
  installation = await install({ ownServers: true, api: true });
  await installation.startServices();
}, 240_000);
afterAll(() => installation?.stop());

/** Returns the processes that a process has started, directly or indirectly. */
function descendants(of: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        return [[Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])] as const];
      } catch {
        return [];
      }
    });
  const children = (parent: number): number[] =>
    parents.filter(([, each]) => each === parent).flatMap(([pid]) => [pid, ...children(pid)]);
  return children(of);
}

/** Returns the TCP ports on which these processes listen, with the address and the program of each port. */
function listening(pids: readonly number[]): Map<number, { address: string; program: string }> {
  const sockets = new Map<string, { port: number; address: string }>();
  for (const table of ['tcp', 'tcp6'])
    for (const line of readFileSync(`/proc/net/${table}`, 'utf8').trim().split('\n').slice(1)) {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      const [address = '', port = ''] = local.split(':');
      if (state === '0A') sockets.set(`socket:[${inode}]`, { port: Number.parseInt(port, 16), address });
    }
  const found = new Map<number, { address: string; program: string }>();
  for (const pid of pids)
    for (const fd of readdirSync(`/proc/${pid}/fd`)) {
      const socket = sockets.get(readLink(`/proc/${pid}/fd/${fd}`));
      if (socket === undefined) continue;
      const program = readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
      found.set(socket.port, { address: socket.address, program });
    }
  return found;
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** Returns the names of ports from the files of the state directory. */
function portNames(): Record<string, string> {
  const kept = JSON.parse(readFileSync(join(installation.stateDir, 'ports.json'), 'utf8')) as Record<
    string,
    number
  >;
  return Object.fromEntries(Object.entries(kept).map(([name, port]) => [String(port), name]));
}

/** /proc/net writes 127.0.0.1, ::1, and 127.0.0.1 as an address of IPv6 in this way. */
const LOOPBACK = ['0100007F', '00000000000000000000000001000000', '0000000000000000FFFF00000100007F'];

describe('the ports of `jobledger up`', () => {
  it('are on the loopback interface only', () => {
    const ports = listening(descendants(process.pid));
    const open = [...ports].filter(([, { address }]) => !LOOPBACK.includes(address));
    expect(open).toEqual([]);
  });

  it('give another account of the machine no access to data, except to the metrics and Temporal as SECURITY.md says', async () => {
    if (!isRoot) {
      process.stdout.write('not tried from another account: only root can become one\n');
      return;
    }
    const ports = listening(descendants(process.pid));
    const attacker = fork(join(process.cwd(), 'test/support/try-ports.mjs'));
    attacker.send([...ports.keys()]);
    const [{ uid, found }] = (await once(attacker, 'message')) as [
      { uid: number; found: Record<string, string[]> },
    ];
    expect(uid).toBe(NOBODY);
    const names = portNames();
    const portName = (port: string): string =>
      names[port] ?? `of ${ports.get(Number(port))?.program}`.replace('MainThread', 'node');
    const open = Object.entries(found).filter(([, gives]) => gives.length > 0);
    expect(Object.fromEntries(open.map(([port, gives]) => [portName(port), gives]))).toEqual({
      temporal: ['Temporal'],
      'temporal-http': expect.arrayContaining(['http /api/v1/namespaces']),
      'temporal-metrics': ['http /metrics'],
      // Temporal's library in the worker serves these metrics on any free port.
      'of node': ['http /metrics'],
      ...Object.fromEntries(
        Object.keys(installation.metrics).map((service) => [`${service}-metrics`, ['http /metrics']]),
      ),
    });
    const tried = Object.keys(found).map(portName);
    for (const part of ['postgres', 'kafka', 'api', 'local-etcd', 'local-kube-apiserver', 'local-node-agent'])
      expect(tried).toContainEqual(expect.stringContaining(part));
  }, 120_000);

  it('do not include a port for peers of etcd, for which a socket in a private folder is used', () => {
    expect(Object.values(portNames())).not.toContain('local-etcd-peer');
    const folder = join(installation.stateDir, 'cluster', 'local');
    expect(lstatSync(join(folder, 'peers.sock')).isSocket()).toBe(true);
    expect([folder, installation.stateDir].map((each) => statSync(each).mode & 0o777)).toEqual([
      0o700, 0o700,
    ]);
  });
});
