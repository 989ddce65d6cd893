import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResultOf } from '@unikv/bench/studies'
import { keyValue } from '@unikv/core'
import { open } from '@unikv/stores'
import { describe, expect, test } from 'vitest'
import { inProcess, root, typed } from './command-line.ts'

describe('unikv bench deltas', () => {
  const few = ['--sizes', '2K', '--runs', '2', '--updates', '6', '--keys', '1']

  test('measures updates both ways and recommends, and leaves nothing in the store', async () => {
    const edits = ['--edits', 'scattered,random', '--shares', '1']
    const { code, out } = await inProcess(['bench', 'deltas', '--store', 'file:./du', ...edits, ...few])
    expect([code, out.match(/^(file: \w+|· Recommendation for file)/gm)]).toEqual([
      0,
      ['file: bytes', 'file: p50', 'file: an', '· Recommendation for file'],
    ])
    expect(out).toMatch(/^random +100 % +2 KB .*do not use: no delta was sent/m)
    const left = keyValue(open(`file:${root}/du?dataset=unikv_bench`))
    for await (const key of left.keys()) throw new Error(`left behind: ${key}`)
    await left.close()
  })

  test('prints everything as JSON, of the user’s own whole files', async () => {
    await mkdir(join(root, 'own'))
    for (const size of [2_000, 3_000]) await writeFile(join(root, 'own', `${size}.txt`), 'y'.repeat(size))
    const args = ['--store', 'memory:', '--data', 'own', '--json', '--edits', 'append', '--known-reads', '80']
    const { code, out } = await inProcess(['bench', 'deltas', ...args, ...few.with(1, 'files')])
    const result = JSON.parse(out) as ResultOf<'deltas'>
    expect([code, result.format, result.status]).toEqual([0, 'unikv.bench-deltas', 'complete'])
    expect(result.config).toMatchObject({ sizes: 'files', shares: [0.01, 0.1], use: { knownReads: 0.8 } })
    expect(result.points.map(({ size, share }) => [size, share])).toEqual([
      [2_500, 0.01],
      [2_500, 0.1],
    ])
    for (const { recommendation } of result.points)
      expect(['use', 'do-not-use', 'no-clear-difference']).toContain(recommendation.verdict)
  })

  test.each([
    [
      '--store memory: --edits swap',
      "--edits: 'swap' is unknown; known are append, scattered, moves, random.",
    ],
    [
      '--store memory: --shares -1',
      "Shares: '-1' is not a share of a value. Write a percentage above 0 and at most 100.",
    ],
    ['--store memory: --mbits 0', 'It must be a number from 0.001 to 1000000.'],
    ['--store memory: --sizes 40Mi', 'which grow to 80 MiB by append, are too large for memory with deltas'],
    ['--store memcached://127.0.0.1', 'memcached may evict records'],
    ['--store cassandra://127.0.0.1/k', 'cassandra has no conditional writes, which deltas need'],
    ['', "required option '--store <[name=]url>' not specified"],
  ])('wrong use exits with 2 and says why in one sentence: %s', async (args, says) => {
    const { code, out, err } = await inProcess(['bench', 'deltas', ...typed(args)])
    expect([code, out, err.trim().split('\n').length]).toEqual([2, '', 1])
    expect(err).toContain(says)
  })
})
