import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';

const SCRIPT = `
  import { stopRequest } from './cli/stop-request.ts';
  const stop = stopRequest();
  stop.addEventListener('abort', () => { console.log('asked by ' + stop.reason); process.exit(); });
  setTimeout(() => process.exit(1), 20_000);
  console.log('waiting');
`;

describe('a command that npm runs in a shell', () => {
  it('is stopped when only npm and its shell received the signal', async () => {
    const shell = spawn('sh', ['-c', 'node --input-type=module -e "$SCRIPT"; true'], {
      env: { ...process.env, SCRIPT, npm_command: 'exec' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    for await (const chunk of shell.stdout) {
      output += String(chunk);
      if (output === 'waiting\n') shell.kill('SIGTERM');
    }
    expect(output).toBe('waiting\nasked by SIGTERM\n');
    expect(shell.signalCode ?? (await once(shell, 'exit'))[1]).toBe('SIGTERM');
  }, 30_000);
});

describe('a program that runs until it is stopped', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 0],
  ] as const)('ends after %s with the status %s', async (signal, status) => {
    const script = `
      import { endSoon, stopRequest, whenAborted } from './cli/stop-request.ts';
      const stop = stopRequest();
      setInterval(() => undefined, 20_000);
      console.log('waiting');
      await whenAborted(stop);
      endSoon(stop);
    `;
    const child = spawn('node', ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([status, null]);
  });
});
