import { addFrames, type Frame, type StoreFigures, summarised } from '@unikv/monitor'
import { type ServerFeatures, type WindowName, windowMs } from '@unikv/monitor/recorder'
import type { Work } from './work.ts'

/** The work of all processes in one window of five seconds. */
export interface Observation {
  /** Its end (milliseconds since the epoch). */
  readonly at: number
  readonly lengthMs: number
  readonly frame: Frame
  /** Servers that tell of themselves, by store. */
  readonly servers: { readonly [store: string]: ServerFeatures }
  /** How many processes were seen. */
  readonly processes: number
}

/** The observations of the last five minutes. */
export class Observations {
  #all: readonly Observation[] = []
  /** Sums that were asked for since the last window. */
  readonly #sums = new Map<string, Sum>()

  add(observation: Observation): void {
    this.#sums.clear()
    const oldestAt = observation.at - windowMs['5min']
    this.#all = [...this.#all.filter(({ at }) => at > oldestAt && at < observation.at), observation]
  }

  get latest(): Observation | undefined {
    return this.#all.at(-1)
  }

  get all(): readonly Observation[] {
    return this.#all
  }

  /** The figures of a store in the last so many milliseconds, and how many of them were seen. */
  last(store: string, over: WindowName): Sum {
    const name = `${over} ${store}`
    const known = this.#sums.get(name)
    if (known !== undefined) return known
    const fromAt = (this.latest?.at ?? 0) - windowMs[over]
    const windows = this.#all.filter(({ at }) => at > fromAt)
    const sum: Sum = {
      figures: addFrames(windows.map(({ frame }) => ({ [store]: frame[store] ?? {} })))[store] ?? {},
      seenMs: windows.reduce((total, { lengthMs }) => total + lengthMs, 0),
    }
    this.#sums.set(name, sum)
    return sum
  }
}

/** Figures of several windows. */
interface Sum {
  readonly figures: StoreFigures
  readonly seenMs: number
}

/** The mean latency and rate of an operation in one window; `undefined`: it was not called. */
export function meanIn(
  { frame, lengthMs }: Observation,
  store: string,
  work: Work,
): { readonly meanMs: number; readonly callsPerSecond: number } | undefined {
  const figures = frame[store]?.[work]
  if (figures === undefined) return undefined
  const { calls, latency } = summarised(figures)
  return calls === 0 || latency.timed === 0
    ? undefined
    : { meanMs: latency.meanMs, callsPerSecond: (calls * 1000) / lengthMs }
}
