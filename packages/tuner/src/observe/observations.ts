import { addFrames, type Frame, type StoreFigures, summarised } from '@unikv/monitor'
import { type ProcessLoad, type ServerFeatures, type WindowName, windowMs } from '@unikv/monitor/recorder'
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
  /** Which; `undefined`: it is not known. */
  readonly names?: readonly string[] | undefined
  /** How busy those were that tell of it, this one first. */
  readonly loads?: readonly ProcessLoad[] | undefined
}

/** Several observations as one. */
interface Span {
  readonly fromAt: number
  readonly toAt: number
  readonly lengthMs: number
  readonly frame: Frame
}

/** So long are spans of what is older than half a minute. */
const spanMs = 60_000

interface Found {
  readonly figures: StoreFigures
  readonly seenMs: number
}

/** The observations of the last five minutes. */
export class Observations {
  #all: readonly Observation[] = []
  /** The sum of windows older than half a minute, so that they need not be added up again and again. */
  #older: readonly Span[] = []
  readonly #found = new Map<string, Found>()

  add(observation: Observation): void {
    const { at } = observation
    const recentAt = at - windowMs['30s']
    const aged = this.#all.filter(
      (one) => one.at <= recentAt && one.at > (this.#older.at(-1)?.toAt ?? -Infinity),
    )
    // A clock that is set back makes what came later void.
    const isWithin = (its: number): boolean => its > at - windowMs['5min'] && its < at
    this.#older = aged.reduce(withOne, this.#older).filter(({ toAt }) => isWithin(toAt))
    this.#all = [...this.#all.filter((one) => isWithin(one.at)), observation]
    this.#found.clear()
  }

  get latest(): Observation | undefined {
    return this.#all.at(-1)
  }

  get all(): readonly Observation[] {
    return this.#all
  }

  /** The figures of a store in the last so many milliseconds, and how many of them were seen. */
  last(store: string, over: WindowName): Found {
    const key = `${over} ${store}`
    const known = this.#found.get(key)
    if (known !== undefined) return known
    const found = this.#sum(store, over)
    this.#found.set(key, found)
    return found
  }

  #sum(store: string, over: WindowName): Found {
    const fromAt = (this.latest?.at ?? 0) - windowMs[over]
    const parts =
      over === '5min' ? [...this.#older, this.#recent(store)] : this.#all.filter(({ at }) => at > fromAt)
    const frames = parts.map(({ frame }) => ({ [store]: frame[store] ?? {} }))
    return {
      figures: addFrames(frames)[store] ?? {},
      seenMs: parts.reduce((sum, { lengthMs }) => sum + lengthMs, 0),
    }
  }

  /** Windows of the last half minute. */
  #recent(store: string): Pick<Span, 'frame' | 'lengthMs'> {
    const { figures, seenMs } = this.last(store, '30s')
    return { frame: { [store]: figures }, lengthMs: seenMs }
  }
}

/** Spans with one more observation: in the last one, if that is not long enough. */
function withOne(spans: readonly Span[], { at, lengthMs, frame }: Observation): readonly Span[] {
  const last = spans.at(-1)
  if (last === undefined || at - last.fromAt > spanMs)
    return [...spans, { fromAt: at - lengthMs, toAt: at, lengthMs, frame }]
  const joined = { fromAt: last.fromAt, toAt: at, lengthMs: last.lengthMs + lengthMs }
  return [...spans.slice(0, -1), { ...joined, frame: addFrames([last.frame, frame]) }]
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
