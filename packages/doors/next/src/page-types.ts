import type { Durations } from './tag-state.ts'

/** Seconds; `false`: never. */
export interface CacheControl {
  readonly revalidate: number | false
  readonly expire?: number | undefined
}

/** A page, an answer of a route or of `fetch`, a redirect or an image. */
export interface CacheValue {
  readonly kind: string
  readonly headers?: Readonly<Record<string, unknown>> | undefined
  readonly tags?: readonly string[] | undefined
}

/** Facts about an entry that Next.js passes along. The tags are those of `fetch`. */
export interface CacheContext {
  readonly kind?: string | undefined
  readonly fetchCache?: boolean | undefined
  readonly tags?: readonly string[] | undefined
  readonly softTags?: readonly string[] | undefined
  readonly cacheControl?: CacheControl | undefined
}

/** An entry as Next.js gets it; `value: null` stands for a page that does not exist. */
export interface CacheEntry {
  /** Milliseconds since 1970. */
  readonly lastModified: number
  // oxlint-disable-next-line no-explicit-any -- a type of Next.js, which differs from version to version
  readonly value: any
  readonly cacheControl?: CacheControl | undefined
}

/** The argument of the constructor. */
export interface CacheHandlerContext {
  /** The folder `.next/server`. */
  readonly serverDistDir?: string | undefined
}

/** The members that Next.js calls. */
export interface CacheHandler {
  /** `null`: there is none. */
  get(key: string, context: CacheContext): Promise<CacheEntry | null>
  /** Keep an entry. */
  set(key: string, value: unknown, context: CacheContext): Promise<void>
  /** Without durations, entries with these tags are gone at once. */
  revalidateTag(tags: string | readonly string[], durations?: Durations): Promise<void>
  /** Nothing is kept for a request. */
  resetRequestCache(): void
}

/** A class as Next.js makes instances of it, one for each request. */
export type CacheHandlerClass = new (context: CacheHandlerContext) => CacheHandler
