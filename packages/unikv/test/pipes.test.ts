import { execFile, execFileSync, spawn } from 'node:child_process'
import { readdirSync, readlinkSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { pause } from '@unikv/core/platform'
import { someOf } from '@unikv/test-kit/vitest'
import { beforeAll, describe, expect, test } from 'vitest'
import { inProcess, main, root } from './command-line.ts'

const lmdb = `lmdb:${join(root, 'data')}`
const run = ['bench', 'run', '--store', 'memory:']

/** A pipe that nobody writes to. */
const waiting = join(root, 'waiting.yaml')
execFileSync('mkfifo', [waiting])

/** Commands that read a file that a user names. */
const commands: readonly (readonly string[])[] = [
  ['config', 'unfold', waiting],
  ['restore', waiting, lmdb],
  ['config', 'unfold', 'own.xml', '-b', waiting],
  ['bench', 'session', waiting, '--dry-run'],
  ['set', lmdb, 'a', '--file', waiting],
  ['snapshot', lmdb, 's', '--key-file', waiting],
  ['count', 'users', '--config', waiting],
  [...run, '-P', waiting],
  [...run, '--config', waiting],
  ['bench', 'replay', waiting, '--store', 'memory:'],
  ['bench', 'report', waiting],
  ['evaluate', waiting],
]

function holdsPipe(pid: number): boolean {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).some((name) => {
    try {
      return readlinkSync(join(folder, name)) === waiting
    } catch {
      return false
    }
  })
}

describe.runIf(process.platform === 'linux')('a pipe that nobody writes to', () => {
  beforeAll(() => writeFile(join(root, 'own.xml'), '<a/>'))

  test.each(someOf(1, commands).map((args) => [args] as const))(
    'does not keep %j from ending',
    async (args) => {
      const child = spawn(process.execPath, [main, ...args], { cwd: root, stdio: 'ignore' })
      const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)))
      while (child.exitCode === null && !holdsPipe(child.pid as number)) await pause(20)
      child.kill('SIGTERM')
      expect(await ended).toBe(130)
    },
  )
})

test('a pipe for a value waits for its reader', async () => {
  await inProcess(['set', lmdb, 'there', 'value'])
  const writing = inProcess(['get', lmdb, 'there', '--out', waiting])
  expect(await readFile(waiting, 'utf8')).toBe('value')
  expect((await writing).code).toBe(0)
})

test('where only a file will do, a pipe is refused at once', async () => {
  const config = join(root, 'piped.yaml')
  await writeFile(config, `stores: { users: "lmdb:${'${file:'}${waiting}}" }\n`)
  for (const args of [
    ['count', 'users', '--config', config],
    [...run, '--workload', waiting],
    [...run, '--data', waiting],
    ['dictionary', 'make', 'd', waiting],
  ]) {
    const { code, err } = await inProcess(args)
    expect([code, err.split('\n').length]).toEqual([2, 2])
  }
})

const substitutions: readonly (readonly [words: string, out: string | undefined])[] = [
  [`set ${lmdb} piped --file <(printf v1)`, ''],
  [`get ${lmdb} piped --out >(cat)`, 'v1'],
  ['config unfold <(echo "<a>1</a>") -f json', '"1"\n'],
  [`set ${lmdb} piped - < <(printf v2)`, ''],
  [`get ${lmdb} piped`, 'v2\n'],
  [`count ${lmdb} --prefix piped --json`, '{"count":1}\n'],
  [`snapshot ${lmdb} s --key-file <(head -c 32 /dev/urandom) --allow-empty --json`, undefined],
]

test.each(someOf(1, substitutions))('process substitution goes on to work: %s', async (words, out) => {
  const command = `set -o pipefail; ${process.execPath} ${main} ${words}`
  const { stdout } = await promisify(execFile)('bash', ['-c', command], { cwd: root })
  if (out !== undefined) expect(stdout).toBe(out)
})
