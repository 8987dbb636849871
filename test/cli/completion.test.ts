import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { programWith } from '../../services/cli/program.ts';
import { SCRIPTS } from '../../services/cli/verbs/completion/scripts.ts';
import { completedVerbs } from '../../services/cli/verbs/completion/tree.ts';

/** What bash itself offers for the last word. */
async function offered(...words: string[]): Promise<string[]> {
  const script = SCRIPTS.bash(completedVerbs(await programWith('all')));
  const ask = `COMP_WORDS=("$@"); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _jobledger; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = execFileSync('bash', ['-c', `${script}\n${ask}`, 'bash', 'jobledger', ...words], {
    encoding: 'utf8',
  });
  return out.split('\n').filter((line) => line !== '');
}

describe('completion in bash', () => {
  it('offers verbs, options, and values where they are known', async () => {
    expect(await offered('de')).toEqual(['describe', 'dead-letters']);
    expect(await offered('get', '-o', '')).toEqual(['wide', 'yaml', 'json', 'name']);
    expect(await offered('get', '-o', 'y')).toEqual(['yaml']);
    expect(await offered('get', '--all')).toEqual(['--all-namespaces']);
    expect(await offered('cron', 'n')).toEqual(['next']);
    expect(await offered('completion', '')).toEqual(['bash', 'zsh', 'fish', '--help']);
    expect(await offered('get', '--token-file', 'package.js')).toEqual(['package.json']);
    expect(await offered('get', '-n', '')).toEqual([]);
  });
});

describe('completion in fish', () => {
  it('has a line for each verb and option', async () => {
    const script = SCRIPTS.fish(completedVerbs(await programWith('all')));
    expect(script).toContain("complete -c jobledger -n __fish_use_subcommand -a get -d 'list Jobs");
    expect(script).toMatch(/-n '__fish_seen_subcommand_from get' -s o -l output -x -a 'wide yaml json name'/);
    expect(script).toMatch(/-n '__fish_seen_subcommand_from login' -l token-file -r -F /);
  });
});
