import { randomUUID } from 'node:crypto'
import { isStoreError, type Version } from '@unikv/core'
import { monotonicClock } from '@unikv/core/platform'
import type { TunerLog } from './tuner-log.ts'

/** One of several tuners acts; the others wait. A lease whose record has not changed for some time is given up: no two clocks are compared. */
export class Lease {
  readonly #log: TunerLog
  readonly #name: string
  readonly #patienceMs: number
  readonly #id = randomUUID()
  readonly #clock: () => number
  #own: Version | undefined
  #seen: { readonly version: Version; readonly at: number } | undefined

  /** @param patienceMs how long the record of another process must not have changed */
  constructor(log: TunerLog, name: string, patienceMs: number, clock: () => number = monotonicClock) {
    this.#log = log
    this.#name = name
    this.#patienceMs = patienceMs
    this.#clock = clock
  }

  /** Take the lease, or keep it. Returns whether this process holds it now. */
  async hold(): Promise<boolean> {
    const kv = this.#log.records
    const beat = (ifVersion: Version | null): Promise<boolean> => this.#write(ifVersion)
    if (this.#own !== undefined && (await beat(this.#own))) return true
    this.#own = undefined
    const entry = await kv.getEntry('lease')
    if (entry === undefined) return beat(null)
    const version = entry.version as Version
    if (idIn(entry.value) === this.#id) return beat(version) // written by us, with a reply that was lost
    if (this.#seen?.version !== version) this.#seen = { version, at: this.#clock() }
    return this.#clock() - this.#seen.at > this.#patienceMs && beat(version)
  }

  /** Let another process have it at once. */
  async release(): Promise<void> {
    const own = this.#own
    this.#own = undefined
    if (own !== undefined) await this.#log.records.delete('lease', { ifVersion: own }).catch(() => {})
  }

  async #write(ifVersion: Version | null): Promise<boolean> {
    const value = new TextEncoder().encode(
      JSON.stringify({ id: this.#id, name: this.#name, beat: randomUUID() }),
    )
    try {
      const { version } = await this.#log.records.set('lease', value, { ifVersion })
      this.#own = version
      return true
    } catch (error) {
      if (isStoreError(error) && error.code === 'CONDITION_FAILED') return false
      throw error
    }
  }
}

/** The writer of a lease. One that is damaged is given up like any other. */
function idIn(bytes: Uint8Array): unknown {
  try {
    return Object(JSON.parse(new TextDecoder().decode(bytes))).id
  } catch {
    return undefined
  }
}
