import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { types } from 'node:util'
import type { KeyValue, Supporting } from '@unikv/core'
import { isBytes, wallClock } from '@unikv/core/platform'
import { type NextCacheOptions, opened, settingsOf } from './options.ts'
import type {
  CacheContext,
  CacheControl,
  CacheEntry,
  CacheHandler,
  CacheHandlerClass,
  CacheHandlerContext,
  CacheValue,
} from './page-types.ts'
import type { Durations } from './tag-state.ts'
import { sinceEpoch, type Tagged, TaggedRecords } from './tagged-records.ts'

interface Kept extends Tagged {
  readonly value: CacheValue | null
  readonly lastModified: number
  readonly cacheControl?: CacheControl | undefined
}

/**
 * The class for `cacheHandler` of `next.config.mjs`: pages, routes and `fetch`.
 *
 * @param open makes the KeyValue, with `structured()`, when a process needs it first
 * @throws {StoreError} `INVALID_CONFIG` for a wrong argument; from its calls: `UNSUPPORTED` if the store has no conditional writes
 */
export function nextCacheHandler<V>(
  open: () => KeyValue<string, V, Supporting<'conditionalWrite'>>,
  options: NextCacheOptions = {},
): CacheHandlerClass {
  const { ttlMs, attempt } = settingsOf('nextCacheHandler', open, options)
  const records = new TaggedRecords<Kept>(() => opened('nextCacheHandler', open()).namespace('pages'), ttlMs)
  let build: string | undefined
  return class UnikvCacheHandler implements CacheHandler {
    readonly #build: string
    readonly #madeAt = sinceEpoch()
    /** The marks that stood when entries were found missing, which this request makes now. */
    readonly #marks = new Map<string, number>()

    constructor({ serverDistDir }: CacheHandlerContext) {
      this.#build = build ??= buildOf(serverDistDir)
    }

    async get(key: string, context: CacheContext): Promise<CacheEntry | null> {
      const name = this.#nameOf(key, context.kind)
      const tags = [...(context.tags ?? []), ...(context.softTags ?? [])]
      const found = await attempt(async () => records.read(name, tags), undefined)
      if (found === undefined) return null
      if (context.kind !== 'IMAGE' && !this.#marks.has(name)) this.#marks.set(name, found.mark)
      const { record } = found
      if (record === undefined) return null
      const { cacheControl, value, lastModified } = record
      const told = found.freshness === 'stale' ? staleSince(cacheControl?.revalidate) : lastModified
      if (told === undefined) return null
      return { lastModified: told, value: withBuffers(value), cacheControl }
    }

    async set(key: string, value: CacheValue | null, context: CacheContext): Promise<void> {
      const name = this.#nameOf(key, context.fetchCache ? 'FETCH' : value?.kind)
      const begunAt = this.#marks.get(name) ?? records.markAt(this.#madeAt)
      this.#marks.delete(name)
      const { cacheControl } = context
      const tags = [...tagsOf(value), ...(context.tags ?? [])]
      const life = (cacheControl?.expire ?? Number.POSITIVE_INFINITY) * 1000
      const record = { begunAt, tags, value, lastModified: wallClock(), cacheControl }
      await attempt(async () => records.write(name, record, life), undefined)
    }

    async revalidateTag(tags: string | readonly string[], durations?: Durations): Promise<void> {
      await records.revalidate(tags, durations)
    }

    resetRequestCache(): void {}

    /** Answers of `fetch` outlive a build; pages name files of their own build. */
    #nameOf(key: string, kind: string | undefined): string {
      return kind === 'FETCH' ? key : `${this.#build}${key}`
    }
  }
}

/** The id of the build in the folder `.next`; empty where there is none, as in a build. */
function buildOf(serverDistDir: string | undefined): string {
  const path = serverDistDir && join(serverDistDir, '..', 'BUILD_ID')
  return path && existsSync(path) ? readFileSync(path, 'utf8') : ''
}

function tagsOf(value: CacheValue | null): readonly string[] {
  const { tags = [], headers } = value ?? {}
  const told = headers?.['x-next-cache-tags']
  return typeof told === 'string' ? [...tags, ...told.split(',')] : tags
}

/**
 * A time at which Next.js shows a page once more and makes it anew. `undefined`: there is none, as the page has no
 * revalidate time, or as it is an answer of `fetch`, which Next.js might put into a new page.
 */
function staleSince(seconds: number | false | undefined): number | undefined {
  return typeof seconds === 'number' ? wallClock() - seconds * 1000 - 1000 : undefined
}

/** Next.js calls methods of Buffer; codecs may make other classes of bytes. */
function withBuffers(value: CacheValue | null): unknown {
  if (value === null) return null
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withBuffer(part)]))
}

function withBuffer(part: unknown): unknown {
  if (types.isMap(part)) return new Map([...part].map(([name, inner]) => [name, withBuffer(inner)]))
  return isBytes(part) ? Buffer.from(part.buffer, part.byteOffset, part.byteLength) : part
}
