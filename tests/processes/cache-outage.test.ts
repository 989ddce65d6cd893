import { setTimeout as pause } from 'node:timers/promises'
import { type Fault, faultProxy } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { grounds, longMs } from './ground.ts'
import { now } from './journal.ts'
import type { Answered } from './protocol.ts'
import type { StackSetting } from './stack.ts'
import { Worker } from './worker.ts'

/** Without it: a short form, with fewer processes. */
const longOutageMs = process.env['UNIKV_OUTAGE_MS']
const outageMs = Number(longOutageMs ?? 500)
const processes = longOutageMs === undefined ? 2 : 4
const freshForMs = 200
const keys: readonly string[] = Array.from({ length: 5 }, (_, i) => `key ${i}`)
const staleIfErrorMs = 10 * (outageMs + 10_000)
/** Of calls that nothing stands in for, and of others, which are answered long before it. */
const timeoutMs = 2_000
const longTimeoutMs = 10_000
/** A busy machine. */
const slackMs = 30_000

/** Where stale entries may stand in for the source. */
type Tiers = 'near' | 'far' | 'both' | 'none'

interface Outage {
  readonly kind: string
  readonly fault: Fault
  /** What bounds the wait for the source. */
  readonly softTimeoutMs?: number
  /** What calls may be told that nothing stands in for. */
  readonly reads: readonly string[]
  readonly write: string
  /** Those of the short form. */
  readonly tiers: readonly Tiers[]
}

const outages: readonly Outage[] = [
  {
    kind: 'refuses',
    fault: { kind: 'reset' },
    reads: ['UNAVAILABLE'],
    write: 'UNAVAILABLE',
    tiers: ['far', 'none'],
  },
  {
    kind: 'hangs',
    fault: { kind: 'blackHole' },
    softTimeoutMs: 200,
    reads: ['TIMEOUT', 'UNAVAILABLE'],
    write: 'OUTCOME_UNKNOWN',
    tiers: ['near', 'both'],
  },
]

describeWithOwn('redis', () => {
  const ground = grounds()

  function stackOf(tiers: Tiers, { kind, softTimeoutMs }: Outage, sourceUrl: string): StackSetting {
    const stale = (on: boolean) => (on ? { freshForMs, staleIfErrorMs, softTimeoutMs } : { freshForMs })
    return {
      sourceUrl,
      cacheUrl: ground.store.url,
      dataset: `outage_${kind}_${tiers}`,
      near: tiers === 'far' ? undefined : stale(tiers !== 'none'),
      far: { ...stale(tiers === 'far' || tiers === 'both'), leaseWaitMs: 100, timeoutMs: 5_000 },
    }
  }

  /** All processes read all keys, again and again, until so many milliseconds are over. */
  async function readAll(
    workers: readonly Worker[],
    ms: number,
    timeoutMs: number,
  ): Promise<readonly Answered[]> {
    const untilMs = now() + ms
    const answers = workers.map(async (worker) => {
      const own: Answered[] = []
      do own.push(...(await Promise.all(keys.map((key) => worker.get(key, { timeoutMs })))))
      while (now() < untilMs)
      return own
    })
    return (await Promise.all(answers)).flat()
  }

  /** Read until all connections are back, and nothing stands in for a source that is only slow, as a busy machine is. */
  async function readFresh(
    workers: readonly Worker[],
  ): Promise<{ last: readonly Answered[]; stale: number }> {
    let last: readonly Answered[] = []
    let stale = 0
    for (let round = 0; round < 100; round++) {
      last = await readAll(workers, 100, longTimeoutMs)
      stale += last.filter(({ isStale }) => isStale).length
      if (last.every(({ isStale, code }) => !isStale && code === undefined)) break
    }
    return { last, stale }
  }

  async function staleAnswers(workers: readonly Worker[]): Promise<number> {
    const all = await Promise.all(workers.map((worker) => worker.stats()))
    return all.reduce((sum, { near, far }) => sum + (near?.staleAnswers ?? 0) + (far?.staleAnswers ?? 0), 0)
  }

  describe.each(outages)('the source $kind', (outage) => {
    test.concurrent.each<Tiers>(longOutageMs === undefined ? outage.tiers : ['near', 'far', 'both', 'none'])(
      'stale entries stand in where asked, and fresh ones come after it: %s',
      async (tiers) => {
        await using proxy = await faultProxy(ground.source.url)
        const stack = stackOf(tiers, outage, proxy.url)
        const workers = Array.from(
          { length: processes },
          (_, i) => new Worker(ground.script, { seed: i, stack }),
        )
        await Promise.all(workers.map(({ ready }) => ready))
        for (const key of keys) await workers[0]?.set(key, 'before')
        const isStale = tiers !== 'none'
        const eachMs = isStale ? longTimeoutMs : timeoutMs
        const before = await readFresh(workers)
        expect(outcomes(before.last)).toEqual(['before'])

        const { struck } = proxy.inject(outage.fault)
        // What was fresh when it began.
        await pause(2 * freshForMs)
        const refused = workers[0]?.set('another key', 'meanwhile', { timeoutMs })
        const during = await readAll(workers, outageMs, eachMs)
        await struck
        expect((await refused)?.code).toBe(outage.write)
        if (isStale) expect(outcomes(during)).toEqual(['before, stale'])
        else expect(outage.reads).toEqual(expect.arrayContaining([...outcomes(during)]))
        const counted = (await staleAnswers(workers)) - before.stale
        // Where both have one, that below may give its own to a load whose readers are answered.
        if (tiers === 'both') expect(counted).toBeGreaterThanOrEqual(during.length)
        else expect(counted).toBe(isStale ? during.length : 0)
        expect(longestOf(during)).toBeLessThan(eachMs + (isStale ? 0 : slackMs))

        proxy.pass()
        await written(workers[1] as Worker, keys[0] as string, 'after')
        await pause(2 * freshForMs)
        const after = await readFresh(workers)
        expect(outcomes(after.last)).toEqual(['after', 'before'])
        if (tiers !== 'both') expect(await staleAnswers(workers)).toBe(before.stale + counted + after.stale)
        console.log(
          `${outageMs} ms in which the source ${outage.kind}, stale in ${tiers}: ${during.length} reads of ${processes} processes, ${during.filter((one) => one.isStale).length} stale (${counted} counted), ${during.filter(({ code }) => code !== undefined).length} failed, 0 wrong, answered after ${longestOf(during).toFixed(0)} ms at most; ${after.last.length} fresh after`,
        )
        await Promise.all(workers.map((worker) => worker.close()))
      },
      longMs,
    )
  })
})

/** Writes until it is acknowledged: connections that were lost are opened anew. */
async function written(worker: Worker, key: string, value: string): Promise<void> {
  const giveUpAt = now() + 60_000
  while ((await worker.set(key, value, { timeoutMs })).code !== undefined) {
    if (now() > giveUpAt) throw new Error('The source is there again, and takes no write.')
    await pause(20)
  }
}

/** How long a call took, at most. */
function longestOf(answers: readonly Answered[]): number {
  return Math.max(...answers.map(({ startMs, endMs }) => endMs - startMs))
}

/** What came out, each once. */
function outcomes(answers: readonly Answered[]): readonly string[] {
  const all = answers.map(({ code, value, isStale }) => code ?? `${value}${isStale ? ', stale' : ''}`)
  return Array.from(new Set(all)).toSorted()
}
