import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'

/** Headers that pages may send and read, besides those that every page may. */
export interface PageHeaders {
  readonly methods: readonly string[]
  readonly sent: readonly string[]
  readonly read: readonly string[]
}

/** Pages of these origins may read what is answered. */
export function pagesOf(origins: readonly string[], { methods, sent, read }: PageHeaders): MiddlewareHandler {
  return cors({
    origin: [...origins],
    allowMethods: [...methods],
    allowHeaders: ['authorization', 'content-type', ...sent],
    exposeHeaders: [...read],
  })
}
