import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';

const NO_IMAGES = 'this node has no images and runs commands of the host';

/** The reason why a command cannot be executed, worded like containerd's message; undefined when the command can be executed. */
export function notExecutableReason(
  command: string | undefined,
  path: string,
  cwd: string,
): string | undefined {
  if (command === undefined || command === '')
    return `no command specified: ${NO_IMAGES}, so a container needs "command"`;
  const found = candidates(command, path, cwd).map(checkExecutable);
  if (found.includes('executable')) return undefined;
  if (found.includes('denied')) return `exec: "${command}": permission denied; ${NO_IMAGES}`;
  const where = command.includes('/') ? 'no such file or directory' : 'executable file not found in $PATH';
  return `exec: "${command}": ${where}; ${NO_IMAGES}`;
}

function candidates(command: string, path: string, cwd: string): string[] {
  if (command.includes('/')) return [isAbsolute(command) ? command : resolve(cwd, command)];
  return path.split(':').map((directory) => join(resolve(cwd, directory), command));
}

/** Checks one candidate. As in execvp, an entry of PATH that is missing or is not a folder is skipped. */
function checkExecutable(file: string): 'executable' | 'denied' | 'absent' {
  try {
    if (!statSync(file).isFile()) return 'denied';
    accessSync(file, constants.X_OK);
    return 'executable';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'absent' : 'denied';
  }
}
