import type { AnyStack } from '@unikv/core/adapter'
import { type Access, type Asked, Refused } from '@unikv/http/parts'
import type { Context } from 'hono'

/** A request about one store that its caller may see. */
export interface AskedStore extends Asked {
  readonly kv: AnyStack
  readonly store: string
}

/** Finds the store that a request is about, and the rights of its caller. */
export type AskedOf = (context: Context) => Promise<AskedStore>

/** Refuse a caller of a part, where an answer may be about any store and any key. */
export function demandWhole({ stores, namespace = [], prefix = '' }: Access): void {
  if (stores === undefined && namespace.length === 0 && prefix === '') return
  throw new Refused(403, 'FORBIDDEN', 'This caller may use a part of the stores alone.')
}
