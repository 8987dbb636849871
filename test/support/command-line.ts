import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

interface Ran {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Runs the compiled command line as a process, as a user of an API. */
export interface CommandLine {
  /** `line`: what a user types after `jobledger`, without quotes. */
  run(line: string, token: string): Promise<Ran>;
  remove(): void;
}

/** Has contexts with the names of clusters, and prints the arguments of what else it is asked for. */
const KUBECTL = `#!/bin/sh
if [ "$1" = config ]; then printf 'east\\nwest\\nnorth\\nsouth\\n'; else echo kubectl "$@"; fi
`;

/** `url`: asked for at each command. */
export function commandLine(url: () => string): CommandLine {
  const folder = mkdtempSync(join(tmpdir(), 'jobledger-command-line-'));
  writeFileSync(join(folder, 'kubectl'), KUBECTL, { mode: 0o755 });
  const { PATH = '', HOME } = process.env;
  const environment = { PATH: `${folder}${delimiter}${PATH}`, HOME, XDG_CONFIG_HOME: folder };
  return {
    run(line, token) {
      const file = join(folder, token);
      writeFileSync(file, token);
      const env = { ...environment, JOBLEDGER_SERVER: url(), JOBLEDGER_TOKEN_FILE: file };
      return new Promise((resolve) => {
        execFile('node', ['cli/jobledger.mjs', ...line.split(' ')], { env }, (error, stdout, stderr) =>
          resolve({ exitCode: Number(error?.code ?? 0), stdout, stderr }),
        );
      });
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
