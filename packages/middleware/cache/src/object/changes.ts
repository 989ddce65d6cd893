import {
  type Awaitable,
  andThen,
  type CallOptions,
  type Entry,
  isPromise,
  isStoreError,
  type WriteResult,
} from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import type { BusLink } from '../bus/bus-link.ts'
import { told } from '../bus/told.ts'
import { Flight } from '../loads/flight.ts'
import type { Flights } from '../loads/flights.ts'
import type { Own } from '../loads/loading.ts'
import { unwritten } from '../unwritten.ts'
import type { Entries } from './entries.ts'
import type { Times } from './entry-maker.ts'

/** Parts that changes of a cache in this process need. */
export interface ChangeParts {
  readonly flights: Flights
  readonly entries: Entries
  readonly bus: BusLink | undefined
  /** Times for a call that begins now. */
  readonly times: (own?: Own) => Times
}

/** Changes that the application or another program reports: writes that do not go through the store below. */
export class Changes {
  readonly #parts: ChangeParts
  /** Keys that are being expired, and whether they have been asked for since. */
  readonly #expiring = new Map<string, { isHeard: boolean }>()

  constructor(parts: ChangeParts) {
    this.#parts = parts
  }

  /** Forget all that starts with one of these, and keep nothing of what is under way. */
  forget(prefixes: readonly string[], call: CallOptions): Awaitable<void> {
    const { flights, entries, bus } = this.#parts
    flights.overtakeAll(prefixes)
    entries.forget(prefixes)
    return bus?.tellAll(call)
  }

  /** Something else has written these keys: forget them, keep nothing of what is under way, and tell others. */
  invalidate(keys: readonly string[], call: CallOptions): Awaitable<void> {
    const { flights, bus } = this.#parts
    const { mutations, write } = unwritten(keys)
    const run = bus === undefined ? write : () => told(bus, mutations, call, write)
    return andThen(flights.write(keys, run), () => {})
  }

  /**
   * From now on the entry of a key is not fresh, but there for what such entries are good for; nothing of what is under way is
   * kept. `below` forgets it below.
   */
  expire(key: string, below: (() => Awaitable<readonly WriteResult[]>) | undefined): Awaitable<void> {
    const { flights, entries, bus } = this.#parts
    const kept = flights.isLoading(key) ? undefined : entries.residents.peek(key)
    const ended = kept && entries.maker.ended(kept)
    const { mutations, write } = unwritten([key])
    const run = below ?? write
    const loads = { isHeard: false }
    this.#expiring.set(key, loads)
    const written = flights.write(
      [key],
      bus === undefined ? run : () => told(bus, mutations, callOptions(), run),
      () => {
        // A reader that got a newer value must not get this one afterwards.
        if (ended !== undefined && !loads.isHeard && entries.isOfUse(ended)) entries.residents.set(ended)
      },
    )
    const end = (): void => {
      if (this.#expiring.get(key) === loads) this.#expiring.delete(key)
    }
    if (!isPromise(written)) return end()
    return written
      .then(([result]) => {
        if (isStoreError(result)) throw result
      })
      .finally(end)
  }

  /** A load of this key begins. */
  heard(key: string): void {
    const loads = this.#expiring.get(key)
    if (loads !== undefined) loads.isHeard = true
  }

  /**
   * Keep an entry that its writer vouches for, in the place of all that is kept or under way: at once, and once more when
   * `below` has ended, which writes it to the tiers below.
   */
  put(
    key: string,
    entry: Entry<unknown>,
    own: Own,
    below: (() => Awaitable<readonly WriteResult[]>) | undefined,
  ): Awaitable<void> {
    const { flights, entries, bus } = this.#parts
    const times = this.#parts.times(own)
    const keep = (): void => void entries.keep(new Flight(key, false), entry, times)
    const write = (): Awaitable<readonly WriteResult[]> => {
      if (below === undefined) return []
      keep()
      return below()
    }
    // A reader that got a newer value meanwhile must not get this one afterwards.
    const written = flights.write([key], write, below === undefined ? undefined : keep)
    return andThen(written, (results) => {
      const refused = results.find(isStoreError)
      if (refused !== undefined) throw refused
      if (below === undefined) keep()
      const mutation = { type: 'set', key, value: undefined, version: '' } as const
      return bus?.tell([mutation], [{ version: entry.version }])
    })
  }
}
