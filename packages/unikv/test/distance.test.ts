import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResultOf } from '@unikv/bench/studies'
import { describeWith } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'
import { inProcess, root } from './command-line.ts'

describeWith('redis', (url) => {
  test('one server is a store nearby and one far away, and the report says so', async () => {
    const places = ['far', 'near'].flatMap((name) => ['--store', `${name}=${url}?dataset=${name}`])
    const run = ['bench', 'run', ...places, '--records', '20', '--operations', '20', '--warmup', '0']
    const far = ['--delay', 'far=30ms', '--bandwidth', 'far=10', '--runs', '1', '--quiet', '--out', 'far']
    const { code, out, err } = await inProcess([...run, '--mix', 'read=1', '--threads', '2', ...far])
    expect([code, err]).toEqual([0, ''])
    expect(out.replace(/\s+/g, ' ')).toMatch(
      /store far: [^;]*;[^;]*, answers 30\.0 ms later by a proxy, network of 10 Mbit\/s by a proxy;/,
    )
    const result = JSON.parse(await readFile(join(root, 'far', 'result.json'), 'utf8')) as ResultOf<'run'>
    expect(result.config).toMatchObject({ delayMs: { far: 30 }, mbits: { far: 10 } })
    const far30 = result.targets.find(({ store }) => store === 'far')!
    const fastest = far30.operations.map(({ service }) => service.minMs)
    expect(fastest.length).toBeGreaterThan(0)
    // A proxy cannot be early.
    for (const ms of fastest) expect(ms).toBeGreaterThanOrEqual(29.5)
  })
})

test.each([
  [['--store', 'lmdb:./l', '--delay', '5ms'], 'lmdb cannot have one: it is in this process'],
  [['--store', 'redis://h', '--delay', 'rediz=5ms'], "names 'rediz', but the stores and caches are redis"],
  [['--store', 'redis://h', '--bandwidth', 'fast'], "'fast' is not a speed."],
])('%j is refused', async (args, words) => {
  const { code, err } = await inProcess(['bench', 'sizes', ...args, '--quiet'])
  expect([code, err]).toEqual([2, expect.stringContaining(words)])
})
