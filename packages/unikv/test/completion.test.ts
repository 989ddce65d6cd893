import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inProcess, root } from './command-line.ts'

/** What bash offers for these words. */
const offered = (...words: readonly string[]): Promise<readonly string[]> => offeredBy('bash', '', words)

async function offeredBy(
  shell: string,
  prelude: string,
  words: readonly string[],
): Promise<readonly string[]> {
  const { code, out } = await inProcess(['completion', 'bash'])
  expect(code).toBe(0)
  const script = join(root, 'completion.bash')
  await writeFile(script, out)
  const list = words.map((word) => `'${word}'`).join(' ')
  const program = `${prelude} source ${script}; COMP_WORDS=(unikv ${list}); COMP_CWORD=${words.length}; _unikv; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr, status } = spawnSync(shell, ['-c', program], { encoding: 'utf8', cwd: root })
  expect([status, stderr]).toEqual([0, ''])
  return stdout.trimEnd().split('\n')
}

test('bash completes commands, options, values that are known, and files', async () => {
  expect(await offered('mo')).toEqual(['monitor'])
  expect(await offered('bench', 'r')).toEqual(expect.arrayContaining(['run', 'replay', 'report']))
  expect(await offered('bench', 'run', '--store', 'memory:', '--conc')).toEqual(['--concurrency'])
  expect(await offered('get', 'users', 'ada', '--as', '')).toEqual(['text', 'json', 'bytes'])
  expect(await offered('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']))
  await writeFile(join(root, 'with space'), '')
  expect(await offered('check', '--config', 'compl')).toEqual(['completion.bash'])
  expect(await offered('check', '--config', 'with')).toEqual(['with space'])
})

test('fish gets a line for each command and option, with its description', async () => {
  const { out } = await inProcess(['completion', 'fish'])
  expect(out).toContain(
    "complete -c unikv -n '__fish_seen_subcommand_from bench; and __fish_seen_subcommand_from run' -l threads -r -d",
  )
  expect(out).toMatch(/-a monitor -d 'show what programs/)
  for (const line of out.trimEnd().split('\n').slice(1))
    expect(line).toMatch(/^complete -c unikv .* -d '.*'$/)
})

// Its `path` is the PATH of commands, and `words` the line that is completed.
test.skipIf(spawnSync('zsh', ['--version']).error !== undefined)('zsh understands it too', async () => {
  // As its `_bash_complete` does, without writing a cache into the home of whoever runs this.
  const prelude =
    'autoload -U +X bashcompinit; complete() { :; }; compgen() { print -r -- "$@"; }; setopt ksharrays shwordsplit;'
  const words = await offeredBy('zsh', prelude, ['completion', ''])
  expect(words.join(' ')).toContain('bash zsh fish')
})

test('zsh runs the function of bash', async () => {
  const { out } = await inProcess(['completion', 'zsh'])
  expect(out).toContain('bashcompinit')
  expect(out).toContain('complete -F _unikv unikv')
})

test('another shell is refused with those that are known', async () => {
  const { code, err } = await inProcess(['completion', 'powershell'])
  expect([code, err]).toEqual([2, expect.stringContaining('Allowed choices are bash, zsh, fish')])
})
