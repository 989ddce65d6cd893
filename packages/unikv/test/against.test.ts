import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inProcess, main, root, waiting } from './command-line.ts'

async function run(ms: number, ...others: readonly string[]): Promise<readonly string[]> {
  return ['bench', 'run', ...(await waiting(ms)), ...others]
}

test('bench run --against a command measures both by turns, and finds a slower store in pairs', async () => {
  const base = [process.execPath, main, ...(await run(4, '--out', 'elsewhere', '--quiet'))].join(' ')
  const { code, out, err } = await inProcess(
    await run(100, '--out', 'turns', '--against', base, '--turns', '3', '--json', '--fail-on-regression'),
  )
  expect(code, err).toBe(3)
  const [pair] = JSON.parse(out)
  expect([pair.names, pair.unit]).toEqual([['base', 'new'], 'turns'])
  const rate = pair.figures.find(({ figure }: { figure: string }) => figure === 'rate').comparison
  expect([rate.verdict, rate.runs, rate.paired.degreesOfFreedom]).toEqual(['slower', [3, 3], 2])
  expect(err).toMatch(/^Turn 1 of 3\n(.*\n)*Turn 3 of 3\n$/)
  const started = async (folder: string): Promise<string> =>
    JSON.parse(await readFile(join(root, 'turns', folder, 'result.json'), 'utf8')).startedAt
  // Each is the second one of every other turn.
  const order = await Promise.all(['01-base', '01-new', '02-new', '02-base', '03-base'].map(started))
  expect(order).toEqual(order.toSorted())
  expect(existsSync(join(root, 'elsewhere'))).toBe(false)
})

test('the command of a result is run again, and a baseline that fails ends the turns', async () => {
  await inProcess(await run(4, '--out', 'baseline', '--quiet'))
  const same = await inProcess(await run(4, '--out', 'again', '--against', 'baseline', '--turns', '3'))
  expect(same.code, same.err).toBe(0)
  expect(same.out).toMatch(/^base and new: measured in turn\n/)
  const failing = await inProcess(await run(4, '--out', 'never', '--against', `${main} nothing`))
  expect([failing.code, failing.err]).toEqual([
    2,
    expect.stringMatching(/Turn 1 of base failed with exit code \d+/),
  ])
  // A command that leaves no result of this study is told after its first turn.
  const idle = await inProcess(await run(4, '--out', 'idle', '--turns', '3', '--against', 'echo nothing'))
  expect([idle.code, idle.err]).toEqual([
    2,
    expect.stringMatching(/^Turn 1 of 3\nunikv: \S*01-base holds no result of unikv bench run/),
  ])
  expect(await readdir(join(root, 'idle'))).toEqual(['01-new'])
  const alone = await inProcess(await run(4, '--turns', '5'))
  expect([alone.code, alone.err]).toEqual([2, 'unikv: --turns needs a baseline: add --against.\n'])
  const kept = await inProcess(await run(4, '--results', `file:${root}/kept`, '--against', 'baseline'))
  expect([kept.code, kept.err]).toEqual([2, expect.stringContaining('--results keeps one result')])
})
