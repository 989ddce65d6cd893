import {
  type Bytes,
  type CallOptions,
  type Mutation,
  type Page,
  type Read,
  type ReadResult,
  type ScanRange,
  type Store,
  StoreError,
  type WriteResult,
} from '@unikv/core'
import { callOptions, datasetName, movingPages, Opening } from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import { capabilitiesOf, type SwiftCapabilities } from './capabilities.ts'
import { SwiftAccount } from './client/account.ts'
import { SwiftObjects } from './objects.ts'
import { type SwiftDurability, type SwiftOptions, type SwiftSettings, settingsOf } from './options.ts'
import { read } from './read.ts'
import { scanPages } from './scan.ts'
import { write } from './write.ts'

/** `native` of the store: there is no driver, so it is `fetch` with address and token of the account. */
export interface SwiftNative {
  /** A request to a path below the account, such as `/container/object`, escaped. */
  fetch(path: string, init?: RequestInit): Promise<Response>
}

/** The Swift store. */
export type SwiftStore<O extends SwiftOptions = SwiftOptions> = Store<
  Bytes,
  SwiftCapabilities<DurabilityOf<O>>,
  SwiftNative
>

/** The durability of options; any, if they do not tell. */
type DurabilityOf<O extends SwiftOptions> = O extends {
  readonly durability: infer D extends SwiftDurability
}
  ? D
  : 'durability' extends keyof O
    ? SwiftDurability
    : 'replicated'

/**
 * Objects in a container of OpenStack Swift. Nothing is connected before the first call.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function swift<const O extends SwiftOptions>(options: O): SwiftStore<O> {
  return new ObjectStore(settingsOf(options)) as unknown as SwiftStore<O> // the options say how durable it is
}

/**
 * Make the container of these options, if it is missing. What `prepare: true` does on first use, for deployments where
 * the application may not create containers.
 *
 * @throws {StoreError} `ACCESS_DENIED`, `UNAVAILABLE`
 */
export async function prepareSwift(options: SwiftOptions): Promise<void> {
  const store = new ObjectStore({ ...settingsOf(options), prepare: true })
  try {
    await store.open()
  } finally {
    await store.close()
  }
}

/** Longest time that signing in and looking at the container may take. */
const openTimeoutMs = 10_000

class ObjectStore implements Store<Bytes> {
  readonly name: string
  readonly dataset: string
  readonly capabilities: SwiftCapabilities
  readonly native: SwiftNative
  readonly #account: SwiftAccount
  readonly #opening: Opening<SwiftObjects>
  /** Requests of one call that are under way at the same time. */
  readonly #lanes: number

  constructor(settings: SwiftSettings) {
    this.name = settings.name
    this.dataset = datasetName(
      'swift',
      (settings.storageUrl ?? settings.authUrl).host,
      settings.container,
      settings.prefix,
    )
    this.capabilities = capabilitiesOf(settings)
    this.#account = new SwiftAccount(settings)
    this.#lanes = settings.connectionLimit
    this.native = nativeOf(this.#account)
    const open = async (): Promise<SwiftObjects> => openContainer(this.#account, settings)
    this.#opening = new Opening(open, async () => {})
  }

  async read(reads: readonly Read[], call: CallOptions): Promise<readonly ReadResult<Bytes>[]> {
    return read(this.#opening.ready ?? (await this.#opening.opened(call)), reads, this.#lanes, call)
  }

  async write(mutations: readonly Mutation<Bytes>[], call: CallOptions): Promise<readonly WriteResult[]> {
    return write(this.#opening.ready ?? (await this.#opening.opened(call)), mutations, this.#lanes, call)
  }

  async *scan(range: ScanRange, call: CallOptions): AsyncGenerator<Page<Bytes>> {
    const pages = scanPages(await this.#opening.opened(call), range, this.#lanes, call)
    yield* movingPages(this.name, true, range, pages)
  }

  /** Look at the container, once; after a failure the next call tries again. */
  open(): Promise<unknown> {
    return this.#opening.open()
  }

  /** The connections first: what waits for them ends with them. */
  async close(): Promise<void> {
    this.#account.close()
    await this.#opening.close()
  }
}

async function openContainer(
  account: SwiftAccount,
  { container, prefix, prepare }: SwiftSettings,
): Promise<SwiftObjects> {
  const objects = new SwiftObjects(account, container, `${prefix}/`)
  const call = callOptions({ deadlineAt: performance.now() + openTimeoutMs })
  if (await objects.isPrepared(call)) return objects
  if (!prepare)
    throw new StoreError(
      'NOT_PREPARED',
      `There is no container ${container}. Call prepareSwift with these options once, or set prepare: true.`,
    )
  await objects.prepare(call)
  return objects
}

function nativeOf(account: SwiftAccount): SwiftNative {
  return Object.freeze<SwiftNative>({
    async fetch(path, init) {
      const call = callOptions({ deadlineAt: performance.now() + openTimeoutMs })
      const { storageUrl, token } = await account.session(call)
      const headers = new Headers(init?.headers)
      headers.set('x-auth-token', token)
      return fetch(storageUrl.href.replace(/\/$/, '') + path, { ...init, headers })
    },
  })
}
