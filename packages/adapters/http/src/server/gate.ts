import { StoreError } from '@unikv/core'
import { type Access, seesStore } from './access.ts'
import { Guard } from './guard.ts'
import { type HttpOptions, type HttpSettings, settingsFor } from './options.ts'
import { Refused } from './refused.ts'
import { type Asked, refuseEncoded } from './request.ts'
import { type AnyKeyValue, type Served, served } from './served.ts'

/** The stores that a server serves, by name: fixed, or as they are with each request. */
export type ServedStores =
  | Readonly<Record<string, AnyKeyValue>>
  | (() => Readonly<Record<string, AnyKeyValue>>)

/** A server in the form that Node.js, Deno, Bun, Cloudflare, Next.js and hono mount. */
export interface HttpServer {
  /** Answers one request; it never rejects. */
  fetch(this: void, request: Request): Promise<Response>
}

/** Shared by all requests without a query: it is only read. */
const noQuery = new URLSearchParams()

/** The way in, which all dialects share: the caller, where it comes from, how often, and for which store. */
export class Gate {
  readonly settings: HttpSettings
  readonly #current: () => Readonly<Record<string, AnyKeyValue>>
  readonly #places = new WeakMap<object, Served>()
  readonly #guard: Guard

  /** @throws {StoreError} `INVALID_CONFIG` for a store that cannot be served, and without a protection that is named */
  constructor(factory: string, stores: ServedStores, options: HttpOptions) {
    this.settings = settingsFor(options, factory)
    this.#guard = new Guard(this.settings)
    this.#current = typeof stores === 'function' ? stores : () => stores
    if (typeof stores !== 'function') for (const name of Object.keys(stores)) this.#checkName(name)
  }

  /** The rights of the caller of a request. @throws {Refused} */
  enter(request: Request): Promise<Access> {
    return this.#guard.enter(request)
  }

  /** A request about this store. @throws {Refused} */
  async asked(request: Request, name: string): Promise<Asked> {
    const access = await this.enter(request)
    const place = seesStore(access, name) ? this.#find(name) : undefined
    if (place === undefined)
      throw new Refused(404, 'NOT_FOUND', 'There is no such store here, or this caller may not see it.')
    refuseEncoded(request)
    const { url } = request
    const at = url.indexOf('?')
    const query = at === -1 ? noQuery : new URLSearchParams(url.slice(at))
    return { request, query, served: place, access, limits: this.settings }
  }

  /** The stores that a caller may see. */
  names(access: Access): readonly string[] {
    return Object.keys(this.#current()).filter((name) => seesStore(access, name))
  }

  #find(name: string): Served | undefined {
    const stores = this.#current()
    const kv = Object.hasOwn(stores, name) ? stores[name] : undefined
    if (kv === undefined) return undefined
    const place = this.#places.get(kv) ?? served(kv)
    this.#places.set(kv, place)
    return place
  }

  #checkName(name: string): void {
    if (!/^[\w.-]+$/.test(name) || /^\.+$/.test(name))
      throw new StoreError('INVALID_CONFIG', 'A store is served under a name of letters, digits, - and _.')
    this.#find(name)
  }
}
