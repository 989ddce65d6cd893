import type { Bytes, Capabilities, Store } from '@unikv/core'
import { callOptions, datasetName, openedStore, within } from '@unikv/core/adapter'
import { jsonOf } from '@unikv/core/http-client'
import { performance } from '@unikv/core/platform'
import { checkKept, type HttpCapabilities, type HttpOffer, offeredIn } from './capabilities.ts'
import { Client } from './client.ts'
import { noStore } from './errors.ts'
import { find } from './find.ts'
import { type HttpStoreOptions, type HttpStoreSettings, settingsOf } from './options.ts'
import { read, scan } from './read.ts'
import { write } from './write.ts'

/** Longest time that looking at the store may take. */
const openTimeoutMs = 10_000

/** There is no client: `native` tells where the store is. */
export interface HttpNative {
  /** The address of the store, without user info. */
  readonly address: string
}

/** A store behind HTTP. */
export type HttpStore<C extends HttpOffer = HttpOffer> = Store<Bytes, HttpCapabilities<C>, HttpNative>

/**
 * A store that a server of `http()` serves, or `unikv serve`. It needs `fetch` alone. Nothing is sent before the first call, which
 * also checks that the store can do what is said of it. A write whose answer is lost is `OUTCOME_UNKNOWN`, and never sent twice.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function httpStore<const C extends HttpOffer = Record<never, never>>(
  options: HttpStoreOptions<C>,
): HttpStore<C> {
  const settings = settingsOf(options)
  const { name, address, capabilities } = settings
  const client = new Client(settings)
  const store = openedStore<Bytes, Client>({
    name,
    dataset: datasetName('http', address),
    capabilities,
    native: Object.freeze({ address }),
    async open(signal) {
      const call = callOptions({ deadlineAt: performance.now() + openTimeoutMs, signal })
      checkKept(capabilities, await offered(client, call), settings.where)
      return client
    },
    read,
    write,
    scan,
    find,
    closed: () => client.close(),
  })
  return store as unknown as HttpStore<C> // the options say which
}

/**
 * The abilities of the store behind a server, for `httpStore({ …, capabilities })`: one request.
 *
 * @throws {StoreError} `ACCESS_DENIED`, `NOT_PREPARED` without such a store, `UNAVAILABLE`
 */
export async function capabilitiesOf(options: HttpStoreOptions): Promise<Capabilities> {
  const settings: HttpStoreSettings = settingsOf(options)
  return offered(new Client(settings), within(openTimeoutMs))
}

async function offered(client: Client, call: Parameters<Client['ask']>[1]): Promise<Capabilities> {
  const { status, body } = await client.ask({ method: 'GET', path: '' }, call, false)
  const { capabilities: told } = Object(jsonOf(body)) as { readonly capabilities?: unknown }
  const capabilities = offeredIn(told)
  if (status !== 200 || capabilities === undefined)
    throw status === 404 ? noStore(client.where) : client.odd(false)
  return capabilities
}
