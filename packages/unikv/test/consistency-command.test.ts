import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResultOf } from '@unikv/bench/studies'
import { type OwnServer, ownServer } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { exitCodes } from '../src/cli/exit-code.ts'
import { inProcess, root, typed } from './command-line.ts'

const short = ['--runs', '2', '--probes', '5', '--probe-rate', '100', '--delays', '0,20', '--horizon', '50ms']

/** A machine without time for this process makes a run invalid. */
const measured: readonly unknown[] = [exitCodes.ok, exitCodes.runInvalid]

describeWithOwn('redis', () => {
  let primary: OwnServer
  let replica: OwnServer

  beforeAll(async () => {
    primary = await ownServer('redis')
    replica = await ownServer('redis', { args: ['--replicaof', '127.0.0.1', new URL(primary.url).port] })
    const other = new Redis(replica.url)
    await vi.waitFor(
      async () => expect(await other.info('replication')).toContain('master_link_status:up'),
      20_000,
    )
    other.disconnect()
  })
  afterAll(async () => {
    await replica.stop()
    await primary.stop()
  })

  test('a replica that is cut off gives stale reads, and has caught up before the next run', async () => {
    const port = (url: string): string => new URL(url).port
    const follow = (master: string): string =>
      `redis-cli -p ${port(replica.url)} replicaof 127.0.0.1 ${master}`
    const args = ['--store', `redis=${primary.url}`, '--read-from', `replica=${replica.url}`, ...short]
    const commands = ['--disturb', follow('1'), '--undo', follow(port(primary.url))]
    const { code, err } = await inProcess([
      'bench',
      'consistency',
      ...args,
      ...commands,
      ...typed('--only stale --out cut --quiet'),
    ])
    expect(measured, err).toContain(code)
    const result: ResultOf<'consistency'> = JSON.parse(
      await readFile(join(root, 'cut', 'result.json'), 'utf8'),
    )
    expect(result.commands.map(({ kind, output }) => [kind, output])).toEqual([
      ['disturb', 'OK'],
      ['undo', 'OK'],
    ])
    const [calm, disturbed] = result.stale
    for (const { readers } of result.stale) {
      const [own] = readers
      for (const { found, of } of own!.points) expect([found, of > 0]).toEqual([0, true])
    }
    for (const { found, of } of disturbed!.readers[1]!.points) expect([of > 0, found]).toEqual([true, of])
    expect([calm!.writes, disturbed!.seen.unseen, disturbed!.seen.max]).toEqual([
      10,
      10,
      { ms: 50, isCensored: true },
    ])
    const page = await readFile(join(root, 'cut', 'report.html'), 'utf8')
    expect(page).toContain('<figure id="stale-redis-disturbed"')
  })

  test('a place of other data is not taken for a replica', async () => {
    const args = ['--store', `redis=${primary.url}`, '--read-from', `other=${primary.url}/5`, ...short]
    const { code, err } = await inProcess(['bench', 'consistency', ...args, '--quiet'])
    expect([code, err]).toEqual([
      2,
      expect.stringContaining(
        "redis: the reader 'other' does not show what is written to the store, not even after 3 s.",
      ),
    ])
  })
})

test('all is measured by default, and what the store declares is compared', async () => {
  const { code, out, err } = await inProcess([
    ...typed('bench consistency --store memory: --callers 1,2 --duration 20ms --warmup 0s'),
    ...short,
    ...typed('--out memory --quiet'),
  ])
  expect(measured, err).toContain(code)
  expect(out.replace(/\s+/g, ' ')).toContain(
    'memory declares one consistency level, strong, so there is nothing to compare it with.',
  )
  // The reader is the store itself: another one in memory would be empty.
  expect(out).toContain('memory, strong: no read was stale after 10 writes')
  expect(out).toContain('Throughput, and times of reads and writes')
})

describe('refused:', () => {
  test.each([
    [
      '--store redis://h --levels strong,quorum',
      "redis does not declare the consistency level 'quorum': it has strong.",
    ],
    [
      '--store redis://h?replicas=1 --levels eventual',
      "redis does not declare the consistency level 'eventual': it has strong, replicated.",
    ],
    [
      '--store redis://h --store mysql://h/d --read-from redis://r',
      '--read-from names places of one store. Measure several stores one after the other.',
    ],
    ['--store redis://h --undo true', '--undo needs --disturb beside it.'],
    ['--store redis://h --delays 0,x', "--delays: 'x' is not a number from 0."],
    ['--store redis://h?replicas=0', 'replicas in a redis URL must be the number of replicas'],
  ])('%j', async (args, words) => {
    const { code, err } = await inProcess(['bench', 'consistency', ...typed(args)])
    expect([code, err.replace(/\s+/g, ' ')]).toEqual([2, expect.stringContaining(words)])
  })
})
