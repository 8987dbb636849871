import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Invocation } from '../container/invocation.ts';
import type { AttemptFiles } from './attempt-directory.ts';

/**
 * The POSIX shell script that wraps a container's main process. The script outlives the agent, so that no exit code
 * is lost.
 * - `set -C` makes the pid file a claim: of two wrappers for one attempt only the first runs the command.
 * - Caught signals are reset in the child, so a signal to the whole group ends the command, not the wrapper.
 * - The inner shell writes its process id and becomes the command, so the command itself gets SIGTERM.
 * - The last line kills the processes that the command left in its group, as the end of a container does.
 */
const WRAPPER = `set -C
echo $$ > "$0/pid" || exit 0
set +C
trap : HUP INT QUIT ALRM TERM USR1 USR2
/bin/sh -c 'echo $$ > "$0/main"; exec "$@"' "$0" "$@"
echo $? > "$0/exit"
kill -KILL 0`;

/**
 * Starts a container's process in its own process group, with its output appended to the log file.
 * @throws the error of `spawn`, e.g. for too many processes or too long arguments.
 */
export async function startWrapper(files: AttemptFiles, invocation: Invocation): Promise<ChildProcess> {
  const log = openSync(files.log, 'a', 0o600);
  try {
    const child = spawn('/bin/sh', ['-c', WRAPPER, files.directory, ...invocation.argv], {
      detached: true,
      cwd: invocation.cwd ?? files.work,
      env: invocation.env,
      stdio: ['ignore', log, log],
    });
    await new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    return child;
  } finally {
    closeSync(log);
  }
}
