import { type Bytes, type Store, StoreError } from '@unikv/core'
import { openBy } from '../drive/opened.ts'
import type { CacheTarget, StoreOpener, StoreTarget } from '../run/target.ts'
import { type Distance, Relay } from './relay.ts'
import { routeOf } from './route.ts'

/** The fields of a configuration that say how far away stores are: a number for all, or one for each of these names. */
interface Far {
  readonly delayMs: number | Readonly<Record<string, number>>
  readonly mbits: number | Readonly<Record<string, number>> | null
}

/** The distance of a store or cache; `undefined`: it is as near as it is. A number alone is of all stores. */
export function distanceOf({ delayMs, mbits }: Far, name: string, isStore = true): Distance | undefined {
  const its = (given: Far['delayMs'] | Far['mbits']): number | undefined => {
    if (given !== null && typeof given === 'object') return given[name]
    return isStore ? (given ?? undefined) : undefined
  }
  const found = { delayMs: its(delayMs) ?? 0, mbits: its(mbits) ?? null }
  return found.delayMs === 0 && found.mbits === null ? undefined : found
}

/** Stores and caches of a run. */
interface Places {
  readonly stores: readonly StoreTarget[]
  readonly caches?: readonly CacheTarget[] | undefined
}

/**
 * Do the work with the same stores and caches, of which some are farther away by a proxy each.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a name that none has; `UNSUPPORTED` for a store that a proxy cannot stand before
 */
export async function atDistance<T>(
  { config, crew, stores, caches = [] }: Places & { readonly config: Far; readonly crew?: unknown },
  work: (places: Places) => Promise<T>,
): Promise<T> {
  checkNamed(
    config,
    [...stores, ...caches].map(({ name }) => name),
  )
  const far = new Distances(config)
  try {
    const places = {
      stores: await Promise.all(stores.map((one) => far.of(one, true))),
      caches: await Promise.all(
        caches.map(async (one) => (one.kind === 'remote' ? await far.of(one, false) : one)),
      ),
    }
    if (crew !== undefined && far.isAny)
      throw new StoreError(
        'UNSUPPORTED',
        'The proxies of --delay and --bandwidth are in this process, past which workers elsewhere would connect. Leave out --workers.',
      )
    return await work(places)
  } finally {
    await far.close()
  }
}

function checkNamed({ delayMs, mbits }: Far, names: readonly string[]): void {
  const named = [delayMs, mbits].flatMap((given) =>
    typeof given === 'object' && given !== null ? Object.keys(given) : [],
  )
  const unknown = named.find((name) => !names.includes(name))
  if (unknown === undefined) return
  const message = `--delay or --bandwidth names '${unknown}', but the stores and caches are ${names.join(', ')}.`
  throw new StoreError('INVALID_CONFIG', message)
}

/** The proxies of a run. */
class Distances {
  readonly #config: Far
  readonly #relays: Relay[] = []
  readonly #stores: Store<Bytes>[] = []

  constructor(config: Far) {
    this.#config = config
  }

  get isAny(): boolean {
    return this.#relays.length > 0
  }

  /** The same target, behind a proxy if it must be farther away. */
  async of<T extends StoreTarget>(target: T, isStore: boolean): Promise<T> {
    const { name, opener, readers } = target
    const distance = distanceOf(this.#config, name, isStore)
    if (distance === undefined) return target
    if (opener === undefined) {
      const message = `${name} is an open store without a URL, so no proxy can stand before it.`
      throw new StoreError('UNSUPPORTED', message)
    }
    const way = await this.#through(name, opener(), distance)
    const store = await openBy(way)
    this.#stores.push(store)
    const further = await Promise.all(
      (readers ?? []).map(async (reader) => {
        const found = await this.#through(reader.name, reader.opener(), distance)
        return { ...reader, opener: () => found }
      }),
    )
    return { ...target, store, opener: () => way, ...(readers !== undefined && { readers: further }) }
  }

  async close(): Promise<void> {
    for (const store of this.#stores) await store.close().catch(() => {})
    for (const relay of this.#relays) await relay.close()
  }

  async #through(name: string, opener: StoreOpener, distance: Distance): Promise<StoreOpener> {
    const { address, through } = routeOf(name, opener.url)
    const relay = await Relay.start(address, distance)
    this.#relays.push(relay)
    return { ...opener, url: through(relay.port) }
  }
}
