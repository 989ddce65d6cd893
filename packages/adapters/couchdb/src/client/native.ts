import { cannotLoad } from '@unikv/core/adapter'
import type { CouchdbSettings } from '../options.ts'

/**
 * `native` of the store: nano, loaded on first use, with a connection pool of its own. Its types are for the caller to
 * name, as in `database<DocumentScope<User>>()`: they need those of undici, which nano does not bring.
 */
export interface CouchdbNative {
  /** The database of this store (`DocumentScope`), for views, Mango queries, attachments and replication. */
  database<D>(): Promise<D>
  /** Its server (`ServerScope`). */
  server<S>(): Promise<S>
}

/** The parts of nano that are used. */
interface Nano {
  readonly default: (options: {
    readonly url: string
    /** Whether the last part of the path names a database. */
    readonly parseUrl: boolean
    readonly headers: Readonly<Record<string, string>>
  }) => { use(database: string): unknown }
}

async function loadDriver(): Promise<Nano> {
  // The compiler must not read its types: it takes this name for any text. Bundlers take it literally.
  const name: string = 'nano'
  try {
    return (await import(name)) as Nano
  } catch (cause) {
    throw cannotLoad('nano', cause)
  }
}

/** nano with the address and the credentials of these settings. */
export function lazyNative({ address, database, authorization }: CouchdbSettings): CouchdbNative {
  const opened = async () => {
    const [{ default: nano }, credential] = await Promise.all([loadDriver(), authorization()])
    const headers = credential === undefined ? undefined : { Authorization: credential }
    return nano({ url: address, parseUrl: false, headers: { ...headers } })
  }
  return Object.freeze<CouchdbNative>({
    database: async <D>() => (await opened()).use(database) as D,
    server: async <S>() => (await opened()) as S,
  })
}
