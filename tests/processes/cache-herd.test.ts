import { describeWithOwn } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'
import { grounds, longMs } from './ground.ts'
import { now } from './journal.ts'
import type { Answered } from './protocol.ts'
import { Worker } from './worker.ts'

const rounds = Number(process.env['UNIKV_ROUNDS'] ?? 8)
const kills = Math.max(1, Math.round(rounds / 20))
/** Half a second of CPU each, to start. */
const processes = process.env['UNIKV_ROUNDS'] === undefined ? 3 : 8
const loadMs = 30
const slowLoadMs = 300
const leaseWaitMs = 600
/** A busy machine, and the turns of the cache store. */
const slackMs = 30_000

describeWithOwn('redis', () => {
  const ground = grounds()
  let started = 0

  async function start(ms: number, waitMs: number): Promise<Worker> {
    const far = { timeoutMs: 5_000, leaseWaitMs: waitMs }
    const stack = {
      sourceUrl: ground.source.url,
      cacheUrl: ground.store.url,
      dataset: 'herd',
      near: undefined,
      far,
    }
    const worker = new Worker(ground.script, { seed: ++started, stack, loadMs: ms })
    await worker.ready
    return worker
  }

  const herd = (ms: number, waitMs = 10_000): Promise<Worker[]> =>
    Promise.all(Array.from({ length: processes }, () => start(ms, waitMs)))

  test(
    'processes miss a key at the same moment: the source is asked once',
    async () => {
      const workers = await herd(loadMs)
      const loads: number[] = []
      const spans: number[] = []
      for (let round = 0; round < rounds; round++) {
        const key = `cold ${round}`
        await workers[round % processes]?.set(key, `value ${round}`)
        const atMs = now() + 20
        const answers = await Promise.all(workers.map((worker) => worker.get(key, { atMs })))
        expect(answers.map(({ value }) => value)).toEqual(Array(processes).fill(`value ${round}`))
        loads.push(answers.reduce((sum, answer) => sum + answer.loads, 0))
        spans.push(...answers.map(spanOf))
      }
      await Promise.all(workers.map((worker) => worker.close()))
      console.log(
        `${rounds} rounds of ${processes} processes: ${tally(loads)}; answered after ${spread(spans)} ms, of which the load takes ${loadMs}`,
      )
      expect(loads).toEqual(Array(rounds).fill(1))
    },
    longMs,
  )

  test(
    'a process that is killed while it loads: the others wait for leaseWaitMs at most, and none fails',
    async () => {
      const workers = await herd(slowLoadMs, leaseWaitMs)
      const spans: number[] = []
      const loads: number[] = []
      for (let round = 0; round < kills; round++) {
        const key = `lost ${round}`
        await workers[0]?.set(key, `value ${round}`)
        const holder = round % processes
        const loading = new Promise<void>((resolve) => {
          ;(workers[holder] as Worker).onLoading = resolve
        })
        const lost = workers[holder]?.get(key)
        lost?.catch(() => {})
        await loading
        await workers[holder]?.kill()
        await expect(lost).rejects.toThrow('has ended')
        const others = workers.filter((_, i) => i !== holder)
        const answers = await Promise.all(others.map((worker) => worker.get(key)))
        expect(answers.map(({ value, code }) => code ?? value)).toEqual(
          Array(processes - 1).fill(`value ${round}`),
        )
        spans.push(...answers.map(spanOf))
        loads.push(answers.reduce((sum, answer) => sum + answer.loads, 0))
        workers[holder] = await start(slowLoadMs, leaseWaitMs)
      }
      console.log(
        `${kills} holders killed: the others were answered after ${spread(spans)} ms, leaseWaitMs ${leaseWaitMs} and a load of ${slowLoadMs} among it; ${tally(loads)}`,
      )
      expect(Math.max(...spans)).toBeLessThan(leaseWaitMs + slowLoadMs + slackMs)
      expect(Math.min(...spans)).toBeGreaterThan(slowLoadMs - 1)
      // When the lease of the killed one has run out, somebody else holds the key, and keeps what is loaded.
      await expect
        .poll(async () => (await workers[0]?.get('lost 0'))?.loads, { timeout: 60_000, interval: 200 })
        .toBe(0)
      expect((await workers[1]?.get('lost 0'))?.loads).toBe(0)
      await Promise.all(workers.map((worker) => worker.close()))
    },
    longMs,
  )
})

function spanOf({ startMs, endMs }: Answered): number {
  return endMs - startMs
}

/** Minimum, median, 99th percentile and maximum. */
function spread(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number): number => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0)
  return `${at(0)} / ${at(0.5)} / ${at(0.99)} / ${at(1)}`
}

/** How often which number of loads was counted. */
function tally(loads: readonly number[]): string {
  const counts = new Map<number, number>()
  for (const count of loads) counts.set(count, (counts.get(count) ?? 0) + 1)
  return Array.from(counts, ([count, times]) => `${count} loads in ${times} rounds`).join(', ')
}
