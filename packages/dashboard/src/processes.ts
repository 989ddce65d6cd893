import { type Access, seesStore } from '@unikv/http/parts'
import { addFrames, type Frame, type Summarised, summarised } from '@unikv/monitor'
import type { LiveProcess, ProcessLoad, ServerFeatures } from '@unikv/monitor/recorder'
import type { DashboardOptions, ShownManager } from './options.ts'
import type { Servers } from './servers.ts'

/** The processes that use the stores, each and together. */
export interface ProcessesView {
  readonly at: number
  /** Those that keep figures where the manager does; empty if nothing is kept. */
  readonly processes: readonly ProcessView[]
  /** All processes together, by store and operation. */
  readonly together: StoreRates
  /** Servers of the stores, where they tell of themselves. */
  readonly servers: Readonly<Record<string, ServerFeatures>>
}

/** The last seconds of one process. */
export interface ProcessView {
  readonly id: string
  /** Host and number of the process, unless it was named. */
  readonly name: string
  /** When it was last heard of. */
  readonly at: number
  /** How long the span is that its figures are of, in milliseconds. */
  readonly lengthMs: number
  /** How busy it was; `undefined`: not told. */
  readonly load: ProcessLoad | undefined
  readonly callsPerSecond: number
  /** All its operations together. */
  readonly p99Ms: number
  readonly errorShare: number
}

/** Rates of operations, by store and operation. */
export type StoreRates = Readonly<Record<string, Readonly<Record<string, OperationRates>>>>

/** One operation in the last seconds. */
export interface OperationRates {
  readonly callsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly errorShare: number
  readonly hitRate: number
}

interface Parts {
  readonly manager: ShownManager
  readonly history: DashboardOptions['history']
  readonly servers: Servers
}

/** The processes that keep figures, as far as a caller may see them: nothing is told of one that uses other stores alone. */
export async function processesView(
  { manager, history, servers }: Parts,
  access: Access,
  now: number,
): Promise<ProcessesView> {
  const found = (await history?.live?.({ onUnreadable: () => {} })) ?? []
  const seen = found.map((one) => ({ ...one, frame: seenFrame(one.frame, access) }))
  const mayKnow = seen.filter(({ frame }) => access.stores === undefined || Object.keys(frame).length > 0)
  const told = await servers.features(found, manager)
  return {
    at: now,
    processes: mayKnow.map(processView).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    together: ratesOf(seen),
    servers: Object.fromEntries(Object.entries(told).filter(([store]) => seesStore(access, store))),
  }
}

function seenFrame(frame: Frame, access: Access): Frame {
  return Object.fromEntries(Object.entries(frame).filter(([store]) => seesStore(access, store)))
}

function processView({ id, name, at, lengthMs, frame, process: load }: LiveProcess): ProcessView {
  const all = Object.values(frame).flatMap((store) => Object.entries(store))
  // Kinds of queries are counted once more, as native calls.
  const whole = all.filter(([operation]) => !operation.includes(' '))
  const { all: together } = addFrames(whole.map(([, figures]) => ({ all: { native: figures } })))
  const figures = together?.native
  const rates = figures === undefined ? none : rateOf(summarised(figures), lengthMs)
  const { callsPerSecond, p99Ms, errorShare } = rates
  return { id, name, at, lengthMs, load, callsPerSecond, p99Ms, errorShare }
}

const none: OperationRates = { callsPerSecond: 0, p50Ms: 0, p99Ms: 0, errorShare: 0, hitRate: 0 }

/** Processes write at different times, so each has a rate of its own; counts and times add up. */
function ratesOf(processes: readonly Pick<LiveProcess, 'frame' | 'lengthMs'>[]): StoreRates {
  const sum = addFrames(processes.map(({ frame }) => frame))
  const callsPerSecond = (store: string, operation: string): number =>
    processes.reduce((total, { frame, lengthMs }) => {
      const own = frame[store]?.[operation as keyof Frame[string]]
      return own === undefined ? total : total + perSecond(summarised(own).calls, lengthMs)
    }, 0)
  const stores = Object.entries(sum).map(([store, operations]) => {
    const rates = Object.entries(operations).map(([name, figures]) => [
      name,
      { ...rateOf(summarised(figures), 1), callsPerSecond: callsPerSecond(store, name) },
    ])
    return [store, Object.fromEntries(rates)] as const
  })
  return Object.fromEntries(stores)
}

function rateOf({ calls, items, failed, hitRate, latency }: Summarised, lengthMs: number): OperationRates {
  const { p50Ms, p99Ms } = latency
  const errorShare = items === 0 ? 0 : failed / items
  return { callsPerSecond: perSecond(calls, lengthMs), p50Ms, p99Ms, errorShare, hitRate }
}

function perSecond(count: number, lengthMs: number): number {
  return lengthMs <= 0 ? 0 : (count * 1_000) / lengthMs
}
