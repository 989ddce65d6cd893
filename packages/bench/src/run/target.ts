import { type Bytes, type Store, StoreError } from '@unikv/core'

/** A store to measure. The caller that opened it must close it. */
export interface StoreTarget {
  /** For files, tables and legends; distinct in a run. */
  readonly name: string
  /** Where it is, without user info. */
  readonly url: string
  readonly store: Store<Bytes>
  /** Asks its server for its version and for settings that matter. */
  readonly server?: (() => Promise<Readonly<Record<string, string>>>) | undefined
  /** How other threads open it too; without this, one thread alone can drive it. */
  readonly opener?: (() => StoreOpener) | undefined
  /** The meaning of its consistency levels, in the words of the store. @default not told */
  readonly levels?: Readonly<Record<string, string>> | undefined
  /** Further places where the records of this store can be read, such as replicas; their names are distinct. @default none */
  readonly readers?: readonly ReaderTarget[] | undefined
}

/** A place where the records of a store can be read. */
export interface ReaderTarget {
  readonly name: string
  /** Where it is, without user info. */
  readonly url: string
  /** How it is opened. */
  readonly opener: () => StoreOpener
}

/** How another thread opens a store. */
export interface StoreOpener {
  /** URL of a module that exports `open(url, options)`. */
  readonly module: string
  /** With its password: it goes to threads of this process alone, and never into a result. */
  readonly url: string
  readonly options: Readonly<Record<string, unknown>>
  /** The nodes of a cluster, over which connections of its own are spread. @default none: a connection reaches all of them */
  readonly nodes?: readonly StoreNode[] | undefined
  /** The file of the names of its keys, for a store that cannot list them. */
  readonly knownKeys?: string | undefined
}

/** One node of a cluster. */
export interface StoreNode {
  readonly name: string
  /** A URL of the store whose requests go to this node; with its password. */
  readonly url: string
}

/** How an in-process cache shares what it holds. */
export type ShareMode = 'freeze' | 'reference' | 'copy'

/** A cache to measure in front of every store. */
export type CacheTarget = InProcessCacheTarget | RemoteCacheTarget

/** Objects in this process. */
export interface InProcessCacheTarget {
  readonly kind: 'in-process'
  readonly name: string
  readonly share: ShareMode
}

/** Another store as the cache. */
export interface RemoteCacheTarget extends StoreTarget {
  readonly kind: 'remote'
}

/** A name of a target. */
export const targetName: RegExp = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/

/** Names of targets are distinct, and fit into file names. */
export function checkNames(what: string, targets: readonly { readonly name: string }[]): void {
  const seen = new Set<string>()
  for (const { name } of targets) {
    if (!targetName.test(name)) {
      const rule = 'a name begins with a letter or digit, and has up to 32 letters, digits, - and _'
      throw new StoreError('INVALID_CONFIG', `'${name}' cannot name a ${what}: ${rule}.`)
    }
    if (seen.has(name)) {
      throw new StoreError(
        'INVALID_CONFIG',
        `Two of the ${what}s have the name '${name}'. Give them different names with name=URL.`,
      )
    }
    seen.add(name)
  }
}
