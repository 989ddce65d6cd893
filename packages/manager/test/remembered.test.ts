import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Bytes, keyValue, type Store, supports } from '@unikv/core'
import type { MonitorSnapshot, RecentCall } from '@unikv/monitor'
import { open } from '@unikv/stores'
import { describeWith, isWhole } from '@unikv/test-kit/vitest'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openHistory } from '../src/index.ts'

const program = fileURLToPath(new URL('./worker.mjs', import.meta.url))

interface Told {
  readonly figures: MonitorSnapshot['stores']
  readonly recent: readonly RecentCall[]
}

/** A process that works, tells what it did, and is killed while it goes on. */
async function killed(folder: string, keepIn: string, calls: number): Promise<Told> {
  const child = spawn(process.execPath, [program, folder, keepIn, String(calls)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  for await (const line of createInterface({ input: child.stdout })) {
    child.kill('SIGKILL')
    await ended
    return JSON.parse(line) as Told
  }
  throw new Error('The program ended without a word.')
}

function goesOn(keepIn: (folder: string) => string): void {
  test('history goes on over killed processes, and equals what they did', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'unikv-remembered-'))
    const url = keepIn(folder)
    const told = [
      ...(await Promise.all([killed(folder, url, 150), killed(folder, url, 100)])),
      await killed(folder, url, 50),
    ]
    const { history, close } = await openHistory({ stores: { metrics: url }, monitor: { keepIn: 'metrics' } })
    onTestFinished(async () => {
      await close()
      await forget(url)
      await rm(folder, { recursive: true })
    })
    const days = await history({ resolution: 'day' })
    const sum = (resolutionPoints: typeof days, store: string, operation: string) =>
      resolutionPoints
        .filter((point) => point.store === store && point.operation === operation)
        .reduce((total, { calls }) => total + calls, 0)
    for (const resolution of ['minute', 'hour', 'day'] as const) {
      const points = await history({ resolution })
      for (const [store, operation, least] of [
        ['users', 'read', 300],
        ['sessions', 'set', 300],
        ['notes', 'set', 60],
      ] as const)
        expect(sum(points, store, operation), `${store} ${operation} by ${resolution}`).toBe(least)
    }
    const durations = told
      .flatMap(({ recent }) => recent)
      .filter(({ store, operation }) => store === 'users' && operation === 'read')
      .map(({ durationMs }) => durationMs)
      .sort((a, b) => a - b)
    expect(durations).toHaveLength(300)
    const [point, nextDay] = days.filter(({ store, operation }) => store === 'users' && operation === 'read')
    if (nextDay !== undefined) return // it was midnight meanwhile
    for (const [percent, found] of [
      [50, point?.latency.p50Ms],
      [90, point?.latency.p90Ms],
      [99, point?.latency.p99Ms],
    ] as const) {
      const exact = durations[Math.ceil((percent / 100) * 300) - 1] as number
      expect(Math.abs((found as number) - exact) / exact, `p${percent}`).toBeLessThan(1 / 100)
    }
  })
}

/** Records of servers outlive the folder. */
async function forget(url: string): Promise<void> {
  const store: Store<Bytes> = open(url)
  await using kv = keyValue(store)
  if (supports(kv, 'scan')) await kv.namespace('unikv.monitor').clear({ all: true })
}

describe('kept in LMDB', () => goesOn((folder) => `lmdb:${folder}/metrics`))
for (const server of isWhole ? (['redis', 'postgres'] as const) : [])
  describeWith(server, (url) => goesOn(() => `${url}?dataset=remembered_${process.pid}`))
