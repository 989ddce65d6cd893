import { kindOf, StoreError } from '@unikv/core/adapter'
import { AbortController, AbortSignal, isPlainObject } from '@unikv/core/platform'
import type { Used } from './saturation.ts'

/** The load of a machine in a span of time, as its `node_exporter` tells it. Shares are from 0 to 1. */
export interface MachineLoad {
  /** Time in which its processors did something. */
  readonly cpuShare: number
  /** Memory that programs cannot have any more, at the end. */
  readonly memoryShare: number
  /** Over all networks but that of the machine with itself. */
  readonly receivedBytesPerSecond: number
  readonly sentBytesPerSecond: number
}

/** Loads of machines by their names. */
export type MachineLoads = { readonly [machine: string]: MachineLoad }

/** Counters of a machine since it was started, and its memory. */
interface Counters {
  readonly busySeconds: number
  readonly idleSeconds: number
  readonly receivedBytes: number
  readonly sentBytes: number
  readonly memoryShare: number
}

interface Sample extends Counters {
  readonly at: number
}

/** So often machines are asked. */
const everyMs = 5000
const longestMs = 300_000

/**
 * The addresses of machines by name.
 *
 * @throws {StoreError} `INVALID_CONFIG`; the message holds no address
 */
export function checkMachines(machines: unknown): ReadonlyMap<string, string> {
  const wrong = (what: string): StoreError =>
    new StoreError('INVALID_CONFIG', `\`machines\` of recorder() ${what}`)
  if (!isPlainObject(machines))
    throw wrong(`must be an object of addresses by name, got ${kindOf(machines)}.`)
  const checked = Object.entries(machines).map(([name, address]): [string, string] => {
    if (typeof address === 'string' && /^https?:\/\/./.test(address) && URL.canParse(address))
      return [name, address]
    throw wrong(`needs the address of node_exporter for ${name}, such as http://10.0.0.5:9100/metrics.`)
  })
  return new Map(checked)
}

/** Asks machines for their load from time to time. */
export class Machines {
  readonly #addresses: ReadonlyMap<string, string>
  readonly #samples = new Map<string, readonly Sample[]>()
  readonly #end = new AbortController()
  #askedAt = Number.NEGATIVE_INFINITY
  #asking: Promise<unknown> | undefined

  constructor(addresses: ReadonlyMap<string, string>) {
    this.#addresses = addresses
  }

  /** Ask all machines, if it is time. Never rejects; calls `heard` once they have answered, or did not. */
  look(now: number, heard: () => void): void {
    if (this.#asking !== undefined || now - this.#askedAt < everyMs || this.#addresses.size === 0) return
    this.#askedAt = now
    const asked = Array.from(this.#addresses, ([name, address]) => this.#ask(name, address, now))
    this.#asking = Promise.all(asked).then(() => {
      this.#asking = undefined
      if (!this.#end.signal.aborted) heard()
    })
  }

  /** The loads of the last so many milliseconds. A machine that does not answer now is left out. */
  last(ms: number, now: number): MachineLoads {
    const loads = Array.from(this.#samples, ([name, samples]) => {
      const before = samples.findLast(({ at }) => at <= now - ms) ?? samples[0]
      const latest = samples.at(-1)
      const isNow = latest !== undefined && latest.at > now - 3 * everyMs
      const load = isNow && before !== undefined ? loadBetween(before, latest) : undefined
      return load === undefined ? [] : [[name, load] as const]
    })
    return Object.fromEntries(loads.flat())
  }

  /** Resources of machines in the last half a minute. */
  used(now: number): readonly Used[] {
    return Object.entries(this.last(30_000, now)).flatMap(([machine, { cpuShare, memoryShare }]): Used[] => [
      { resource: 'processor', machine, share: cpuShare },
      { resource: 'memory', machine, share: memoryShare },
    ])
  }

  async close(): Promise<void> {
    this.#end.abort()
    await this.#asking
  }

  async #ask(name: string, address: string, now: number): Promise<void> {
    const signal = AbortSignal.any([this.#end.signal, AbortSignal.timeout(everyMs)])
    const answer = fetch(address, { signal }).then((got) => (got.ok ? got.text() : ''))
    const counters = countersIn(await answer.catch(() => ''))
    if (counters === undefined) return
    const kept = (this.#samples.get(name) ?? []).filter(({ at }) => at > now - longestMs - everyMs)
    this.#samples.set(name, [...kept, { at: now, ...counters }])
  }
}

/** Counters start anew with their machine: then there is no load. */
function loadBetween(before: Sample, latest: Sample): MachineLoad | undefined {
  const rise = (name: Exclude<keyof Counters, 'memoryShare'>): number => latest[name] - before[name]
  const [busy, idle, received, sent] = [
    rise('busySeconds'),
    rise('idleSeconds'),
    rise('receivedBytes'),
    rise('sentBytes'),
  ]
  if (latest.at <= before.at || busy + idle <= 0 || Math.min(busy, idle, received, sent) < 0) return undefined
  const perSecond = (count: number): number => (count * 1000) / (latest.at - before.at)
  return {
    cpuShare: busy / (busy + idle),
    memoryShare: latest.memoryShare,
    receivedBytesPerSecond: perSecond(received),
    sentBytesPerSecond: perSecond(sent),
  }
}

const line =
  /^node_(cpu_seconds_total|memory_Mem(?:Total|Available)_bytes|network_(?:receive|transmit)_bytes_total)(?:\{([^}\n]*)\})? (\S+)/gm

/** The counters of a page of node_exporter; `undefined`: it is another page. */
function countersIn(page: string): Counters | undefined {
  const sums = new Map<string, number>()
  for (const [, name = '', labels = '', value] of page.matchAll(line)) {
    if (labels.includes('device="lo"')) continue
    const isIdle = /mode="(?:idle|iowait)"/.test(labels)
    const key = isIdle ? 'idle' : name
    sums.set(key, (sums.get(key) ?? 0) + Number(value))
  }
  const [total, available] = ['Total', 'Available'].map((of) => sums.get(`memory_Mem${of}_bytes`))
  const busySeconds = sums.get('cpu_seconds_total')
  if (busySeconds === undefined || total === undefined || available === undefined) return undefined
  return {
    busySeconds,
    idleSeconds: sums.get('idle') ?? 0,
    receivedBytes: sums.get('network_receive_bytes_total') ?? 0,
    sentBytes: sums.get('network_transmit_bytes_total') ?? 0,
    memoryShare: 1 - available / total,
  }
}
