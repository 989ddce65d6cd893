import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { faultProxy, type OwnServer, ownServer } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { now } from './processes/journal.ts'
import type { Answered } from './processes/protocol.ts'
import type { StackSetting } from './processes/stack.ts'
import { bundleWorker, Worker } from './processes/worker.ts'

const outageMs = Number(process.env['UNIKV_OUTAGE_MS'] ?? 2_000)
const longMs = 3_600_000
const processes = 4
const freshForMs = 200
const keys: readonly string[] = Array.from({ length: 5 }, (_, i) => `key ${i}`)
const staleIfErrorMs = 10 * (outageMs + 10_000)

/** Where stale entries may stand in for the source. */
type Tiers = 'near' | 'far' | 'both' | 'none'

describeWithOwn('redis', () => {
  let folder = ''
  let script = ''
  let source: OwnServer
  let store: OwnServer

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'unikv-outage-'))
    script = await bundleWorker(folder)
    source = await ownServer('redis')
    store = await ownServer('redis')
  })
  afterAll(async () => {
    await Promise.all([source?.stop(), store?.stop()])
    await rm(folder, { recursive: true, force: true })
  })

  function stackOf(tiers: Tiers, sourceUrl: string): StackSetting {
    const stale = (on: boolean) => (on ? { freshForMs, staleIfErrorMs } : { freshForMs })
    return {
      sourceUrl,
      cacheUrl: store.url,
      dataset: `outage_${tiers}`,
      near: tiers === 'far' ? undefined : stale(tiers === 'near' || tiers === 'both'),
      far: { ...stale(tiers === 'far' || tiers === 'both'), leaseWaitMs: 100, timeoutMs: 5_000 },
    }
  }

  /** All processes read all keys, one after the other, until so many milliseconds are over. */
  async function readAll(workers: readonly Worker[], ms: number): Promise<readonly Answered[]> {
    const untilMs = now() + ms
    const answers = workers.map(async (worker) => {
      const own: Answered[] = []
      do for (const key of keys) own.push(await worker.get(key))
      while (now() < untilMs)
      return own
    })
    return (await Promise.all(answers)).flat()
  }

  async function staleAnswers(workers: readonly Worker[]): Promise<number> {
    const all = await Promise.all(workers.map((worker) => worker.stats()))
    return all.reduce((sum, { near, far }) => sum + (near?.staleAnswers ?? 0) + far.staleAnswers, 0)
  }

  test.each<Tiers>(['near', 'far', 'both', 'none'])(
    'the source is down: stale entries stand in where asked, and fresh ones come after it: %s',
    async (tiers) => {
      await using proxy = await faultProxy(source.url)
      const stack = stackOf(tiers, proxy.url)
      const workers = Array.from({ length: processes }, (_, i) => new Worker(script, { seed: i, stack }))
      await Promise.all(workers.map(({ ready }) => ready))
      for (const key of keys) await workers[0]?.set(key, 'before')
      const before = await readAll(workers, 300)
      expect(outcomes(before)).toEqual(['before'])

      proxy.inject({ kind: 'reset' })
      // What was fresh when it began.
      await pause(2 * freshForMs)
      const refused = await workers[0]?.set('another key', 'meanwhile')
      expect(refused?.code).toBe('UNAVAILABLE')
      const during = await readAll(workers, outageMs)
      expect(outcomes(during)).toEqual([tiers === 'none' ? 'UNAVAILABLE' : 'before, stale'])
      const counted = await staleAnswers(workers)
      expect(counted).toBe(tiers === 'none' ? 0 : during.length)

      proxy.pass()
      await workers[1]?.set(keys[0] as string, 'after')
      await pause(2 * freshForMs)
      const after = await readAll(workers, 300)
      expect(outcomes(after)).toEqual(['after', 'before'])
      expect(await staleAnswers(workers)).toBe(counted)
      console.log(
        `${outageMs} ms without the source, stale in ${tiers}: ${during.length} reads of ${processes} processes, ${counted} stale (counted), ${during.filter(({ code }) => code !== undefined).length} failed, 0 wrong; ${after.length} fresh after`,
      )
      await Promise.all(workers.map((worker) => worker.close()))
    },
    longMs,
  )
})

/** What came out, each once. */
function outcomes(answers: readonly Answered[]): readonly string[] {
  const all = answers.map(({ code, value, isStale }) => code ?? `${value}${isStale ? ', stale' : ''}`)
  return Array.from(new Set(all)).toSorted()
}
