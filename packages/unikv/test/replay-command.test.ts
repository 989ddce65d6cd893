import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandsOfGuide, inProcess, root, typed } from './command-line.ts'

test('the commands of the guide replay its trace, and two results can be compared', async () => {
  const text = await readFile(new URL('../../../docs/guides/bench-replay.md', import.meta.url), 'utf8')
  const trace = /```csv\n(.*?)```/s.exec(text)?.[1] as string
  await writeFile(join(root, 'requests.csv'), trace)
  const commands = await commandsOfGuide('bench-replay')
  expect(commands.map(([, name]) => name)).toEqual(['replay', 'replay', 'replay'])
  for (const command of commands) {
    const { code, out, err } = await inProcess(
      command.map((one) => (one === 'redis://127.0.0.1' ? 'memory:' : one)),
    )
    // A busy machine may be late.
    expect([0, 3, 4], err).toContain(code)
    expect(out).toContain('requests.csv: 2 requests, 50 % read, 50 % update')
  }
  const max = ['bench', 'replay', 'requests.csv', '--store', 'memory:', '--speed', 'max', '--out']
  for (const out of ['r1', 'r2']) expect((await inProcess([...max, out])).code).toBe(0)
  const { code, out } = await inProcess(['bench', 'compare', 'r1', 'r2'])
  expect([code, out]).toEqual([0, expect.stringContaining('too few runs')])
})

test('what the command line cannot make a replay of is told in a sentence', async () => {
  await writeFile(join(root, 'no-times.csv'), 'k1\nk2\n')
  const told = async (...args: string[]) => {
    const { code, err } = await inProcess(['bench', 'replay', ...args, '--store', 'memory:'])
    return [code, err]
  }
  expect(await told()).toEqual([2, expect.stringContaining("missing required argument 'file'")])
  expect(await told('no-times.csv', '--speed', '3')).toEqual([2, expect.stringContaining('has no times')])
  expect(await told('no-times.csv', '--speed', 'fast')).toEqual([
    2,
    expect.stringContaining("'fast' is not one"),
  ])
  expect(await told('no-times.csv', '--start', 'full')).toEqual([
    2,
    expect.stringContaining("'full' is not one of loaded, empty"),
  ])
})

test('times in milliseconds since 1970 are told with the length of the trace, and a pipe is read', async () => {
  await writeFile(join(root, 'epochs.csv'), 'time,key\n1700000000123,a\n1700000000323,b\n')
  const { code, out, err } = await inProcess(typed('bench replay epochs.csv --store memory: --out ep'))
  // A busy machine may be late.
  expect([0, 4], err).toContain(code)
  expect(err).toContain(
    'unikv: The times of epochs.csv are taken for milliseconds since 1970, as they are too large for seconds: its 2 requests last 200 ms.\n',
  )
  expect(out).toContain('speed: 1 × that of the trace, ')
})
