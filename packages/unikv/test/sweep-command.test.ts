import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResultOf } from '@unikv/bench/studies'
import { expect, test } from 'vitest'
import { inProcess, root } from './command-line.ts'

const short = ['--records', '20', '--operations', '20', '--warmup', '0', '--runs', '1']

test('unikv bench sweep goes on after Ctrl-C, and keeps no cells of a sweep that is complete', async () => {
  const over = ['--over', 'concurrency=1,2,3,4', '--mix', 'read=1', '--out', 's']
  const args = ['bench', 'sweep', '--store', 'lmdb:./sweep', ...over, '--records', '20', '--warmup', '0']
  const cells = join(root, 's', '.unikv-cells')
  const length = ['--operations', '20', '--runs', '2']
  let isAsked = false
  const first = await inProcess([...args, ...length, '--progress', 'json'], (err, interrupt) => {
    if (isAsked || !err.includes('"cell":{"run":1,')) return
    isAsked = true
    interrupt()
  })
  expect([first.code, first.err.includes('Interrupted')]).toEqual([130, true])
  const kept = await readdir(cells)
  expect(kept.length).toBeGreaterThanOrEqual(1)
  const second = await inProcess([...args, ...length])
  expect([second.code, existsSync(cells)]).toEqual([0, false])
  const { curves } = JSON.parse(await readFile(join(root, 's', 'result.json'), 'utf8')) as ResultOf<'sweep'>
  expect(curves.map(({ points }) => points.map(({ rate }) => rate.runs.length))).toEqual([[2, 2, 2, 2]])
  for (const line of second.out.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
})

test('the command of the guide works', async () => {
  const text = await readFile(new URL('../../../docs/guides/bench-sweep.md', import.meta.url), 'utf8')
  const [, command = ''] = /^npx unikv (.*)$/m.exec(text) ?? []
  const { code, err } = await inProcess([...command.split(' '), ...short])
  expect(code, err).toBe(0)
})
