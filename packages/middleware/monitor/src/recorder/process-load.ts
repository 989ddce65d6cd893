import { totalmem } from 'node:os'
// oxlint-disable-next-line no-restricted-imports -- what it tells of the process has no place in tests of time
import { type EventLoopUtilization, monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { windowMs } from './windows.ts'

/** How busy the process was in a span of time. Shares are from 0 to 1. */
export interface ProcessLoad {
  /** Time of processors over time: 1 is one processor, with threads it may be more. */
  readonly cpuShare: number
  /** Time in which the event loop did something. */
  readonly loopShare: number
  /** 99th percentile of how late the event loop was, in milliseconds, to some 20 ms. */
  readonly loopDelayMs: number
  /** Resident memory at the end, in bytes, and its share of the machine's. */
  readonly memoryBytes: number
  readonly memoryShare: number
  /** Used heap of V8 at the end, and its share of the largest that it may have. */
  readonly heapBytes: number
  readonly heapShare: number
}

interface Sample extends ProcessLoad {
  readonly at: number
}

/** The load of this process in the last five minutes. */
export class ProcessLoads {
  readonly #delays = monitorEventLoopDelay({ resolution: 20 })
  #samples: Sample[] = []
  #cpu = process.cpuUsage()
  #loop: EventLoopUtilization = performance.eventLoopUtilization()
  #sampledAt = performance.now()

  constructor() {
    this.#delays.enable()
  }

  sample(at: number): void {
    const now = performance.now()
    const { user, system } = process.cpuUsage(this.#cpu)
    const { utilization } = performance.eventLoopUtilization(this.#loop)
    const { rss: memoryBytes, heapUsed: heapBytes } = process.memoryUsage()
    const load = {
      at,
      cpuShare: (user + system) / 1000 / Math.max(1, now - this.#sampledAt),
      loopShare: utilization,
      // Without a beat of its timer there is nothing to tell.
      loopDelayMs: this.#delays.count === 0 ? 0 : this.#delays.percentile(99) / 1e6,
      memoryBytes,
      memoryShare: memoryBytes / totalmem(),
      heapBytes,
      heapShare: heapBytes / getHeapStatistics().heap_size_limit,
    }
    this.#samples = [...this.#samples.filter((sample) => sample.at > at - windowMs['5min']), load]
    this.#cpu = process.cpuUsage()
    this.#loop = performance.eventLoopUtilization()
    this.#sampledAt = now
    this.#delays.reset()
  }

  /** The mean load of the last so many milliseconds, its highest delay, and the latest memory; `undefined` without a sample. */
  last(ms: number, now: number): ProcessLoad | undefined {
    const samples = this.#samples.filter(({ at }) => at > now - ms)
    const latest = samples.at(-1)
    if (latest === undefined) return undefined
    const mean = (of: (sample: Sample) => number): number =>
      samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length
    const { memoryBytes, memoryShare, heapBytes, heapShare } = latest
    return {
      cpuShare: mean(({ cpuShare }) => cpuShare),
      loopShare: mean(({ loopShare }) => loopShare),
      loopDelayMs: Math.max(...samples.map(({ loopDelayMs }) => loopDelayMs)),
      memoryBytes,
      memoryShare,
      heapBytes,
      heapShare,
    }
  }

  close(): void {
    this.#delays.disable()
  }
}
