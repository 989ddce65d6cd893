import { parentPort, workerData } from 'node:worker_threads'
import { constantRate, openLoop, spinningClock, timerClock, verdict } from '@unikv/bench/loop'
import { keyValue } from '@unikv/core'
import { noOpStore } from './no-op-store.ts'
import { atStore, throughKeyValue } from './read-mostly.ts'

// The thread of an open loop: a pacer must not share one with other work.

/** A task of the worker. */
export interface OpenLoopTask {
  readonly rate: number
  readonly durationMs: number
  readonly pace: 'spinning' | 'timers'
  readonly path: 'KeyValue' | 'store'
}

/** The answer of the worker. Times in milliseconds. */
export interface OpenLoopOutcome {
  readonly achievedRate: number
  readonly dropped: number
  readonly lagP50Ms: number
  readonly lagP99Ms: number
  readonly lagMaxMs: number
  /** Share of one core. */
  readonly cpu: number
  /** Why the run would be marked invalid. */
  readonly invalid: readonly string[]
}

const { rate, durationMs, pace, path } = workerData as OpenLoopTask
const store = noOpStore('by promise')
const work = path === 'store' ? atStore(store) : throughKeyValue(keyValue(store, [], { coalesce: false }))
const clock = pace === 'spinning' ? spinningClock : timerClock
await openLoop(work, { arrivals: constantRate(rate), durationMs: 300, clock }) // lets the engine compile it
const before = process.cpuUsage()
const result = await openLoop(work, { arrivals: constantRate(rate), durationMs, clock })
const { user, system } = process.cpuUsage(before)
const lag = result.open?.lag
const outcome: OpenLoopOutcome = {
  achievedRate: result.rate,
  dropped: result.open?.dropped ?? 0,
  lagP50Ms: (lag?.percentile(50) ?? Number.NaN) / 1e6,
  lagP99Ms: (lag?.percentile(99) ?? Number.NaN) / 1e6,
  lagMaxMs: (lag?.max ?? Number.NaN) / 1e6,
  cpu: (user + system) / 1000 / result.elapsedMs,
  invalid: verdict(result).map(({ message }) => message),
}
parentPort?.postMessage(outcome)
