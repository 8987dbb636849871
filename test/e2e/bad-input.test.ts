import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'jobledger-bad-input-'));

interface Outcome {
  status: number;
  errors: string;
}

/** Runs the command line as a user does, with these variables only. */
function jobledger(args: string[], variables: Record<string, string> = {}): Promise<Outcome> {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...variables };
  return new Promise((resolve) => {
    const child = execFile(
      'node',
      ['cli/jobledger.mjs', ...args],
      { env, timeout: 60_000 },
      (_error, _output, errors) => {
        resolve({ status: child.exitCode ?? -1, errors });
      },
    );
  });
}

function kubeconfig(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const VALID = `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: {token: planted-token}}]
contexts: [{name: here, context: {cluster: c, user: u}}]
current-context: here
`;

describe('the error of a command for bad input', () => {
  it.each([
    [
      'a missing context',
      ['--kubeconfig', kubeconfig('a', VALID), '--kube-context', 'nowhere'],
      /no context "nowhere".*here/,
    ],
    ['a missing kubeconfig', ['--kubeconfig', join(folder, 'none')], /none cannot be read/],
    [
      'an invalid kubeconfig',
      ['--kubeconfig', kubeconfig('b', 'planted-token: [')],
      /not a valid kubeconfig/,
    ],
    [
      'one name for two clusters',
      [
        '--kubeconfig',
        kubeconfig('c', VALID),
        '--kube-context',
        'here',
        '--kube-context',
        'there',
        '--cluster-name',
        'x',
      ],
      /--cluster-name/,
    ],
    ['an invalid claim', ['--claim', 'some'], /claim/],
  ])(
    'names the wrong input, comes with exit status 2 and contains no secret: %s',
    async (_name, args, message) => {
      const { status, errors } = await jobledger(['up', '--state-dir', join(folder, 'state'), ...args]);
      expect(errors).toMatch(message);
      expect(errors).not.toContain('planted-token');
      expect(status).toBe(2);
    },
    90_000,
  );

  it('names the address of a Postgres that refuses the connection of `up`, and not the password', async () => {
    const DATABASE_URL = 'postgres://somebody:planted-password@127.0.0.1:1/db';
    const args = ['up', '--state-dir', join(folder, 'state'), '--kubeconfig', kubeconfig('d', VALID)];
    const { status, errors } = await jobledger(args, { DATABASE_URL });
    expect(errors).toMatch(/127\.0\.0\.1:1/);
    expect(errors).not.toContain('planted-password');
    expect(status).toBe(2);
  }, 90_000);

  it('names the missing setting of a service that `run` starts', async () => {
    const { status, errors } = await jobledger(['run', 'projector', '--state-dir', join(folder, 'state')], {
      DATABASE_URL: 'x',
      KAFKA_BROKERS: '',
    });
    expect(errors).toMatch(/KAFKA_BROKERS/);
    expect(status).not.toBe(0);
  }, 90_000);
});
